package render

import (
	"bytes"
	"testing"
	"time"

	"vitrine/internal/shop"

	"github.com/PuerkitoBio/goquery"
)

// fixture has a page of every kind, each with all its content.
func fixture() map[string]Page {
	frame := func(path string) Frame {
		return Frame{
			Shop: Shop{Name: "Clay & Linen", Currency: "EUR", Origin: "https://shop.example"},
			Path: path, Canonical: "https://shop.example" + path,
			SEO: SEO{Keywords: []string{"clay", "linen"}},
			Menu: []MenuItem{
				{Name: "Cups", Path: "/cups", Current: path == "/cups", Children: []MenuItem{{Name: "Small", Path: "/cups/small"}}},
				{Name: "News", Path: "/news"},
			},
			Crumbs: []Crumb{{Name: "Cups", Path: "/cups"}, {Name: "Here"}},
		}
	}
	picture := Image{Path: "/files/a/cup.webp", Alt: "A cup", Width: 1600, Height: 2000}
	free := int64(90)
	cards := []ProductCard{
		{ID: 1, Name: "Cup", Path: "/cups/cup", Image: picture, Price: 30, OldPrice: 40, Rating: Rating{Stars: 4.5, Count: 2}},
		{ID: 2, Name: "Jug", Path: "/cups/jug", Price: 25, Stock: Stock{Tracked: true}},
		{ID: 3, Name: "Lamp", Path: "/cups/lamp"},
	}
	sections := []CategoryCard{{Name: "Small", Path: "/cups/small", Image: picture, Count: 2}, {Name: "Large", Path: "/cups/large"}}
	notes := []ArticleCard{{
		ID: 7, Title: "Glazes", Path: "/news/glazes", Announce: "How they get their colour", Cover: picture, Badge: "New",
		Rubric: Crumb{Name: "News", Path: "/news"}, Published: time.Date(2026, 11, 3, 23, 0, 0, 0, time.UTC),
	}, {ID: 8, Title: "Flax", Path: "/news/flax", Badge: "Hidden"}}
	about := Category{Name: "Cups", Description: "For every day.\n\nAnd for feasts.", Image: picture}
	return map[string]Page{
		"home": &Home{frame("/"), Category{Name: "Quiet things", Description: "Made by hand", Image: picture}, sections,
			ProductGrid{Products: cards, More: Crumb{"All of it", "/all"}}, ArticleGrid{Articles: notes}},
		"listing": &Listing{frame("/cups"), about, sections, cards, 26, Paging{Current: 2, Pages: 3}, someFinder()},
		"search":  &SearchPage{Frame: frame("/search"), Words: "cup", Products: cards, Total: 26, Paging: Paging{Current: 1, Pages: 2, Search: "cup"}, Finder: someFinder(), Similar: true, Meant: "cups", Sections: sections, Articles: notes},
		"lost":    &SearchPage{Frame: frame("/search"), Words: "<x>", Nothing: true, Paging: Paging{Current: 1}, Sections: sections, Suggested: cards},
		"rubric":  &Rubric{frame("/news"), about, sections, notes, Paging{Current: 1, Pages: 2}},
		"product": &ProductPage{frame("/cups/cup"), Product{
			ProductCard: reduced(cards[0]), SKU: "C-1", Description: "Thrown by hand.\n\nDishwasher safe.",
			Gallery: []Image{picture, {Path: "/files/a/top.webp", Alt: "From above"}}, Levels: []PriceLevel{{3, 12}},
			Attributes: []Attribute{{"Material", "Stoneware"}},
		}, Remarks{
			Product: 1, TakesReviews: true, TakesQuestions: true, Stars: [5]int{0, 0, 0, 1, 1}, ReviewPages: 2,
			Reviews:   []Remark{{ID: 7, Author: "Ann", Rating: 5, Helpful: 3, Photos: []Image{{Path: "/files/reviews/a.webp", Alt: "Cup"}}, Text: "It is light.\n\nAnd blue.", Pros: "The glaze", Cons: "None", Verified: true, Answer: "Thank you", Written: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}, {ID: 8, Rating: 4, Written: time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC)}},
			Questions: []Remark{{Author: "Ben", Text: "How large?", Answer: "A quarter of a litre."}},
		}, cards, Terms{}},
		"choices": &ProductPage{frame("/cups/mug"), Product{
			ProductCard: ProductCard{ID: 4, Name: "Mug", Path: "/cups/mug", Price: 12},
			Variants:    []Variant{{ID: 5, Name: "Blue, small", Price: 12, At: []int{0, 0}}, {ID: 6, Name: "Red, small", Price: 14, At: []int{1, 0}}, {ID: 7, Name: "Red, large", Price: 16, At: []int{1, 1}}},
			Options: []Option{
				{"Colour", []OptionValue{{Name: "Blue", Swatch: "#0000aa"}, {Name: "Red", Swatch: "#aa0000"}}},
				{"Size", []OptionValue{{Name: "small"}, {Name: "large"}}},
			},
			Groups: []Siblings{{"Other glazes", []Sibling{{"Cup", "/cups/cup", picture, true}, {"White cup", "/cups/white", Image{}, false}}}},
		}, Remarks{}, nil, Terms{[]DeliveryOption{{Name: "Courier", Description: "In two days", Price: 5, FreeFrom: &free}, {Name: "Pick up"}}, "Sent on weekdays.", "Within a month."}},
		"article": &ArticlePage{frame("/news/glazes"), signed(notes[0], Author{"Ines", "Potter", picture}), notes},
		"text":    &TextPage{frame("/about"), about, sections},
		"missing": &NotFoundPage{frame("/nowhere"), cards},
		"pin":     &PinPage{Frame: frame("/"), Action: "/enter", Next: "/cups", Wrong: true},
		"closed": &ClosedPage{Frame: frame("/"), Title: "For our trade partners", Text: "Ask Ann.\n\nShe knows <all>.", Action: "/enter", Next: "/cups",
			Password: true, SignIn: "/account?next=%2Fcups", Wrong: true},
		"form": &FormPage{Frame: frame("/_vitrine/form/3"), From: "/cups?utm_source=mail", Form: everyField()},
		"review": &RemarkPage{Frame: frame("/_vitrine/review/1"), Product: Crumb{"Cup", "/cups/cup"}, Remarks: Remarks{Product: 1, TakesReviews: true}, Before: true,
			Typed: RemarkInput{Author: "Ann", Text: "<b>", Rating: 3, Photos: []RemarkPhoto{{"00000000-0000-4000-8000-000000000000", ""}}}, Trouble: FormError{"FILE_TOO_LARGE", RemarkPhotos}},
		"asked":   &RemarkPage{Frame: frame("/_vitrine/question/1"), Product: Crumb{"Cup", "/cups/cup"}, Question: true, Sent: true},
		"cart":    &ZonePage{Frame: frame("/cart"), Zone: shop.ZoneCart},
		"account": &ZonePage{Frame: frame("/account"), Zone: shop.ZoneAccount},
	}
}

