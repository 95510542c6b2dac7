// Package lru keeps values up to a limit of their total weight, in bytes or rows; the least
// recently used ones are evicted first. It is based on hashicorp's LRU, which counts
// entries and has no weights.
package lru

import (
	"math"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Weighted is an LRU cache with weights. It is not safe for concurrent use: its owners hold
// a lock over more than one call.
type Weighted[K comparable, V any] struct {
	entries *simplelru.LRU[K, weighed[V]]
	weight  int64
	limit   int64
}

type weighed[V any] struct {
	value  V
	weight int64
}

// New returns an empty cache.
func New[K comparable, V any](limit int64) *Weighted[K, V] {
	entries, err := simplelru.NewLRU[K, weighed[V]](math.MaxInt, nil)
	if err != nil {
		panic(err) // it only refuses sizes below 1
	}
	return &Weighted[K, V]{entries: entries, limit: limit}
}

// Get returns a value and marks it recently used.
func (c *Weighted[K, V]) Get(key K) (value V, ok bool) {
	e, ok := c.entries.Get(key)
	return e.value, ok
}

// Put stores a value, replacing an earlier one of the key, and returns the evicted keys. A
// value that alone exceeds the limit is not stored, and evicts no other.
func (c *Weighted[K, V]) Put(key K, value V, weight int64) (gone []K) {
	if weight > c.limit {
		c.Remove(key)
		return []K{key}
	}
	old, _ := c.entries.Peek(key)
	c.entries.Add(key, weighed[V]{value, weight})
	for c.weight += weight - old.weight; c.weight > c.limit; {
		last, e, _ := c.entries.RemoveOldest()
		c.weight -= e.weight
		gone = append(gone, last)
	}
	return gone
}

// Remove removes a value if it is present.
func (c *Weighted[K, V]) Remove(key K) {
	old, _ := c.entries.Peek(key)
	c.weight -= old.weight
	c.entries.Remove(key)
}

// Weight returns the total weight of all values.
func (c *Weighted[K, V]) Weight() int64 { return c.weight }

// Keys returns all keys, the least recently used one first.
func (c *Weighted[K, V]) Keys() []K { return c.entries.Keys() }
