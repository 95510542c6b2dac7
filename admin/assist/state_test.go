package assist

import (
	"math/rand/v2"
	"strings"
	"testing"

	"vitrine/internal/shop"
	"vitrine/internal/store/assist"
	"vitrine/internal/store/sales"
)

func TestItemsAreNamedAsInFeeds(t *testing.T) {
	for id, want := range map[string]string{
		"17": "17:default", "17-93": "17:v93", "17v93": "17:v93",
		"": "", "0": "", "-1": "", "017": "", "17-": "", "17-0": "", "17-93-1": "", "17v93v1": "", "+17": "", "1e3": "", "17 ": "", "99999999999": "",
	} {
		l, ok := lineOf(id)
		got := ""
		if ok {
			got = lineID(l.Product, l.Key)
		}
		if got != want {
			t.Errorf("%q is %q, not %q", id, got, want)
		}
	}
}

func TestTheSameItemTwiceIsOneLine(t *testing.T) {
	in := Input{Items: []Item{{"17", 9000}, {"18", 2}, {"17", 9000}, {"x", 1}}}
	lines, dropped, adjusted := in.goods()
	if len(lines) != 2 || lines[0].Quantity != 9999 || lines[1].Quantity != 2 || !adjusted || len(dropped) != 1 || dropped[0] != "x" {
		t.Errorf("%+v, dropped %v, adjusted %v", lines, dropped, adjusted)
	}
}

func TestAnInputBeyondItsLimitsIsRefused(t *testing.T) {
	long := strings.Repeat("x", maxText+1)
	for name, in := range map[string]Input{
		"items":       {Items: make([]Item, MaxItems+1)},
		"no units":    {Items: []Item{{"17", 0}}},
		"below zero":  {Items: []Item{{"17", -1}}},
		"codes":       {Codes: make([]string, MaxCodes+1)},
		"a code":      {Codes: []string{long}},
		"a name":      {Contact: Contact{FirstName: long}},
		"a city":      {Address: &Address{City: long}},
		"an id":       {Items: []Item{{long, 1}}},
		"comment":     {Comment: strings.Repeat("x", maxNotes+1)},
		"attribution": {Attribution: map[string]string{"utm_source": long}},
	} {
		if err := in.check(); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	in := Input{Contact: Contact{FirstName: " Ann\r\nLee "}, Items: []Item{{"17", 1}}}
	if err := in.check(); err != nil || strings.ContainsAny(in.Contact.FirstName, "\r\n") {
		t.Errorf("%q, %v", in.Contact.FirstName, err)
	}
}

// For every digits of a shop's prices and every currency the amounts add up to what is paid.
func TestTotalsAddUpToWhatIsPaid(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for _, currency := range []string{"EUR", "JPY", "KWD"} {
		for digits := range 4 {
			for range 500 {
				s := &State{Currency: currency, Digits: digits}
				var goods int64
				for range 1 + dice.IntN(5) {
					l := Line{Quantity: 1 + dice.Int64N(9), Base: dice.Int64N(100_000)}
					l.Before = l.Base * l.Quantity
					l.After = l.Before - dice.Int64N(l.Before+1)
					s.Lines = append(s.Lines, l)
					s.Subtotal += l.Before
					goods += l.After
				}
				d := Discount{Title: "Summer", Amount: dice.Int64N(goods + 1)}
				s.Applied = []Discount{d}
				s.Delivery = &Delivery{}
				s.Delivery.Price = dice.Int64N(1000)
				tax := shop.Tax{Amount: dice.Int64N(5000)}
				s.Taxes, s.Included = []shop.Tax{tax}, dice.IntN(2) == 0
				s.Total = goods - d.Amount + s.Delivery.Price
				if !s.Included {
					s.Total += tax.Amount
				}
				var sum int64
				list := s.Totals()
				for _, entry := range list[:len(list)-1] {
					if below := entry.Kind == TotalItemsDiscount || entry.Kind == TotalDiscount; below != (entry.Amount < 0) && entry.Amount != 0 {
						t.Fatalf("%s of %d", entry.Kind, entry.Amount)
					}
					sum += entry.Amount
				}
				if last := list[len(list)-1]; last.Kind != TotalAll || last.Amount != sum || last.Amount != s.Minor(s.Total) {
					t.Fatalf("%s with %d digits: %+v", currency, digits, list)
				}
			}
		}
	}
}

func TestStatusFollowsFromWhatASessionHolds(t *testing.T) {
	everything := Ability{Pays: true, Addresses: true}
	delivered := &Delivery{NeedsAddress: true}
	missing := Problem{Code: "ADDRESS_REQUIRED", Severity: Recoverable}
	for name, c := range map[string]struct {
		s    State
		can  Ability
		want Status
		why  string
	}{
		"complete":              {State{Total: 5}, everything, Ready, ""},
		"a problem":             {State{Problems: []Problem{{Code: "out_of_stock", Severity: Recoverable}}}, everything, Incomplete, ""},
		"a refused payment":     {State{Total: 5, Problems: []Problem{{Code: PaymentFailed, Severity: Recoverable}}}, everything, Ready, ""},
		"another price":         {State{Total: 5, Problems: []Problem{{Code: PriceChanged, Severity: Recoverable}}}, everything, Ready, ""},
		"3-D Secure":            {State{Total: 5, Problems: []Problem{{Code: Requires3DS, Severity: BuyerInput}}}, everything, Escalation, Requires3DS},
		"no way to pay":         {State{Total: 5}, Ability{Addresses: true}, Escalation, PaymentPage},
		"nothing to pay":        {State{}, Ability{Addresses: true}, Ready, ""},
		"an address is missing": {State{Delivery: delivered, Problems: []Problem{missing}}, everything, Incomplete, ""},
		"the page asks for it":  {State{Delivery: delivered, Problems: []Problem{missing}}, Ability{Pays: true}, Escalation, FulfillmentNeeded},
		"both":                  {State{Delivery: delivered, Problems: []Problem{missing, {Code: NoItems, Severity: Recoverable}}}, Ability{Pays: true}, Incomplete, ""},
		"being placed":          {State{Session: assist.Session{State: assist.Completing}}, everything, InProgress, ""},
		"in a browser":          {State{Session: assist.Session{State: assist.HandedOff}}, everything, Escalation, HandedOff},
		"ordered":               {State{Session: assist.Session{State: assist.Completed}, Gone: true}, everything, Done, ""},
		"canceled":              {State{Session: assist.Session{State: assist.Canceled}}, everything, Canceled, ""},
		"expired":               {State{Gone: true}, everything, Canceled, ""},
	} {
		if got, why := c.s.Status(c.can); got != c.want || why != c.why {
			t.Errorf("%s: %s %q, not %s %q", name, got, why, c.want, c.why)
		}
	}
}

func TestOnlyWaysThatTheShopOffersArePaid(t *testing.T) {
	s := State{Total: 5, Methods: []sales.PaymentMethod{{Method: sales.ManualMethod}}}
	if s.accepts(Payment{Offline: true}) != nil || s.accepts(Payment{}) == nil {
		t.Error("manual")
	}
	s.Methods = nil
	if s.accepts(Payment{Offline: true}) == nil {
		t.Error("a method that is switched off")
	}
	s.Total = 0
	if s.accepts(Payment{}) != nil {
		t.Error("nothing is to be paid")
	}
}
