package compile

import (
	"math/bits"
	"strings"
)

// Suggestion is a live page that a missing address may have meant.
type Suggestion struct {
	Target string        // canonical shop path
	Page   PageRef       // the page there
	Reason SuggestReason // why this one
}

// SuggestReason is why a page is suggested.
type SuggestReason string

// The reasons, the surest first.
const (
	SuggestJournal SuggestReason = "journal" // its slug was the last segment, or is but for case or an ending such as .php
	SuggestSimilar SuggestReason = "similar" // its slug is spelled like the last segment
	SuggestSection SuggestReason = "section" // the nearest live section on the way
)

// Suggest finds a page for an address of the 404 log. The answer depends on
// nothing but the Site and the path. It looks once through all slugs, so it is
// meant for a page of the log, not for visitors.
func (s *Site) Suggest(path string) (Suggestion, bool) {
	var w Walk
	if w.addr.Parse(path) != nil || w.addr.Dots {
		return Suggestion{}, false
	}
	w.begin("")
	if Reserved(w.key) || w.path == "" {
		return Suggestion{}, false
	}
	last := cutEnding(fold(w.last()))
	if ref, ok := s.byJournal(last); ok {
		return s.suggest(ref, SuggestJournal)
	}
	if ref, ok := s.similar(last); ok {
		return s.suggest(ref, SuggestSimilar)
	}
	if n := s.nearest(w.key); n != nil {
		return s.suggest(PageRef{EntityCategory, int64(n.ID)}, SuggestSection)
	}
	return Suggestion{}, false
}

func (s *Site) suggest(ref PageRef, reason SuggestReason) (Suggestion, bool) {
	url := s.URL(ref)
	return Suggestion{url, ref, reason}, url != ""
}

// cutEnding takes the ending of a file off a name, as other shops have it.
func cutEnding(name string) string {
	for _, ending := range [...]string{".html", ".htm", ".php", ".aspx", ".asp", ".jsp"} {
		if cut, ok := strings.CutSuffix(name, ending); ok && cut != "" {
			return cut
		}
	}
	return name
}

// byJournal finds the live thing that has a slug or had it once.
func (s *Site) byJournal(slug string) (PageRef, bool) {
	for kind := EntityCategory; kind <= EntityArticle; kind++ {
		if ref, _, ok := s.slugOf(kind, slug, ""); ok {
			return ref, true
		}
		if id, _, ok := s.InJournal(kind, slug); ok {
			return PageRef{kind, id}, true
		}
	}
	return PageRef{}, false
}

// similar finds the live thing whose slug is most like a name: by the number of
// letters that have to change, or by the words that both have. Of equal ones
// the first kind counts, then the lowest id.
func (s *Site) similar(name string) (PageRef, bool) {
	like := newLikeness(name)
	var best PageRef
	score := minLikeness - 1
	consider := func(slug string, ref PageRef) {
		n := like.of(slug, max(score, minLikeness))
		if n > score || n == score && (ref.Entity < best.Entity || ref.Entity == best.Entity && ref.ID < best.ID) {
			if s.isLive(ref) {
				best, score = ref, n
			}
		}
	}
	for slug, nodes := range s.tree.slugs {
		consider(slug, PageRef{EntityCategory, int64(nodes[0].ID)})
	}
	for _, kind := range [...]Entity{EntityProduct, EntityArticle} {
		for _, x := range s.entriesOf(kind).byID.all() {
			if x.shown && x.slug != "" {
				consider(x.slug, PageRef{kind, int64(x.id)})
			}
		}
	}
	return best, best.Entity != 0
}

// likeness compares names with one name.
type likeness struct {
	name       string
	at         [256]uint64 // the places of a byte in name
	words, bag uint64
}

// Names are compared by their first maxName bytes; a likeness is a percentage.
const (
	maxName     = 64
	minLikeness = 70
)

func newLikeness(name string) *likeness {
	l := &likeness{name: name[:min(len(name), maxName)]}
	for i := range len(l.name) {
		l.at[l.name[i]] |= 1 << i
	}
	l.words, l.bag = traits(l.name)
	return l
}

// of is how like a slug is, in percent: 100 is the same. What is certainly
// below atLeast may count as nothing.
func (l *likeness) of(slug string, atLeast int) int {
	slug = slug[:min(len(slug), maxName)]
	n, m := len(l.name), len(slug)
	if n == 0 || 2*min(n, m) < max(n, m) {
		return 0
	}
	score := 0
	words, bag := traits(slug)
	if both := bits.OnesCount64(words & l.words); both > 1 {
		score = 95 * both / bits.OnesCount64(words|l.words)
	}
	longest := max(n, m)
	least := max(beyond(bag, l.bag), beyond(l.bag, bag)) // an edit changes each by one letter at most
	if 100*least <= (100-atLeast)*longest {
		score = max(score, 100-100*l.distance(slug)/longest)
	}
	return score
}

// distance is the least number of letters to change, add or drop (Myers' bit
// vectors: one step for each letter of the slug, where a library such as
// agnivade/levenshtein takes one for each pair of letters, four times as long).
func (l *likeness) distance(slug string) int {
	n := len(l.name)
	up, down := ^uint64(0), uint64(0)
	distance, last := n, uint64(1)<<(n-1)
	for i := range len(slug) {
		c := slug[i]
		if upper(c) {
			c += 'a' - 'A'
		}
		eq := l.at[c]
		diagonal := ((eq & up) + up) ^ up | eq | down
		right, left := down|^(diagonal|up), up&diagonal
		if right&last != 0 {
			distance++
		}
		if left&last != 0 {
			distance--
		}
		right = right<<1 | 1
		up, down = left<<1|^(diagonal|right), right&diagonal
	}
	return distance
}

// beyond is how many letters of one bag are not in another. A lane holds up to
// maxName, so its upper bit is free to catch what would be borrowed.
func beyond(a, b uint64) int {
	const upper, ones = 0x8080808080808080, 0x0101010101010101
	difference := (a | upper) - b
	more := (difference & upper) >> 7 * 0x7f // lanes where a has at least as many
	return int(difference & more * ones >> 56)
}

// traits are the words of a name as a set, a bit for each, and its letters as a
// bag, how many of each eighth of the alphabet in a lane of eight bits. Two
// words may share a bit.
func traits(name string) (words, bag uint64) {
	hash, start := uint32(0), 0
	for i := range len(name) {
		c := name[i]
		if upper(c) {
			c += 'a' - 'A'
		}
		bag += 1 << (c & 7 * 8)
		if c != '-' && c != '_' && c != '.' {
			hash = hash*31 + uint32(c)
			continue
		}
		if i-start > 1 {
			words |= 1 << (hash * 2654435769 >> 26)
		}
		hash, start = 0, i+1
	}
	if len(name)-start > 1 {
		words |= 1 << (hash * 2654435769 >> 26)
	}
	return words, bag
}
