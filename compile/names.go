package compile

import "hash/maphash"

// names tells which last segments may name anything in a shop: a category, a
// product, an article, or what any of them was called before. Most missing
// addresses and most old ones end in a name that nothing has, so one look here
// spares a dozen in the maps behind. It errs to one side only: a name that is
// gone, and one in fifty that never was, are looked for in vain.
type names struct {
	seed  maphash.Seed
	bits  []uint64 // a power of two of words; a name has two bits in one of them
	count int
}

// nameBits is how many bits a name gets.
const nameBits = 16

func newNames(size int) names {
	words := 8
	for words*64 < size*nameBits {
		words *= 2
	}
	return names{seed: maphash.MakeSeed(), bits: make([]uint64, words)}
}

// full reports whether so many more names ask for a larger filter.
func (n *names) full(more int) bool { return (n.count+more)*nameBits > 2*64*len(n.bits) }

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

// nameAll builds the filter of a Site from the beginning.
func (s *Site) nameAll() {
	s.names = newNames(s.products.byID.size + s.articles.byID.size + len(s.journal) + len(s.tree.nodes))
	for _, e := range [...]entries{s.products, s.articles} {
		for slug := range e.bySlug.all() {
			s.names.add(slug)
		}
	}
	s.nameTree()
}

// nameTree adds the slugs of categories and of the journal.
func (s *Site) nameTree() {
	for slug := range s.tree.slugs {
		s.names.add(slug)
	}
	for slug := range s.journal {
		s.names.add(slug)
	}
}

// rename is the filter of a Site that was made from another by a change.
func (s *Site) rename(d Delta) {
	more := len(d.Products) + len(d.Articles)
	if d.Categories != nil || d.Journal != nil {
		more += len(s.tree.slugs) + len(s.journal)
	}
	switch {
	case more == 0:
		return
	case s.names.full(more):
		s.nameAll()
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
		s.nameTree()
	}
}
