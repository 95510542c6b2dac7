package source_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"vitrine/compile"
	"vitrine/compile/design"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	policydb "vitrine/internal/store/policy"
	"vitrine/render"
)

// searchShop is a shop whose products differ in everything that lists filter and sort by.
type searchShop struct {
	*testShop
	section shop.CategoryID
	colour  catalog.AttributeID
	ids     map[string]shop.ProductID
}

func newSearchShop(t *testing.T) *searchShop {
	s := &searchShop{testShop: newTestShop(t), ids: map[string]shop.ProductID{}}
	s.section = s.category("goods", 0, "product")
	shut := s.category("secret tea", 0, "product")
	news := s.category("news", 0, "news")
	s.article("tea of spring", news)
	colour := catalog.Attribute{Name: "Colour", Kind: catalog.AttributeOption, Filterable: true, Options: []catalog.Option{{Value: "red", Label: "Red"}, {Value: "blue", Label: "Blue"}}}
	s.write(func(ctx context.Context, tx *store.Tx) error { return catalog.InsertAttribute(ctx, tx, &colour) })
	var err error
	s.write(func(ctx context.Context, tx *store.Tx) error {
		colour, err = catalog.LockAttribute(ctx, tx, colour.ID)
		return err
	})
	s.colour = colour.ID
	for i, p := range []catalog.Product{
		{Name: "Green tea pot", Price: 30, OldPrice: 40, SKU: "TP-1"}, {Name: "Teapot of tea", Price: 10}, {Name: "Porcelain cup", Price: 20},
		{Name: "Tea, hidden", Price: 1, CatalogHidden: "true"}, {Name: "Tea, a draft", Price: 1}, {Name: "Tea behind a password", Price: 1, Category: shut},
	} {
		p.Kind, p.Tags, p.SEO.Slug = "standard", []string{}, fmt.Sprint("p", i)
		if p.Category == 0 {
			p.Category = s.section
		}
		p.IsPublished = !strings.Contains(p.Name, "draft")
		if i < 3 {
			p.Attributes = []catalog.ProductAttribute{{Attribute: colour.ID, Options: []catalog.OptionID{colour.Options[i%2].ID}}}
		}
		s.write(func(ctx context.Context, tx *store.Tx) error { return catalog.InsertProduct(ctx, tx, &p, true, 0) })
		s.ids[p.Name] = p.ID
	}
	s.write(func(ctx context.Context, tx *store.Tx) error {
		_, err := policydb.Save(ctx, tx, policydb.Policy{Name: "x", Kind: shop.ByPassword, Groups: []shop.CustomerGroupID{}, Resources: []policydb.Resource{{Type: "category", ID: int32(shut)}}})
		return err
	})
	return s
}

func (s *searchShop) setStock(name string, n int) {
	s.Helper()
	quantity := &n
	s.write(func(ctx context.Context, tx *store.Tx) error {
		_, err := catalog.SetStock(ctx, tx, catalog.StockItem{Product: s.ids[name]}, catalog.StockEdit{Quantity: &quantity})
		return err
	})
}

// find returns the names that a page shows, and its counts.
func (s *searchShop) find(want render.PageRequest) (names, counts string, page render.Page) {
	s.Helper()
	site, _ := s.site()
	c, err := s.source.Content(context.Background(), site, want)
	if err != nil {
		s.Fatalf("%+v: %v", want, err)
	}
	var cards []render.ProductCard
	var finder *render.Finder
	switch p := c.Page.(type) {
	case *render.Listing:
		cards, finder = p.Products, p.Finder
	case *render.SearchPage:
		cards, finder = p.Products, p.Finder
	case *render.Suggestions:
		cards = p.Products
	}
	var list []string
	for _, card := range cards {
		list = append(list, card.Name)
	}
	if finder != nil {
		counts = fmt.Sprintf("%d stock %d reduced %d prices %d-%d", finder.Total, finder.InStock, finder.Reduced, finder.Low, finder.High)
		for _, f := range finder.Facets {
			for _, o := range f.Options {
				counts += fmt.Sprintf(" %s %d", o.Value, o.Count)
			}
		}
	}
	return strings.Join(list, "; "), counts, c.Page
}

func (s *searchShop) narrowed(query string) render.PageRequest {
	query = strings.ReplaceAll(query, "colour", fmt.Sprint("a", s.colour))
	return render.PageRequest{Page: compile.PageRef{Entity: compile.EntityCategory, ID: int64(s.section)}, Number: 1, Narrow: render.ReadNarrowing(query)}
}

