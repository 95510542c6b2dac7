package lru_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/lru"
)

// model is a simple reference implementation: a list with the most recently used entry
// last.
type model struct {
	limit int64
	held  []held
}

type held struct {
	key    string
	weight int64
}

func (l *model) weight() (sum int64) {
	for _, h := range l.held {
		sum += h.weight
	}
	return sum
}

func (l *model) find(key string) int {
	return slices.IndexFunc(l.held, func(h held) bool { return h.key == key })
}

func (l *model) take(key string) (h held, ok bool) {
	at := l.find(key)
	if at < 0 {
		return h, false
	}
	h = l.held[at]
	l.held = slices.Delete(l.held, at, at+1)
	return h, true
}

func (l *model) put(key string, weight int64) (gone []string) {
	l.take(key)
	if weight > l.limit {
		return []string{key}
	}
	for l.held = append(l.held, held{key, weight}); l.weight() > l.limit; l.held = l.held[1:] {
		gone = append(gone, l.held[0].key)
	}
	return gone
}

func (l *model) keys() []string {
	keys := make([]string, len(l.held))
	for i, h := range l.held {
		keys[i] = h.key
	}
	return keys
}

func TestEvictionMatchesTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 10
		c, want := lru.New[string, int64](limit), &model{limit: limit}
		keys := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		use := func(t *rapid.T) {
			key := keys.Draw(t, "key")
			value, ok := c.Get(key)
			h, known := want.take(key)
			if ok != known || value != h.weight {
				t.Fatalf("%s: %d %t, want %d %t", key, value, ok, h.weight, known)
			}
			if known {
				want.held = append(want.held, h)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"get": use,
			"put": func(t *rapid.T) {
				key, weight := keys.Draw(t, "key"), rapid.Int64Range(0, limit+2).Draw(t, "weight")
				if got, gone := c.Put(key, weight, weight), want.put(key, weight); !slices.Equal(got, gone) {
					t.Fatalf("evicted %v, want %v", got, gone)
				}
			},
			"remove": func(t *rapid.T) {
				key := keys.Draw(t, "key")
				c.Remove(key)
				want.take(key)
			},
			"": func(t *rapid.T) {
				if !slices.Equal(c.Keys(), want.keys()) || c.Weight() != want.weight() || c.Weight() > limit {
					t.Fatalf("%v weigh %d, want %v of %d", c.Keys(), c.Weight(), want.keys(), want.weight())
				}
			},
		})
	})
}
