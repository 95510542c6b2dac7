package redirect

import (
	"hash/maphash"
	"strings"
)

// table finds the exact rules of a key: open addressing over one array, so that a key without
// rules costs one probe, regardless of the number of rules and phases.
type table struct {
	slots []slot // length is a power of two, at most half occupied; nil without exact rules
	keys  []holders
}

// slot is an entry of the table. tag is the upper half of a hash; at is an index into keys plus
// one, 0 for a free slot.
type slot struct{ tag, at uint32 }

// holders lists the exact rules of one key. override and plain are the ranks of the rules without
// a condition; the keys of conditions include the phase.
type holders struct {
	key        string
	html       bool // the key ends in .html: rules without override answer at the hop
	override   int32
	plain      int32
	conditions map[condition]int32
}

// condition is a pair that the query must contain, and whether its rule overrides live pages.
type condition struct {
	pair     string
	override bool
}

// seed makes the positions of keys unpredictable.
var seed = maphash.MakeSeed()

func hash(key []byte) uint64 { return maphash.Bytes(seed, key) }

func newTable(rules int) table {
	if rules == 0 {
		return table{}
	}
	size := 8
	for size < 2*rules {
		size *= 2
	}
	return table{slots: make([]slot, size), keys: make([]holders, 0, rules)}
}

// find returns the rules of a key, or nil.
func (t *table) find(key []byte, hash uint64) *holders {
	if len(t.slots) == 0 {
		return nil
	}
	mask, tag := uint64(len(t.slots)-1), uint32(hash>>32)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s.at == 0 {
			return nil
		}
		if h := &t.keys[s.at-1]; s.tag == tag && h.key == string(key) {
			return h
		}
	}
}

// add adds an exact rule. Of two equal ones the first answers.
func (t *table) add(c *compiled, rank int32) {
	h := t.find([]byte(c.source.key), c.hash)
	if h == nil {
		h = t.enter(c)
	}
	at := &h.plain
	if c.rule.OverrideLive {
		at = &h.override
	}
	switch {
	case c.rule.QueryMatch == "":
		*at = min(*at, rank)
	default:
		if h.conditions == nil {
			h.conditions = map[condition]int32{}
		}
		pair := condition{c.rule.QueryMatch, c.rule.OverrideLive}
		if _, known := h.conditions[pair]; !known {
			h.conditions[pair] = rank
		}
	}
}

// enter adds a new key.
func (t *table) enter(c *compiled) *holders {
	mask := uint64(len(t.slots) - 1)
	i := c.hash & mask
	for t.slots[i].at != 0 {
		i = (i + 1) & mask
	}
	t.keys = append(t.keys, holders{key: c.source.key, html: c.source.html(), override: none, plain: none})
	t.slots[i] = slot{uint32(c.hash >> 32), uint32(len(t.keys))}
	return &t.keys[len(t.keys)-1]
}

// answer returns the rank of the rule that answers in a phase: the first whose condition the
// query meets, else the one without a condition.
func (h *holders) answer(p Phase, query string) int32 {
	if p == HTML && !h.html {
		return none
	}
	if rank := h.holding(p == Override, query); rank != none {
		return rank
	}
	if p == Override {
		return h.override
	}
	return h.plain
}

// holding returns the lowest rank among the conditions that the query meets. It costs one lookup
// per pair of the query, regardless of the number of conditions.
func (h *holders) holding(override bool, query string) int32 {
	best := int32(none)
	for query != "" && len(h.conditions) > 0 {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if rank, ok := h.conditions[condition{pair, override}]; ok {
			best = min(best, rank)
		}
	}
	return best
}

// holders looks up the key of an address once for all phases.
func (s *Set) holders(a *Address) *holders {
	if a.set != s {
		a.set, a.holders = s, s.exact.find(a.Key, hash(a.Key))
	}
	return a.holders
}
