package compile

import (
	"unsafe"

	"vitrine/internal/weight"
)

// Weight returns an estimate of the bytes of the Site. It costs nothing.
func (s *Site) Weight() int64 {
	return s.fixed + s.products.weight() + s.articles.weight() + int64(len(s.names.bits)*8)
}

// weigh measures what is small or changes rarely.
func (s *Site) weigh() {
	rest := *s
	rest.products, rest.articles, rest.names = entries{}, entries{}, names{}
	s.fixed = weight.Of(&rest)
}

// onlyPages reports whether a change leaves alone what weigh measures.
func (d Delta) onlyPages() bool {
	return d.Shop == nil && d.Categories == nil && d.Journal == nil && d.Rules == nil && d.Files == nil && d.Folders == nil &&
		d.Offers == nil && d.Ahead == nil && d.Policies == nil && len(d.Products) < manyPages
}

// manyPages may change sets of products that count.
const manyPages = 100

// averageSlug is the length of an average slug, in bytes.
const averageSlug = 32

func (e entries) weight() int64 {
	return e.byID.weight() + e.bySlug.weight() + int64(e.byID.size)*averageSlug
}

func (s shards[K, V]) weight() int64 {
	if len(s.parts) == 0 {
		return 0
	}
	var key K
	var value V
	each := weight.Map(s.size/len(s.parts), unsafe.Sizeof(key)+unsafe.Sizeof(value))
	return int64(len(s.parts)) * (each + int64(unsafe.Sizeof(s.parts[0])))
}
