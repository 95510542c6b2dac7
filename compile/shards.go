package compile

import (
	"hash/maphash"
	"iter"
	"maps"
)

// shards is a map shared between versions of a Site. Changing one entry of a version copies the
// shard that holds it and the list of shards, never the whole map: editing one product in a shop
// of 50,000 costs microseconds. A published value is never written again.
type shards[K comparable, V any] struct {
	parts []map[K]V // a power of two of them; nil parts are empty
	seed  maphash.Seed
	size  int
}

// perShard is the number of entries a shard is built for. Smaller shards make an edit cheaper,
// but lengthen the list of shards, which every edit copies.
const perShard = 64

// newShards allocates shards for size entries.
func newShards[K comparable, V any](size int) shards[K, V] {
	n := 1
	for n*perShard < size {
		n *= 2
	}
	return shards[K, V]{parts: make([]map[K]V, n), seed: maphash.MakeSeed()}
}

// filledShards holds all entries of a sequence, which is iterated twice: shards that are made in their
// final size are filled in half the time of shards that grow. join merges the values of one key.
func filledShards[K comparable, V any](size int, all iter.Seq2[K, V], join func(V, V) V) shards[K, V] {
	m := newShards[K, V](size)
	sizes := make([]int, len(m.parts))
	for k := range all {
		sizes[m.part(k)]++
	}
	for i, n := range sizes {
		if n > 0 {
			m.parts[i] = make(map[K]V, n)
		}
	}
	for k, v := range all {
		part := m.parts[m.part(k)]
		if old, taken := part[k]; taken {
			v = join(old, v)
		} else {
			m.size++
		}
		part[k] = v
	}
	return m
}

func (m shards[K, V]) part(key K) int {
	if len(m.parts) == 1 {
		return 0
	}
	return int(maphash.Comparable(m.seed, key) & uint64(len(m.parts)-1))
}

func (m shards[K, V]) get(key K) (V, bool) {
	if len(m.parts) == 0 {
		var none V
		return none, false
	}
	v, ok := m.parts[m.part(key)][key]
	return v, ok
}

// all yields the entries in no particular order.
func (m shards[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, part := range m.parts {
			for k, v := range part {
				if !yield(k, v) {
					return
				}
			}
		}
	}
}

// edit returns a writable copy. The original is unchanged.
func (m shards[K, V]) edit() *shardsEdit[K, V] {
	if m.size > 4*perShard*len(m.parts) {
		return m.grow()
	}
	parts := make([]map[K]V, len(m.parts))
	copy(parts, m.parts)
	m.parts = parts
	return &shardsEdit[K, V]{m: m, owned: make([]bool, len(parts))}
}

// grow redistributes a map that has outgrown its shards over more of them. It happens rarely
// enough that its cost is amortized over many edits.
func (m shards[K, V]) grow() *shardsEdit[K, V] {
	e := &shardsEdit[K, V]{m: filledShards(2*m.size, m.all(), func(_, v V) V { return v })}
	e.owned = make([]bool, len(e.m.parts))
	for i := range e.owned {
		e.owned[i] = true
	}
	return e
}

// shardsEdit is an edit in progress. It owns the shards it has copied and writes to no others.
type shardsEdit[K comparable, V any] struct {
	m     shards[K, V]
	owned []bool
}

func (e *shardsEdit[K, V]) own(key K) map[K]V {
	i := e.m.part(key)
	if !e.owned[i] {
		e.owned[i] = true
		if e.m.parts[i] == nil {
			e.m.parts[i] = map[K]V{}
		} else {
			e.m.parts[i] = maps.Clone(e.m.parts[i])
		}
	}
	return e.m.parts[i]
}

func (e *shardsEdit[K, V]) get(key K) (V, bool) { return e.m.get(key) }

func (e *shardsEdit[K, V]) set(key K, value V) {
	part := e.own(key)
	before := len(part)
	part[key] = value
	e.m.size += len(part) - before
}

func (e *shardsEdit[K, V]) delete(key K) {
	if _, there := e.m.get(key); !there {
		return
	}
	delete(e.own(key), key)
	e.m.size--
}
