package letter_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	formdb "vitrine/internal/store/form"
	letterdb "vitrine/internal/store/letter"
)

// Input of any size results in a letter: no submission keeps the owner from getting the others.
func TestInputOfAnySizeIsSentInALetter(t *testing.T) {
	t.Parallel()
	d := open(t, "ru")
	d.OK("PUT", "/products/"+d.product+"/stock", d.owner, m{"quantity": 1000})
	d.buyerCall("POST", "/cart/items/"+d.product+"/default", m{"quantity": 1})
	made := d.buyerCall("POST", "/cart/confirm", m{
		"contact": m{"name": strings.Repeat("😀", 250), "phone": "1", "email": "ben@people.test"}, "comment": strings.Repeat(`"`, 4000),
	})["result"].(map[string]any)
	d.buyerCall("POST", "/orders/"+fmt.Sprint(made["id"])+"/messages", m{"text": strings.Repeat(`"`, 4000)})
	form := d.Result("POST", "/forms", d.Owner, m{"item": m{"name": strings.Repeat("😀", 250), "fields": []any{
		m{"name": "a", "label": "A", "type": "textarea"}, m{"name": "b", "label": "B", "type": "textarea"}}}})
	d.OK("POST", "/form-leads", d.Owner, m{"form_id": form["id"], "values": m{"a": strings.Repeat(`"`, 5000), "b": strings.Repeat("<", 5000)}, "page_url": "/"})
	all := d.letters("")
	if len(all) != 4 {
		t.Errorf("%d letters", len(all))
	}
	for _, l := range all {
		if l["state"] != "queued" || l["subject"] == "" {
			t.Errorf("%v is %v: %v", l["name"], l["state"], l["error"])
		}
	}
}

// Frequent messages cause only a bounded number of letters.
func TestRepeatedEventsCauseFewLetters(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	order := d.orders(1, "ben@people.test")
	for range 12 {
		d.buyerCall("POST", "/orders/"+order+"/messages", m{"text": "and?"})
	}
	if n := len(d.letters("message_seller")); n != 10 {
		t.Errorf("%d letters about one order within an hour", n)
	}
	for n := range 24 {
		d.OK("PUT", "/orders/"+order+"/status", d.admin, m{"status": []string{"processing", "new"}[n%2]})
	}
	list := d.Result("GET", "/v1/shop/letters?filter.name=order_status_buyer", d.owner, nil)
	if list["total"] != float64(20) {
		t.Errorf("%v letters about the status of one order", list["total"])
	}
	d.OK("PUT", "/orders/"+order+"/status", d.admin, m{"status": "new"}) // unchanged: an event, but no letter
	id := fmt.Sprint(d.letters("order_made_buyer")[0]["id"])
	for range 10 {
		d.OK("POST", "/v1/shop/letters/again/"+id, d.owner, m{})
	}
	d.Refused("POST", "/v1/shop/letters/again/"+id, d.owner, m{}, 400, "LETTER_SENT_OFTEN")
}

// Anyone can enter any address at a checkout. An address gets at most ten letters of a kind
// within an hour and forty within a day, across all shops. Sellers get all of theirs.
func TestAnAddressIsNotFlooded(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	ctx := t.Context()
	sent := func(kind string) (n int) {
		for range 12 {
			within, err := letterdb.CountBuyerLetter(ctx, d.Store, "Victim@people.test", kind, d.Clock.Now())
			if err != nil {
				t.Fatal(err)
			}
			if within {
				n++
			}
		}
		return n
	}
	if n := sent("order_made_buyer"); n != 10 {
		t.Errorf("%d letters within an hour", n)
	}
	if n := sent("message_buyer"); n != 10 {
		t.Errorf("%d letters of another kind", n)
	}
	day := 10
	for range 5 {
		d.Clock.Advance(61 * time.Minute)
		day += sent("order_made_buyer")
	}
	if day != 40 {
		t.Errorf("%d letters within a day", day)
	}
	d.Clock.Advance(25 * time.Hour)
	if n := sent("order_made_buyer"); n != 10 {
		t.Errorf("%d letters on another day", n)
	}
	d.Clock.Advance(25 * time.Hour)
	if err := letterdb.SweepBuyerLetterCounts(ctx, d.Store, d.Clock.Now()); err != nil {
		t.Fatal(err)
	}
}

// Leads beyond the hourly limit of single letters are reported together in one letter.
func TestLeadsBeyondTheHourlyLimitShareALetter(t *testing.T) {
	t.Parallel()
	d := open(t, "en")
	form := d.Result("POST", "/forms", d.Owner, m{"item": m{"name": "Call me", "fields": []any{m{"name": "phone", "label": "Your phone", "type": "phone"}}}})
	id, err := strconv.ParseInt(fmt.Sprint(form["id"]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	send := func(n int, status formdb.LeadStatus) {
		t.Helper()
		err := d.Store.Write(t.Context(), d.Shop.ID, func(tx *store.Tx) error {
			for range n {
				l := formdb.Lead{Form: shop.FormID(id), Answers: []byte(`{}`), UTM: []byte(`{}`), Consents: []byte(`{}`), Status: status, CreatedAt: time.Now(), UpdatedAt: time.Now()}
				if err := formdb.InsertLead(t.Context(), tx, &l); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	count := func(name string) int {
		return int(d.Result("GET", "/v1/shop/letters?filter.name="+name, d.owner, nil)["total"].(float64))
	}
	together := func() (n int) { // in two letters if the hour ends meanwhile
		for _, l := range d.letters(store.LeadsLetter) {
			said, err := strconv.Atoi(regexp.MustCompile(`(\d+) more`).FindStringSubmatch(fmt.Sprint(l["subject"]))[1])
			if err != nil {
				t.Fatal(err)
			}
			n += said
		}
		return n
	}
	send(60, formdb.LeadNew)
	if a, b := count("lead_seller"), count(store.LeadsLetter); a != 60 || b != 0 {
		t.Errorf("of 60 leads: %d letters and %d about the rest", a, b)
	}
	send(25, formdb.LeadNew)
	send(5, formdb.LeadSpam)
	if a, b := count("lead_seller"), together(); a != 60 || b != 25 {
		t.Errorf("%d letters, and one about %d", a, b)
	}
	send(15, formdb.LeadNew) // counted although the letter was viewed
	if a, b, letters := count("lead_seller"), together(), count(store.LeadsLetter); a != 60 || b != 40 || letters > 2 {
		t.Errorf("%d letters, and %d about %d", a, letters, b)
	}
}
