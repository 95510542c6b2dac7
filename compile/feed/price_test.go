package feed

import "testing"

// A shop whose prices have digits behind the point: 1450 is 14.50 wherever a
// template prints it, and compares as that.
func TestPricesHaveTheDigitsOfTheirShop(t *testing.T) {
	t.Parallel()
	c := NewCatalogue(Contents{Items: []Item{
		{Product: Product{ID: 1, Price: 1450, OldPrice: 2000, Currency: "EUR"}, Digits: 2}, {Product: Product{ID: 2, Price: 5}, Digits: 4},
	}})
	for body, want := range map[string]string{
		`{{range products}}{{.Price}} {{end}}`:                                        "14.50 0.0005 ",
		`{{range products}}{{if gt .OldPrice .Price}}{{.OldPrice}}{{end}}{{end}}`:     "20.00",
		`{{range products}}{{if lt .Price 10.0}}{{.ID}}{{end}}{{end}}`:                "2",
		`{{range products "limit=1"}}{{$p := .Price}}{{$p}} {{.Currency}}{{end}}`:     "14.50 EUR",
		`{{range products "limit=1"}}{{printf "%.2f" .Price}}{{.RatingCount}}{{end}}`: "14.500",
		`{{range products}}{{if .OldPrice}}{{.ID}}{{end}}{{end}}`:                     "1",
	} {
		if got, _, problem := render("x.txt", body, c, Options{}); problem != nil || got != want {
			t.Errorf("%s: %q, want %q: %v", body, got, want, problem)
		}
	}
}
