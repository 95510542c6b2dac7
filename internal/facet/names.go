package facet

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"vitrine/internal/shop"
)

// names are the folded names of products, in the order of their ids. Copies share the cells;
// appending never overwrites those of another copy.
type names struct{ cells []named }

type named struct {
	product uint32
	name    string
	words   string // see wordsIn
	tags    string // see joined
}

// joined returns a text that contains joined of each tag alone; empty without tags.
func joined(tags ...string) string {
	if len(tags) == 0 {
		return ""
	}
	return tagEnd + strings.Join(tags, tagEnd) + tagEnd
}

const tagEnd = "\x00" // in no text of the database

// maxWordsBytes bounds the memory that the words of one product take, besides its name.
const maxWordsBytes = 200

// wordsIn returns the words of a text, folded, each with a space on both sides; empty if it has
// none.
func wordsIn(text string) string {
	words := strings.FieldsFunc(shop.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return ""
	}
	var b strings.Builder
	for _, w := range words {
		if b.Len()+len(w)+2 > maxWordsBytes {
			break
		}
		b.WriteString(" " + w)
	}
	return b.String() + " "
}

// without returns the names without some products; it has no capacity for appending in
// place.
func (n names) without(removed *set) names {
	if removed.IsEmpty() {
		return names{slices.Clip(n.cells)}
	}
	kept := make([]named, 0, len(n.cells)+8)
	for _, cell := range n.cells {
		if !removed.Contains(cell.product) {
			kept = append(kept, cell)
		}
	}
	return names{kept}
}

func (n names) sorted() names {
	byProduct := func(a, b named) int { return cmp.Compare(a.product, b.product) }
	if !slices.IsSortedFunc(n.cells, byProduct) {
		n.cells = slices.Clone(n.cells)
		slices.SortFunc(n.cells, byProduct)
	}
	return n
}

func (n named) id() uint32 { return n.product }

// first returns products of a set in the order of their names.
func (n names) first(of *set, offset, limit int, descending bool) []uint32 {
	return smallest(n.cells, of, offset, limit, descending, func(a, b named) int { return strings.Compare(a.name, b.name) })
}

func (n names) size() int {
	size := cap(n.cells) * 56
	for _, cell := range n.cells {
		size += len(cell.name) + len(cell.words) + len(cell.tags)
	}
	return size
}

// tagged returns the products that have a tag. It scans all tags, which takes less time than the
// database takes to read those products.
func (n names) tagged(tag string) *set {
	found := roaring.New()
	tag = joined(tag)
	for _, cell := range n.cells {
		if strings.Contains(cell.tags, tag) {
			found.Add(cell.product)
		}
	}
	return found
}

// Also lists where a word was found besides names: products of these sections and with these
// options match it.
type Also struct {
	Sections []uint32
	Facets   []Facet
}

// Named returns the products whose names contain all of some words, in any case. It scans
// all names, which takes some milliseconds for a shop of 50,000 products and any words; the
// database has an index only for long ones.
func (x *Index) Named(words []string) []uint32 { return x.Search(words, nil) }

// Search returns the products that have each of some words in their names, in the words of their
// brand, tags and texts, or where also found it, which has an entry for each word; nil searches
// only names. Besides names, a word of fewer than three letters must be a whole one, and a longer
// one the beginning of one.
func (x *Index) Search(words []string, also []Also) []uint32 {
	sought := make([]sought, len(words))
	for i, w := range words {
		sought[i].word = shop.Fold(w)
		if also != nil {
			sought[i].start, sought[i].elsewhere = wordStart(w), x.elsewhere(also[i])
		}
	}
	ids := []uint32{}
next:
	for _, cell := range x.names.cells {
		for i := range sought {
			if !sought[i].in(cell) {
				continue next
			}
		}
		ids = append(ids, cell.product)
	}
	return ids
}

// sought is a word that is searched.
type sought struct {
	word      string
	start     string // how it occurs among the words of a product; empty: not searched there
	elsewhere *set   // products that have it elsewhere; nil: none
}

func (s *sought) in(c named) bool {
	return strings.Contains(c.name, s.word) || s.start != "" && strings.Contains(c.words, s.start) ||
		s.elsewhere != nil && s.elsewhere.Contains(c.product)
}

// wholeWords is the length in letters below which only whole words match.
const wholeWords = 3

// wordStart returns the text that contains a word in the words of a product; empty for a word
// without letters.
func wordStart(word string) string {
	text := wordsIn(word)
	if utf8.RuneCountInString(word) >= wholeWords {
		text = strings.TrimSuffix(text, " ")
	}
	return text
}

// HasWord reports whether a text has a word as Search finds it besides names.
func HasWord(text, word string) bool {
	start := wordStart(word)
	return start != "" && strings.Contains(wordsIn(text), start)
}

func (x *Index) elsewhere(a Also) *set {
	found := union(a.Sections, func(id uint32) *set { return x.sections[id] })
	for _, f := range a.Facets {
		found.Or(x.facet(f))
	}
	if found.IsEmpty() {
		return nil
	}
	return found
}

// Near returns the products that have a word which begins like a mistyped one: with the same
// letter, and one other letter or two swapped ones before its third. It is for words so short that
// trigrams do not find similar ones.
func (x *Index) Near(word string) []uint32 {
	typed := []rune(shop.Fold(word))
	if len(typed) != wholeWords {
		return nil
	}
	ids := []uint32{}
	for _, cell := range x.names.cells {
		if nearIn(cell.name, typed) {
			ids = append(ids, cell.product)
		}
	}
	return ids
}

func nearIn(name string, typed []rune) bool {
	var start [wholeWords]rune
	n := 0
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			n = 0
			continue
		}
		if n < wholeWords {
			start[n] = r
		}
		if n++; n == wholeWords && start[0] == typed[0] &&
			(start[1] == typed[1] || start[2] == typed[2] || start[1] == typed[2] && start[2] == typed[1]) {
			return true
		}
	}
	return false
}

// Matching returns a page of the products in the order in which they match a query: some first
// ones, then those whose names begin with it, have a word that begins with it, contain it, contain
// each of its words, and then those that were found by something else; equal ones in the order of
// their ids.
func (s Selection) Matching(query string, first []uint32, offset, limit int) []uint32 {
	query = shop.Fold(query)
	words, inside, before := strings.Fields(query), " "+query, roaring.BitmapOf(first...)
	var groups [6][]uint32
	in := s.all.Iterator()
	for _, cell := range s.index.names.cells {
		in.AdvanceIfNeeded(cell.product)
		if !in.HasNext() {
			break
		}
		if in.PeekNext() != cell.product {
			continue
		}
		group := 5
		switch {
		case before.Contains(cell.product):
			group = 0
		case strings.HasPrefix(cell.name, query):
			group = 1
		case strings.Contains(cell.name, inside):
			group = 2
		case strings.Contains(cell.name, query):
			group = 3
		case !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(cell.name, w) }):
			group = 4
		}
		groups[group] = append(groups[group], cell.product)
	}
	sorted := slices.Concat(groups[:]...)
	return sorted[min(offset, len(sorted)):min(offset+limit, len(sorted))]
}
