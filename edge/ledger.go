package edge

import (
	"sync"

	"vitrine/internal/shop"
)

// maxLedger bounds the keys that a ledger remembers. Beyond it all keys count as changed,
// which costs a redraw and is never wrong.
const maxLedger = 1 << 16

// ledger holds the generation of a shop at which each key last changed.
type ledger struct {
	mu    sync.RWMutex
	moved map[shop.Key]uint64
	floor uint64 // entries drawn before this generation are invalid
}

// record records that keys changed at a generation; nil keys mean all of them. A key of one
// product also changes the key of products without an id, which stands for any of them; the
// same goes for the other kinds.
func (l *ledger) record(keys []shop.Key, gen uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if keys == nil || len(l.moved)+len(keys) > maxLedger {
		l.moved, l.floor = nil, gen
		return
	}
	if l.moved == nil {
		l.moved = make(map[shop.Key]uint64, len(keys))
	}
	for _, k := range keys {
		l.moved[k] = gen
		l.moved[shop.Key{Kind: k.Kind}] = gen
	}
}

// valid reports whether none of the keys has changed since a generation.
func (l *ledger) valid(keys []shop.Key, born uint64) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if born < l.floor {
		return false
	}
	for _, k := range keys {
		if l.moved[k] > born {
			return false
		}
	}
	return true
}
