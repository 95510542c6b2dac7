package feed

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// noon is the time of the renders in tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// small returns a shop whose texts try to break every format.
func small() *Catalogue {
	items := []Item{
		{Product: Product{ID: 1, Name: `Boots "North" <M> & 'L'`, Description: "Warm.\nDry ]]> -- ?>", URL: "https://a.test/boots?a=1&b=2", SKU: "=1+1", Price: 100, OldPrice: 150, Currency: "EUR", CategoryID: 10, CategoryName: "Shoes", CategoryPath: "Clothes > Shoes", Rating: 4.5, RatingCount: 3, Kind: "standard"}, Pictures: []string{"https://a.test/files/1.jpg", "https://a.test/files/2.jpg"}, Galleries: []Gallery{{Name: "Square", Pictures: []string{"https://a.test/files/sq.jpg"}}}},
		{Product: Product{ID: 2, Name: "Куртка", URL: "https://a.test/coat", Price: 200, Currency: "EUR", CategoryID: 11, CategoryName: "Coats", CategoryPath: "Clothes > Coats", Kind: "combo"}, Extra: []int64{10}},
		{Product: Product{ID: 3, Name: "Free", URL: "https://a.test/free", Currency: "EUR", CategoryID: 11, CategoryName: "Coats", CategoryPath: "Clothes > Coats", Kind: "multi"}},
	}
	return NewCatalogue(Contents{
		Shop:       Shop{Name: "Anna & Söhne", URL: "https://a.test", Currency: "EUR"},
		Items:      items,
		Categories: []Category{{ID: 9, Name: "Clothes", Slug: "clothes", URL: "https://a.test/clothes"}, {ID: 10, ParentID: 9, Name: "Shoes", Slug: "shoes", URL: "https://a.test/clothes/shoes"}, {ID: 11, ParentID: 9, Name: "Coats", Slug: "coats", URL: "https://a.test/clothes/coats"}},
		Sections:   []Section{{ID: 9, Slug: "clothes"}, {ID: 10, ParentID: 9, Slug: "shoes"}, {ID: 11, ParentID: 9, Slug: "coats"}, {ID: 12, Slug: "hidden"}},
		Links: Links{
			File:     known1("/ads.txt"),
			Category: known1("/clothes"),
			Product:  known1("/clothes/boots"),
		},
	})
}

// known1 resolves the id 1.
func known1(path string) func(int64) (string, bool) {
	return func(id int64) (string, bool) { return path, id == 1 }
}

// many returns a shop with n products of usual size, with Russian texts as in feeds of
// Yandex.
func many(n int) *Catalogue {
	items := make([]Item, n)
	for i := range items {
		items[i] = Item{Product: Product{
			ID: int64(i + 1), Name: fmt.Sprintf(`Куртка зимняя "Север" <%d> размер M & L`, i),
			Description: "Тёплая куртка для города: мембрана 10 000 мм, утеплитель 180 г/м², съёмный капюшон. Состав: полиэстер 100 %.",
			URL:         fmt.Sprintf("https://shop.example/p/item-%06d?utm_source=feed&utm_medium=cpc", i), SKU: fmt.Sprintf("SV-%06d", i),
			Price: int64(1990 + i), OldPrice: int64(2490 + i), Currency: "RUB", CategoryID: int64(100 + i%300), CategoryName: "Куртки", CategoryPath: "Одежда > Куртки", Rating: 4.5, RatingCount: 12, Kind: "standard",
		}, Pictures: []string{fmt.Sprintf("https://shop.example/files/%06d-1.jpg", i), fmt.Sprintf("https://shop.example/files/%06d-2.jpg", i)}}
	}
	var categories []Category
	var sections []Section
	for i := range 300 {
		categories = append(categories, Category{ID: int64(100 + i), Name: fmt.Sprintf("Куртки %d", i), Slug: fmt.Sprintf("c%d", i)})
		sections = append(sections, Section{ID: int64(100 + i), Slug: fmt.Sprintf("c%d", i)})
	}
	return NewCatalogue(
		Contents{Shop: Shop{Name: "Север", URL: "https://shop.example"}, Items: items, Categories: categories, Sections: sections},
	)
}

// render compiles and renders a body, and returns a problem of either.
func render(name, body string, c *Catalogue, o Options) (string, Result, *Problem) {
	t, problems := Compile(name, body)
	if problems != nil {
		return "", Result{}, &problems[0]
	}
	if o.Now.IsZero() {
		o.Now = noon
	}
	var b strings.Builder
	result, problem := t.Render(&b, c, o)
	return b.String(), result, problem
}

func must(t *testing.T, name, body string) string {
	t.Helper()
	out, _, problem := render(name, body, small(), Options{})
	if problem != nil {
		t.Fatalf("%s: %v", body, problem)
	}
	return out
}
