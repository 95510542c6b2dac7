package compile

import "testing"

// A preview shows one hidden page at its address by id, with the sections above it, and no other
// unpublished one.
func TestRevealShowsOneHiddenPage(t *testing.T) {
	site := New(demo())
	hidden := map[string]PageRef{
		"/product/12": {EntityProduct, 12}, "/product/13": {EntityProduct, 13},
		"/article/21": {EntityArticle, 21}, "/article/23": {EntityArticle, 23},
		"/category/4": {EntityCategory, 4}, "/category/5": {EntityCategory, 5},
	}
	for path, want := range hidden {
		revealed, d, ok := site.Reveal(path)
		ref := d.Page
		if !ok || ref != want || !revealed.Reveals(ref) || revealed.URL(ref) == "" {
			t.Errorf("%s reveals %v %t", path, ref, ok)
			continue
		}
		if revealed.URL(PageRef{EntityProduct, 13}) != "" && want != (PageRef{EntityProduct, 13}) || revealed.URL(PageRef{EntityArticle, 23}) != "" && want != (PageRef{EntityArticle, 23}) {
			t.Errorf("%s also shows another page", path)
		}
		if site.URL(ref) != "" || site.Reveals(ref) {
			t.Errorf("%s changed the shop itself", path)
		}
	}
	for _, path := range []string{"", "/", "/product", "/product/", "/product/11", "/product/14", "/product/99", "/product/13/", "/product/013", "/product/x", "/article/22", "/category/2", "/category/99", "/page/13", "/product/99999999999", "/product/-13"} {
		if _, d, ok := site.Reveal(path); ok {
			t.Errorf("%q reveals %v", path, d.Page)
		}
	}
}
