package feed

import (
	"testing"
	"time"
)

// In a shop with two decimals 1450 is printed as 14.50 and compares as 14.5.
func TestPricesHaveTheDecimalsOfTheirShop(t *testing.T) {
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

func TestNowIsInTheTimezoneOfTheShop(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]string{"": "2026-11-03 23:00", "Asia/Tokyo": "2026-11-04 08:00"} {
		c := NewCatalogue(Contents{Timezone: zone})
		got, _, problem := render("x.txt", `{{now "2006-01-02 15:04"}}`, c, Options{Now: time.Date(2026, 11, 3, 23, 0, 0, 0, time.UTC)})
		if problem != nil || got != want {
			t.Errorf("%s: %s, want %s: %v", zone, got, want, problem)
		}
	}
}
