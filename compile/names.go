package compile

import "hash/maphash"

// names is a filter of the last segments that may name anything in a shop: the current and former
// slugs of categories, products and articles. Most missing addresses and most old ones end in a
// name that nothing has, so one lookup here saves a dozen in the maps behind it. It has false
// positives only: removed names, and about one in fifty names that never existed.
type names struct {
	seed  maphash.Seed
	bits  []uint64 // a power of two of words; each name sets two bits in one of them
	count int
}

// nameBits is the number of filter bits per name.
const nameBits = 16

func newNames(size int) names {
	words := 8
	for words*64 < size*nameBits {
		words *= 2
	}
	return names{seed: maphash.MakeSeed(), bits: make([]uint64, words)}
}

// isFull reports whether this many more names require a larger filter.
func (n *names) isFull(more int) bool { return (n.count+more)*nameBits > 2*64*len(n.bits) }

func (n *names) add(name string) {
	if name == "" {
		return
	}
	word, bits := n.place(name)
	n.bits[word] |= bits
	n.count++
}

// has reports whether a name may be in use.
func (n *names) has(name string) bool {
	word, bits := n.place(name)
	return n.bits[word]&bits == bits
}

func (n *names) place(name string) (word int, bits uint64) {
	h := maphash.String(n.seed, name)
	return int(h & uint64(len(n.bits)-1)), 1<<(h>>52&63) | 1<<(h>>58)
}

// buildNames builds the filter of a Site from scratch.
func (s *Site) buildNames() {
	s.names = newNames(s.products.byID.size + s.articles.byID.size + len(s.journal) + len(s.tree.nodes))
	for _, e := range [...]entries{s.products, s.articles} {
		for slug := range e.bySlug.all() {
			s.names.add(slug)
		}
	}
	s.addTreeNames()
}

// addTreeNames adds the slugs of categories and of the journal.
func (s *Site) addTreeNames() {
	for slug := range s.tree.slugs {
		s.names.add(slug)
	}
	for slug := range s.journal {
		s.names.add(slug)
	}
}

// updateNames updates the filter of a Site made by With.
func (s *Site) updateNames(d Delta) {
	more := len(d.Products) + len(d.Articles)
	if d.Categories != nil || d.Journal != nil {
		more += len(s.tree.slugs) + len(s.journal)
	}
	switch {
	case more == 0:
		return
	case s.names.isFull(more):
		s.buildNames()
		return
	}
	s.names.bits = append([]uint64(nil), s.names.bits...)
	for _, p := range d.Products {
		s.names.add(p.Slug)
	}
	for _, a := range d.Articles {
		s.names.add(a.Slug)
	}
	if d.Categories != nil || d.Journal != nil {
		s.addTreeNames()
	}
}