func TestSectionsAreFilteredAndSorted(t *testing.T) {
	t.Parallel()
	s := newSearchShop(t)
	s.setStock("Teapot of tea", 0)
	const all = "3 stock 2 reduced 1 prices 10-30 red 2 blue 1"
	for _, c := range []struct{ query, names, counts string }{
		{"", "Green tea pot; Teapot of tea; Porcelain cup", all},
		{"sort=price", "Teapot of tea; Porcelain cup; Green tea pot", all},
		{"sort=-price", "Green tea pot; Porcelain cup; Teapot of tea", all},
		{"sort=new", "Porcelain cup; Teapot of tea; Green tea pot", all},
		{"sort=name", "Green tea pot; Porcelain cup; Teapot of tea", all},
		{"colour=red", "Green tea pot; Porcelain cup", "2 stock 2 reduced 1 prices 20-30 red 2 blue 1"},
		{"colour=red&colour=blue", "Green tea pot; Teapot of tea; Porcelain cup", all},
		{"in_stock=1", "Green tea pot; Porcelain cup", "2 stock 2 reduced 1 prices 20-30"},
		{"reduced=1", "Green tea pot", "1 stock 1 reduced 1 prices 30-30"},
		{"min_price=15&max_price=25", "Porcelain cup", "1 stock 1 reduced 0 prices 10-30"},
		{"colour=blue&in_stock=1", "", "0 stock 0 reduced 0 prices 0-0 red 2 blue 0"},
		{"colour=green", "", "0 stock 0 reduced 0 prices 0-0 red 2 blue 1"},
		{"min_price=25&max_price=15", "", "0 stock 0 reduced 0 prices 10-30"},
	} {
		names, counts, page := s.find(s.narrowed(c.query))
		if names != c.names || counts != c.counts {
			t.Errorf("%s: %s (%s), want %s (%s)", c.query, names, counts, c.names, c.counts)
		}
		f := render.FrameOf(page)
		if once := strings.Contains(c.query, "price=") && c.query != "sort=price" && c.query != "sort=-price" || strings.Contains(c.query, "green"); f.Once != once {
			t.Errorf("%s: not cached %t", c.query, f.Once)
		}
	}
	s.setStock("Teapot of tea", 4)
	if names, _, _ := s.find(s.narrowed("in_stock=1")); names != "Green tea pot; Teapot of tea; Porcelain cup" {
		t.Errorf("back in stock: %s", names)
	}
}

