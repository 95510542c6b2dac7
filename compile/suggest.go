package compile

import (
	"math/bits"
	"strings"
	"vitrine/internal/shop"
)

// Suggestion is a live page that a visitor of a missing address may have meant.
type Suggestion struct {
	Target string        // canonical shop path
	Page   PageRef       // the page there
	Reason SuggestReason // why this one
}

// SuggestReason is why a page is suggested.
type SuggestReason string

// The reasons, most certain first.
const (
	SuggestJournal SuggestReason = "journal" // its slug is or was the last segment, ignoring case and an ending such as .php
	SuggestSimilar SuggestReason = "similar" // its slug is spelled like the last segment
	SuggestSection SuggestReason = "section" // the nearest live section on the way
)

// Values lists the reasons as texts.
func (SuggestReason) Values() []string {
	return shop.Texts([]SuggestReason{SuggestJournal, SuggestSimilar, SuggestSection})
}

// Suggest finds a page for an address of the 404 log. The result depends only on the Site and the
// path. It scans all slugs once, so it is meant for a page of the log, not for visitors.
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

// cutEnding removes a page file extension that other shop systems use.
func cutEnding(name string) string {
	for _, ending := range [...]string{".html", ".htm", ".php", ".aspx", ".asp", ".jsp"} {
		if cut, ok := strings.CutSuffix(name, ending); ok && cut != "" {
			return cut
		}
	}
	return name
}

// byJournal finds the live entity that has a slug or once had it.
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

// similar finds the live entity whose slug is most similar to a name: by edit distance, or by the
// words they share. Ties go to the first kind, then to the lowest id.
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

// likeness compares names with one fixed name.
type likeness struct {
	name       string
	at         [256]uint64 // bit set of the positions of each byte in name
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
	l.words, l.bag = wordsAndLetters(l.name)
	return l
}

// of returns the similarity of a slug in percent; 100 is equal. It may return 0 for a slug that
// is certainly below atLeast.
func (l *likeness) of(slug string, atLeast int) int {
	slug = slug[:min(len(slug), maxName)]
	n, m := len(l.name), len(slug)
	if n == 0 || 2*min(n, m) < max(n, m) {
		return 0
	}
	score := 0
	words, bag := wordsAndLetters(slug)
	if both := bits.OnesCount64(words & l.words); both > 1 {
		score = 95 * both / bits.OnesCount64(words|l.words)
	}
	longest := max(n, m)
	least := max(missingLetters(bag, l.bag), missingLetters(l.bag, bag)) // an edit changes each by one letter at most
	if 100*least <= (100-atLeast)*longest {
		score = max(score, 100-100*l.distance(slug)/longest)
	}
	return score
}

// distance is the Levenshtein distance (Myers' bit vectors: one step for each letter of the slug,
// where a library such as agnivade/levenshtein takes one for each pair of letters, four times as
// long).
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

// missingLetters counts the letters of one bag that are missing in another. A lane counts up to
// maxName, so its upper bit is free to catch the borrow.
func missingLetters(a, b uint64) int {
	const upper, ones = 0x8080808080808080, 0x0101010101010101
	difference := (a | upper) - b
	more := (difference & upper) >> 7 * 0x7f // lanes where a has at least as many
	return int(difference & more * ones >> 56)
}

// wordsAndLetters returns the words of a name as a bit set and its letters as a bag: counts per
// eighth of the alphabet in lanes of eight bits. Two words may share a bit.
func wordsAndLetters(name string) (words, bag uint64) {
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
