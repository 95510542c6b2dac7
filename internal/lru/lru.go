// Package lru keeps values within a limit of what they weigh together, bytes or
// rows; those that were used longest ago go first. The order is the one of
// hashicorp's LRU, which counts entries and knows no weights.
package lru

import (
	"math"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Weighted is such a cache. It is not safe for concurrent use: its owners hold a
// lock over more than one call.
type Weighted[K comparable, V any] struct {
	entries *simplelru.LRU[K, weighed[V]]
	weight  int64
	limit   int64
}

type weighed[V any] struct {
	value  V
	weight int64
}

// New makes an empty one.
func New[K comparable, V any](limit int64) *Weighted[K, V] {
	entries, err := simplelru.NewLRU[K, weighed[V]](math.MaxInt, nil)
	if err != nil {
		panic(err) // it refuses sizes below 1 only
	}
	return &Weighted[K, V]{entries: entries, limit: limit}
}

// Get returns a value, which is used by that.
func (c *Weighted[K, V]) Get(key K) (value V, ok bool) {
	e, ok := c.entries.Get(key)
	return e.value, ok
}

// Put keeps a value, in place of an earlier one of the key, and returns the keys
// that had to go. What alone weighs more than the limit is not kept, and costs
// no other its place.
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

// Remove lets go of a value, if it is there.
func (c *Weighted[K, V]) Remove(key K) {
	old, _ := c.entries.Peek(key)
	c.weight -= old.weight
	c.entries.Remove(key)
}

// Weight is what all values weigh together.
func (c *Weighted[K, V]) Weight() int64 { return c.weight }

// Keys are those that are kept, the one used longest ago first.
func (c *Weighted[K, V]) Keys() []K { return c.entries.Keys() }