func TestSearchFindsOnlyVisibleThings(t *testing.T) {
	t.Parallel()
	s := newSearchShop(t)
	find := func(kind render.PageRequestKind, words string) (string, render.Page) {
		names, _, page := s.find(render.PageRequest{Kind: kind, Search: words, Number: 1})
		return names, page
	}
	for words, want := range map[string]string{
		"tea": "Teapot of tea; Green tea pot", "TEA green": "Green tea pot", "TP-1": "Green tea pot", "porcelian": "Porcelain cup", "password": "", "draft": "",
		"hidden": "", "🍵": "", "%": "", "_": "", `\`: "", "'": "", "tea:* & !|()": "", "a": "Teapot of tea; Green tea pot; Porcelain cup",
		"": "Porcelain cup; Teapot of tea; Green tea pot", strings.Repeat("tea ", 25): "Green tea pot; Teapot of tea",
	} {
		names, page := find(render.WantSearch, words)
		if words == "a" || words == strings.Repeat("tea ", 25) {
			names = sorted(names)
			want = sorted(want)
		}
		if p := page.(*render.SearchPage); names != want && !p.Similar {
			t.Errorf("%.20q found %s, want %s", words, names, want)
		} else if p.Similar && words != "porcelian" && !strings.HasPrefix(words, "tea:") {
			t.Errorf("%q matched the similar %s", words, names)
		}
		if names, _ := find(render.WantSuggest, words); words == "tea" && names != want {
			t.Errorf("%q suggests %s", words, names)
		}
	}
	_, page := find(render.WantSearch, "tea")
	if p := page.(*render.SearchPage); len(p.Articles) != 1 || len(p.Sections) != 0 || render.FrameOf(p).Nothing {
		t.Errorf("beside tea: %v %v", p.Articles, p.Sections)
	}
	_, page = find(render.WantSearch, "porcelian")
	if p := page.(*render.SearchPage); p.Meant != "porcelain" || !p.Similar || render.FrameOf(p).Nothing {
		t.Errorf("mistyped: %q", p.Meant)
	}
	_, page = find(render.WantSearch, "xqzzyqx")
	if p := page.(*render.SearchPage); !p.Nothing || len(p.Suggested) == 0 || len(p.Sections) != 2 || !render.FrameOf(p).Nothing {
		t.Errorf("nothing: %+v", p)
	}
	_, page = find(render.WantSuggest, "secret")
	if p := page.(*render.Suggestions); len(p.Sections)+len(p.Products)+len(p.Articles) > 0 {
		t.Errorf("a closed section is suggested: %+v", p)
	}
}

func sorted(names string) string {
	list := strings.Split(names, "; ")
	for i := range list {
		for j := range i {
			if list[i] < list[j] {
				list[i], list[j] = list[j], list[i]
			}
		}
	}
	return strings.Join(list, "; ")
}

// The listing of a section's template applies the filter and page of the address, with its
// own page size; with its filter off it ignores them.
func TestTheListingOfATemplateUsesTheAddress(t *testing.T) {
	t.Parallel()
	s := newSearchShop(t)
	rendered := func(props string, number int) (string, *render.Finder, render.Paging, error) {
		listing := s.block("", "productListing", props)
		group := s.block("category", "group", fmt.Sprintf(`{"widgets":[%d]}`, listing))
		s.bind(design.Category, int64(s.section), map[string]shop.BlockID{"body": group})
		site, _ := s.site()
		want := s.narrowed("sort=price")
		want.Number = number
		c, err := s.source.Content(context.Background(), site, want)
		if err != nil {
			return "", nil, render.Paging{}, err
		}
		for _, b := range render.FrameOf(c.Page).Layout.Body {
			for _, b := range append(b.Group, b) {
				if b.Kind == render.BlockProductListing {
					var names []string
					for _, card := range b.Products.Products {
						names = append(names, card.Name)
					}
					return strings.Join(names, "; "), b.Products.Finder, b.Products.Paging, nil
				}
			}
		}
		t.Fatalf("no listing: %+v", render.FrameOf(c.Page).Layout)
		return "", nil, render.Paging{}, nil
	}
	names, finder, paging, err := rendered(`{"listing":{"limit":2}}`, 2)
	if err != nil || names != "Green tea pot" || finder == nil || paging.Current != 2 || paging.Pages != 2 || paging.Narrow != "sort=price" {
		t.Errorf("%s %+v %+v %v", names, finder, paging, err)
	}
	if _, _, _, err := rendered(`{"listing":{"limit":2}}`, 3); err != shop.ErrNotFound {
		t.Errorf("a page that does not exist: %v", err)
	}
	names, finder, paging, err = rendered(`{"listing":{"limit":2,"showFilter":false}}`, 1)
	if err != nil || names != "Green tea pot; Teapot of tea" || finder != nil || paging.Pages != 0 {
		t.Errorf("without the filter: %s %+v %+v %v", names, finder, paging, err)
	}
}

// A listing of the whole shop shows the newest products first; one of a section keeps its
// order.
func TestAListingOfTheShopIsNewestFirst(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	tea := h.category("tea", 0, "product")
	for _, name := range []string{"first", "second", "third"} {
		h.product(name, tea)
	}
	for props, want := range map[string]string{
		`{"listing":{"source":"shop","limit":2,"showFilter":false}}`: "third second", `{"listing":{"source":"shop"}}`: "third second first",
		`{"listing":{"showFilter":false}}`: "first second third", `{"listing":{}}`: "first second third",
	} {
		listing := h.block("", "productListing", props)
		h.bind("category", int64(tea), map[string]shop.BlockID{"body": h.block("category", "group", fmt.Sprintf(`{"widgets":[%d]}`, listing))})
		site, _ := h.site()
		c, err := h.page(site, compile.EntityCategory, int64(tea), 1)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range render.FrameOf(c.Page).Layout.Body {
			for _, inner := range append(b.Group, b) {
				for _, card := range inner.Products.Products {
					got = append(got, strings.TrimPrefix(card.Name, "The "))
				}
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s lists %q, want %q", props, got, want)
		}
	}
}

// A product counted by variant is in stock while one of its active variants can be bought, and
// its card is sold out otherwise.
func TestSectionsFindProductsByTheStockOfTheirVariants(t *testing.T) {
	t.Parallel()
	s := newSearchShop(t)
	pot := s.ids["Green tea pot"]
	edit := func(set func(list []catalog.Variant) []catalog.Variant) {
		s.write(func(ctx context.Context, tx *store.Tx) error {
			list, err := catalog.Variants(ctx, tx.Reader, pot)
			if err == nil {
				err = catalog.SetVariants(ctx, tx, pot, set(list))
			}
			return err
		})
	}
	one, none := 1, 0
	s.write(func(ctx context.Context, tx *store.Tx) error {
		old, err := catalog.LockProduct(ctx, tx, pot)
		if err != nil {
			return err
		}
		counted := old
		counted.StockBy = shop.StockByVariant
		return catalog.UpdateProduct(ctx, tx, old, counted)
	})
	found := func(step string, want bool) {
		t.Helper()
		names, _, _ := s.find(s.narrowed("in_stock=1&colour=red"))
		if got := strings.Contains(names, "Green tea pot"); got != want {
			t.Errorf("%s: found %v, want %v", step, got, want)
		}
		_, _, page := s.find(s.narrowed("colour=red"))
		for _, card := range page.(*render.Listing).Products {
			if card.ID == pot && card.Stock.SoldOut() == want {
				t.Errorf("%s: the card is sold out %v", step, !want)
			}
		}
	}
	found("without variants", false)
	edit(func([]catalog.Variant) []catalog.Variant {
		return []catalog.Variant{{Title: "S", IsActive: true, Stock: &none, Options: map[string]string{}}, {Title: "M", IsActive: true, Stock: &one, Options: map[string]string{}}}
	})
	found("one left", true)
	var sizes []catalog.Variant
	s.write(func(ctx context.Context, tx *store.Tx) (err error) {
		sizes, err = catalog.Variants(ctx, tx.Reader, pot)
		return err
	})
	for _, step := range []struct {
		name     string
		set      int
		quantity *int
		want     bool
	}{{"none left", 1, &none, false}, {"one is not tracked", 0, nil, true}} {
		s.write(func(ctx context.Context, tx *store.Tx) error {
			_, err := catalog.SetStock(ctx, tx, catalog.StockItem{Product: pot, Variant: sizes[step.set].ID}, catalog.StockEdit{Quantity: &step.quantity})
			return err
		})
		found(step.name, step.want)
	}
	edit(func(list []catalog.Variant) []catalog.Variant {
		list[0].IsActive = false
		return list
	})
	found("that one is not active", false)
}

// The search of the storefront reads ё as е, and finds products by their brand, tags, sections and
// attributes too, after those whose names match.
func TestSearchLooksBesideNames(t *testing.T) {
	t.Parallel()
	s := newSearchShop(t)
	for _, p := range []catalog.Product{
		{Name: "Ёлочная игрушка", Facts: shop.Facts{Brand: "Зелёный дом"}, Tags: []string{"новый-год"}}, {Name: "Подарок", Tags: []string{"ёлка"}}, {Name: "Porcelain brandmark", Facts: shop.Facts{Brand: "Acme"}},
	} {
		p.Kind, p.Category, p.IsPublished = "standard", s.section, true
		if p.Tags == nil {
			p.Tags = []string{}
		}
		s.write(func(ctx context.Context, tx *store.Tx) error { return catalog.InsertProduct(ctx, tx, &p, false, 0) })
	}
	for words, want := range map[string]string{
		"елочная": "Ёлочная игрушка", "ЁЛОЧНАЯ": "Ёлочная игрушка", "елка": "Подарок", "зеленый": "Ёлочная игрушка", "год": "Ёлочная игрушка",
		"acme porcelain": "Porcelain brandmark", "red": "Green tea pot; Porcelain cup", "red tea": "Green tea pot", "rcelain": "Porcelain cup; Porcelain brandmark", "cme": "",
		"goods cup": "Porcelain cup", "secret": "", "пдо": "Подарок", "ело": "Ёлочная игрушка",
	} {
		names, _, page := s.find(render.PageRequest{Kind: render.WantSearch, Search: words, Number: 1})
		if similar := page.(*render.SearchPage).Similar; names != want && (want != "" || !similar) {
			t.Errorf("%s found %s, want %s", words, names, want)
		}
		if names, _, _ := s.find(render.PageRequest{Kind: render.WantSuggest, Search: words}); want != "" && names != want {
			t.Errorf("%s suggests %s, want %s", words, names, want)
		}
	}
	if _, _, page := s.find(render.PageRequest{Kind: render.WantSearch, Search: "tea red", Number: 1}); page.(*render.SearchPage).Total != 1 {
		t.Errorf("%d products", page.(*render.SearchPage).Total)
	}
}
