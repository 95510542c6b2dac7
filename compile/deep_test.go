package compile

import (
	"runtime"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// nested is a shop with the given number of nested sections and slugs of the given length.
func nested(levels, slug int) Input {
	in := Input{Shop: Shop{ID: 7, Slug: "tea", Origin: "http://tea.test", Hosts: []string{"tea.test"}}}
	for n := range levels {
		in.Categories = append(in.Categories, Category{
			ID: shop.CategoryID(n + 1), Parent: shop.CategoryID(n), Slug: strings.Repeat("s", slug), Type: TypeProduct, Published: true})
	}
	return in
}

// Sections nested deeper than may be created today still resolve, down to the longest address
// that a visitor can send.
func TestDeepSectionsResolve(t *testing.T) {
	s := New(nested(60, 200))
	deepest := s.Path(40)
	if want := strings.Repeat("/"+strings.Repeat("s", 200), 40); deepest != want {
		t.Fatalf("level 40 is at %d bytes", len(deepest))
	}
	var w Walk
	if d := s.Resolve(&w, "tea.test", deepest); d.Kind != Page || d.Page != (PageRef{EntityCategory, 40}) {
		t.Errorf("level 40: %+v", d)
	}
	if at := s.Path(41); at != "" || s.Live(41) || s.URL(PageRef{EntityCategory, 41}) != "" {
		t.Errorf("level 41 has an address too long to be requested: %d bytes", len(at))
	}
	if c, ok := s.Category(60); !ok || c.ID != 60 {
		t.Error("a section without an address is lost")
	}
}

// Two thousand levels of long slugs once took 2.4 GB.
func TestDeepTreeMemoryIsBoundedByItsAddresses(t *testing.T) {
	in := nested(2000, 200)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := New(in)
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 32 {
		t.Errorf("%d MB for %d sections", taken, len(s.Categories()))
	}
}
