package order_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// read reads a page as a caller and returns its status and text.
func (x *guestShop) page(path, key string) (int, string, http.Header) {
	x.t.Helper()
	got := x.Send(apitest.Request{Method: "GET", Path: path, Key: key})
	return got.Status, string(got.Body), got.Header
}

func (x *guestShop) made(with m) (id, guest string) {
	x.t.Helper()
	status, answer, guest := x.order(with)
	if status != 200 {
		x.t.Fatal(answer)
	}
	return fmt.Sprint(answer["result"].(m)["id"]), guest
}

// Invoices are numbered from 1 without a gap, whatever happens at the same time and whatever is
// rolled back. A second call answers the same number.
func TestNumbersOfInvoicesHaveNoGap(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	x.OK("PUT", "/v1/shop/settings", x.owner, m{"invoice_prefix": "T-"})
	const orders = 20
	ids := make([]shop.OrderID, orders)
	for i := range ids {
		id, _ := x.made(nil)
		if _, err := fmt.Sscan(id, &ids[i]); err != nil {
			t.Fatal(err)
		}
	}
	abandoned := errors.New("abandoned")
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range ids {
				id := ids[(i*7+worker*5)%orders]
				err := x.Store.Write(t.Context(), x.Shop.ID, func(tx *store.Tx) error {
					_, err := sales.IssueInvoice(t.Context(), tx, id)
					if err == nil && (i+worker)%3 == 0 {
						return abandoned
					}
					return err
				})
				if err != nil && !errors.Is(err, abandoned) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var numbers, want []string
	for i, id := range ids {
		path := fmt.Sprintf("/orders/%v/invoice", id)
		first, again := x.Result("POST", path, x.Owner, nil), x.Result("POST", path, x.owner, nil)
		if fmt.Sprint(first) != fmt.Sprint(again) {
			t.Errorf("%v, then %v", first, again)
		}
		numbers, want = append(numbers, fmt.Sprint(first["number"])), append(want, fmt.Sprintf("T-%d-%d", time.Now().UTC().Year(), i+1))
	}
	slices.Sort(numbers)
	slices.Sort(want)
	if !slices.Equal(numbers, want) {
		t.Errorf("%v, want %v", numbers, want)
	}
}

// An issued invoice never changes, and reading papers issues none.
func TestAnInvoiceIsFrozen(t *testing.T) {
	t.Parallel()
	x := taxedShop(t, 19)
	x.OK("PUT", "/v1/shop/settings", x.owner, m{"name": "Tea <&> Co", "legal": m{"name": "Tea Ltd", "details": "Reg. 12345"}})
	id, guest := x.made(m{"contact": m{"name": "Ann <script>alert(1)</script>", "phone": "1", "vat_number": "DE123456789"}, "address": m{"city": "Rome", "street": "1 \"Via\""}})
	invoice := "/orders/" + id + "/papers/invoice"
	if status, body, _ := x.page(invoice, x.Owner); status != 404 || !strings.Contains(body, "PAPER_NOT_ISSUED") {
		t.Errorf("before: %d %s", status, body)
	}
	if o := x.Result("GET", "/orders/"+id, guest, nil); o["invoice"] != nil {
		t.Errorf("%v", o["invoice"])
	}
	number := x.Result("POST", "/orders/"+id+"/invoice", x.Owner, nil)["number"]
	_, before, header := x.page(invoice, x.Owner)
	for _, want := range []string{
		"Invoice " + fmt.Sprint(number), "Tea &lt;&amp;&gt; Co", "Tea Ltd", "Reg. 12345", "Ann &lt;script&gt;", "Rome", "DE123456789", "Plus VAT 19% on €20", "€24", "<svg", "Tea",
	} {
		if !strings.Contains(before, want) {
			t.Errorf("no %q in %s", want, before)
		}
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	x.OK("PUT", "/v1/shop/settings", x.owner, m{"name": "Other", "legal": m{"name": "Other", "details": ""}, "language": "ru"})
	x.rate(7, true)
	x.OK("PUT", "/products/"+x.tea, x.Owner, m{"item": m{"name": "Coffee"}})
	if _, after, _ := x.page(invoice, x.Owner); after != before {
		t.Errorf("%s\nbecame %s", before, after)
	}
	if o := x.Result("GET", "/orders/"+id, guest, nil); o["invoice"].(m)["number"] != number {
		t.Errorf("%v", o["invoice"])
	}
}

// A refund that leaves no money of an order credits its invoice, with a number of its own.
func TestARefundCreditsTheInvoice(t *testing.T) {
	t.Parallel()
	x := taxedShop(t, 19)
	for i, invoiced := range []bool{false, true, true} {
		id, guest := x.made(nil)
		if invoiced {
			x.OK("POST", "/orders/"+id+"/invoice", x.Owner, nil)
		}
		x.OK("POST", "/orders/"+id+"/payment/confirm", x.owner, m{})
		x.OK("POST", "/orders/"+id+"/refund", x.owner, m{})
		x.OK("POST", "/orders/"+id+"/refund", x.owner, m{})
		status, body, _ := x.page("/orders/"+id+"/papers/credit_note", guest)
		if !invoiced {
			if status != 404 {
				t.Errorf("without an invoice: %d", status)
			}
			continue
		}
		year := time.Now().UTC().Year()
		for _, want := range []string{fmt.Sprintf("Credit note CN%d-%d", year, i), fmt.Sprintf("%d-%d, ", year, i), "Refunded"} {
			if status != 200 || !strings.Contains(body, want) {
				t.Errorf("%d, no %q: %s", status, want, body)
			}
		}
	}
}

// The year and the date are those of the shop's time zone.
func TestInvoicesOfAYearBeginWithIt(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	x.OK("PUT", "/v1/shop/settings", x.owner, m{"timezone": "Pacific/Kiritimati"})
	id, _ := x.made(nil)
	got := x.Result("POST", "/orders/"+id+"/invoice", x.Owner, nil)
	at, err := time.Parse(time.RFC3339, got["issued_at"].(string))
	if year := at.In(shop.Clock("Pacific/Kiritimati")).Year(); err != nil || got["number"] != fmt.Sprintf("%d-1", year) {
		t.Errorf("%v", got)
	}
}

// Buyers print what was issued to them; slips and papers of others are for the seller.
func TestWhoMayPrintPapers(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	id, guest := x.made(nil)
	_, stranger := x.made(nil)
	x.OK("POST", "/orders/"+id+"/invoice", x.Owner, nil)
	reader, other := x.Scoped("orders:read"), x.Scoped("catalog:read")
	for _, c := range []struct {
		who, key, path string
		want           int
	}{
		{"owner", x.owner, "/orders/" + id + "/papers/slip", 200},
		{"owner", x.owner, "/orders/" + id + "/papers/invoice", 200},
		{"owner", x.owner, "/orders/papers/slip?ids=" + id, 200},
		{"reader", reader, "/orders/papers/invoice?ids=" + id, 200},
		{"reader", reader, "/orders/" + id + "/papers/slip", 200},
		{"another key", other, "/orders/papers/invoice?ids=" + id, 403},
		{"another key", other, "/orders/" + id + "/papers/slip", 403},
		{"buyer", guest, "/orders/" + id + "/papers/invoice", 200},
		{"buyer", guest, "/orders/" + id + "/papers/slip", 403},
		{"buyer", guest, "/orders/papers/invoice?ids=" + id, 403},
		{"stranger", stranger, "/orders/" + id + "/papers/invoice", 403},
		{"nobody", "", "/orders/" + id + "/papers/invoice", 401},
		{"owner", x.owner, "/orders/" + id + "/papers/receipt", 400},
		{"owner", x.owner, "/orders/papers/receipt?ids=" + id, 400},
		{"owner", x.owner, "/orders/papers/slip", 400},
		{"owner", x.owner, "/orders/papers/slip?ids=", 400},
		{"owner", x.owner, "/orders/papers/slip?ids=1,x", 400},
		{"owner", x.owner, "/orders/papers/slip?ids=" + strings.TrimSuffix(strings.Repeat("1,2,", 200), ","), 200},
		{"owner", x.owner, "/orders/papers/slip?ids=" + manyIDs(101), 400},
		{"owner", x.owner, "/orders/papers/slip?ids=" + id + ",999999", 404},
		{"owner", x.owner, "/orders/papers/invoice?ids=1,2", 404},
	} {
		if status, body, _ := x.page(c.path, c.key); status != c.want {
			t.Errorf("%s %s: %d, want %d: %.200s", c.who, c.path, status, c.want, body)
		}
	}
	if status, answer := x.Call("POST", "/orders/"+id+"/invoice", reader, nil); status != 403 {
		t.Errorf("a key that reads issues an invoice: %d %v", status, answer)
	}
	if status, answer := x.Call("POST", "/orders/"+id+"/invoice", guest, nil); status != 403 {
		t.Errorf("a buyer issues an invoice: %d %v", status, answer)
	}
}

func manyIDs(n int) string {
	var ids []string
	for i := range n {
		ids = append(ids, fmt.Sprint(i+1))
	}
	return strings.Join(ids, ",")
}

// A signed address opens its papers for 5 minutes, and nothing else.
func TestASignedAddressOpensPapers(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	id, guest := x.made(nil)
	link := x.Result("POST", "/orders/papers/link", x.Owner, m{"kind": "slip", "ids": l{id}})["url"].(string)
	at := link[strings.Index(link, "/v1/papers/"):]
	if status, body, header := x.page(at, ""); status != 200 || !strings.Contains(body, "Packing slip 1001") || header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s %v", status, body, header)
	}
	for _, wrong := range []string{at + "x", strings.Replace(at, ".", "", 1), "/v1/papers/x", strings.Replace(at, "/v1/papers/e", "/v1/papers/f", 1)} {
		if status, _, _ := x.page(wrong, ""); status != 404 {
			t.Errorf("%s: %d", wrong, status)
		}
	}
	x.Clock.Advance(5 * time.Minute)
	if status, _, _ := x.page(at, ""); status != 404 {
		t.Errorf("after 5 minutes: %d", status)
	}
	for _, wrong := range []m{{"kind": "slip"}, {"kind": "slip", "ids": l{}}, {"kind": "x", "ids": l{id}}} {
		if status, answer := x.Call("POST", "/orders/papers/link", x.Owner, wrong); status != 400 {
			t.Errorf("%v: %d %v", wrong, status, answer)
		}
	}
	if status, answer := x.Call("POST", "/orders/papers/link", x.Owner, m{"kind": "invoice", "ids": l{id}}); status != 404 {
		t.Errorf("an invoice that was not issued: %d %v", status, answer)
	}
	if status, answer := x.Call("POST", "/orders/papers/link", guest, m{"kind": "slip", "ids": l{id}}); status != 403 {
		t.Errorf("a buyer: %d %v", status, answer)
	}
}