func signed(card ArticleCard, author Author) Article {
	card.Author = author
	return Article{ArticleCard: card, Gallery: []Image{card.Cover, card.Cover}}
}

// bytesOf prints a page.
func bytesOf(t testing.TB, p Page) []byte {
	t.Helper()
	out, err := Append(nil, p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// draw prints a page and parses it.
func draw(t testing.TB, p Page) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(bytesOf(t, p)))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// want compares the values at selectors: "sel" is the trimmed text of the first match,
// "sel@attr" an attribute of it, "sel#" the number of matches.
func want(t *testing.T, doc *goquery.Document, expect map[string]string) {
	t.Helper()
	for place, value := range expect {
		if got := at(doc, place); got != value {
			t.Errorf("%s is %q, not %q", place, got, value)
		}
	}
}

func reduced(c ProductCard) ProductCard {
	c.Promotion = "Third cup free"
	return c
}

func someFinder() *Finder {
	return &Finder{
		Path: "/cups", Low: 10, High: 90, InStock: 20, Reduced: 3, Total: 26, Ordered: true,
		Choices: Choices{MinPrice: "12", Picks: []Pick{{Attribute: 5, Values: []string{"blue"}}, {Attribute: 6, Max: "4.5"}}},
		Facets: []Facet{
			{Pick: Pick{Attribute: 5, Values: []string{"blue"}}, Label: "Colour", Options: []FacetOption{{"blue", "Blue <b>", 4, true}, {"red", "Red", 9, false}}},
			{Pick: Pick{Attribute: 6, Max: "4.5"}, Label: "Weight", Unit: "kg", From: "0.5", To: "7"},
		},
	}
}
