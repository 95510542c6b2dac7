package customer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

type (
	m = apitest.Map
	l = []any
)

// fixture is a shop with a product that people buy.
type fixture struct {
	*apitest.API
	t       *testing.T
	product any
}

func open(t *testing.T) *fixture {
	t.Helper()
	d := &fixture{API: apitest.New(t), t: t}
	d.product = d.Result("POST", "/products", d.Owner, m{"item": m{"name": "Tea", "price": m{"price": 50}, "is_published": true}})["id"]
	return d
}

func (d *fixture) guest() string {
	d.t.Helper()
	return d.Result("POST", "/v1/auth/guest", "", m{})["token"].(string)
}

// proven signs in a person with a proven address.
func (d *fixture) proven(email string) string {
	d.t.Helper()
	d.OK("POST", "/v1/auth/code", "", m{"email": email})
	return d.Result("POST", "/v1/auth/code/confirm", "", m{"email": email, "code": d.Code(email)})["token"].(string)
}

// buys places an order of one unit in a session, with a contact with this address.
func (d *fixture) buys(session, email string) m {
	d.t.Helper()
	d.OK("POST", fmt.Sprintf("/cart/items/%v/default", d.product), session, m{"quantity": 1})
	return d.Result("POST", "/cart/confirm", session, m{"company_id": d.Shop.ID, "contact": m{"name": "Ann Lee", "phone": "+1 234", "email": email}})
}

// list returns the items of a list.
func (d *fixture) list(path string) (items []m) {
	d.t.Helper()
	result := d.Result("GET", path, d.Owner, nil)
	for _, one := range result["items"].(l) {
		items = append(items, one.(m))
	}
	if fmt.Sprint(result["total"]) != fmt.Sprint(len(items)) {
		d.t.Errorf("%s: %v of %v", path, len(items), result["total"])
	}
	return items
}

// fields returns some fields of things, one line each.
func fields(list []m, names ...string) (lines []string) {
	for _, one := range list {
		var line []string
		for _, name := range names {
			line = append(line, fmt.Sprint(one[name]))
		}
		lines = append(lines, strings.Join(line, " "))
	}
	return lines
}

func (d *fixture) shows(path string, want ...string) {
	d.t.Helper()
	if got := fields(d.list(path), "email", "orders", "spent"); strings.Join(got, "; ") != strings.Join(want, "; ") {
		d.t.Errorf("%s: %q, want %q", path, got, want)
	}
}

// Everyone who orders or writes becomes a customer, one per address regardless of its case; a
// guest without an address is a customer as a person, and the same customer after becoming an
// account.
func TestOrderingOrWritingCreatesACustomer(t *testing.T) {
	t.Parallel()
	d := open(t)
	guest := d.guest()
	d.buys(guest, "")
	d.buys(d.guest(), "Ann@People.TEST")
	first := d.buys(d.guest(), "ann@people.test")
	d.shows("/customers?sort=spent", "ann@people.test 2 100", " 1 50")
	d.OK("PUT", fmt.Sprintf("/orders/%v/status", first["id"]), d.Session(d.OwnerID), m{"status": "cancelled"})
	d.shows("/customers?sort=spent&filter.query=ANN@", "ann@people.test 1 50")
	d.OK("POST", "/v1/auth/register", guest, m{"email": "Bob@people.test", "name": "Bob", "password": "a long password"})
	d.shows("/customers?filter.query=bob", "bob@people.test 1 50")
	carl := d.Session(d.Buyer("carl@people.test"))
	d.Result("POST", fmt.Sprintf("/products/%v/questions", d.product), carl, m{"company_id": d.Shop.ID, "text": "Why?"})
	form := d.Result("POST", "/forms", d.Owner, m{"item": m{"name": "Ask", "fields": l{m{"name": "mail", "label": "E-mail", "type": "email"}}}})
	d.OK("POST", fmt.Sprintf("/form-leads?company_id=%d", d.Shop.ID), "", m{"form_id": form["id"], "values": m{"mail": "Dora@People.test"}})
	d.shows("/customers?sort=created_at&sort.order=asc", "bob@people.test 1 50", "ann@people.test 1 50", "carl@people.test 0 0", "dora@people.test 0 0")
	one := d.list("/customers?filter.query=ann@people.test")[0]
	if one["name"] != "Ann Lee" || one["phone"] != "+1 234" || one["note"] != "" || fmt.Sprint(one["group_ids"]) != "[]" || one["last_order_at"] == nil {
		t.Errorf("%v", one)
	}
	d.Refused("GET", fmt.Sprintf("/customers/%v", one["id"]), d.Stranger, nil, 404, "CUSTOMER_NOT_FOUND")
}

// The amount spent is in the current currency of the shop in lists, sorting and rules of
// groups; the amount in each currency is listed separately.
func TestSpentIsInTheCurrentCurrency(t *testing.T) {
	t.Parallel()
	d := open(t)
	rich := d.Result("POST", "/customer-groups", d.Owner, m{"name": "Rich", "rule": m{"spent_more_than": 60}})
	becomes := func(currency string) {
		t.Helper()
		if err := d.Store.Write(t.Context(), d.Shop.ID, func(tx *store.Tx) error { return company.SetCurrency(t.Context(), tx, currency) }); err != nil {
			t.Fatal(err)
		}
	}
	shows := func(path string, want ...string) {
		t.Helper()
		if got := fields(d.list(path), "email", "orders", "spent", "spent_by_currency"); strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	d.OK("POST", "/customers", d.Owner, m{"email": "zoe@people.test"})
	d.buys(d.guest(), "ann@people.test")
	d.buys(d.guest(), "ann@people.test")
	becomes("USD")
	shows("/customers?sort=orders", "ann@people.test 2 0 map[EUR:100]", "zoe@people.test 0 0 map[]")
	first := d.buys(d.guest(), "bob@people.test")
	d.buys(d.guest(), "ann@people.test")
	shows("/customers?sort=spent", "bob@people.test 1 50 map[USD:50]", "ann@people.test 3 50 map[EUR:100 USD:50]", "zoe@people.test 0 0 map[]")
	shows("/customers?filter.group_id=" + fmt.Sprint(rich["id"]))
	becomes("EUR")
	shows("/customers?filter.group_id="+fmt.Sprint(rich["id"]), "ann@people.test 3 100 map[EUR:100 USD:50]")
	d.OK("PUT", fmt.Sprintf("/orders/%v/status", first["id"]), d.Session(d.OwnerID), m{"status": "cancelled"})
	shows("/customers?filter.query=bob", "bob@people.test 0 0 map[]")
}

func TestCustomersAreAddedChangedAndGrouped(t *testing.T) {
	t.Parallel()
	d := open(t)
	friends := d.Result("POST", "/customer-groups", d.Owner, m{"name": "Friends"})
	rich := d.Result("POST", "/customer-groups", d.Owner, m{"name": "Rich", "rule": m{"spent_more_than": 49}})
	fresh := d.Result("POST", "/customer-groups", d.Owner, m{"name": "Fresh", "rule": m{"ordered_since": "2020-01-01"}})
	if friends["rule"] != nil || fresh["rule"].(m)["ordered_since"] != "2020-01-01T00:00:00Z" {
		t.Errorf("%v %v", friends, fresh)
	}
	ann := d.Result("POST", "/customers", d.Owner, m{"email": " Ann@people.test ", "name": "Ann", "note": "VIP", "group_ids": l{friends["id"]}})
	if ann["email"] != "ann@people.test" || fmt.Sprint(ann["group_ids"]) != fmt.Sprint(l{friends["id"]}) {
		t.Errorf("%v", ann)
	}
	d.Refused("POST", "/customers", d.Owner, m{"email": "ANN@people.test"}, 409, "CUSTOMER_EXISTS")
	for _, wrong := range []m{{"email": ""}, {"email": "x"}, {"email": "a b@c.d"}, {"email": "x@y.z", "group_ids": l{"999"}}, {"email": "x@y.z", "note": strings.Repeat("n", 4001)}} {
		d.Refused("POST", "/customers", d.Owner, wrong, 400, "CUSTOMER_INVALID")
	}
	path := fmt.Sprintf("/customers/%v", ann["id"])
	d.buys(d.guest(), "ann@people.test")
	d.shows(fmt.Sprintf("/customers?filter.group_id=%v", rich["id"]), "ann@people.test 1 50")
	d.shows(fmt.Sprintf("/customers?filter.group_id=%v", fresh["id"]), "ann@people.test 1 50")
	got := d.Result("GET", path, d.Owner, nil)
	if fmt.Sprint(got["group_ids"]) != fmt.Sprint(l{friends["id"], rich["id"], fresh["id"]}) || got["name"] != "Ann" {
		t.Errorf("%v", got)
	}
	// The fields of a response can be sent back; members by rule stay in their group.
	back := d.Result("PUT", path, d.Owner, got)
	if got["updated_at"] = back["updated_at"]; fmt.Sprint(back) != fmt.Sprint(got) {
		t.Errorf("%v became %v", got, back)
	}
	if got = d.Result("PUT", path, d.Owner, m{"group_ids": l{}, "phone": "5"}); fmt.Sprint(got["group_ids"]) != fmt.Sprint(l{rich["id"], fresh["id"]}) ||
		got["phone"] != "5" || got["note"] != "VIP" {
		t.Errorf("%v", got)
	}
	d.Refused("GET", "/customers?sort=email", d.Owner, nil, 400, "INVALID_SORT")
	d.Refused("POST", "/customer-groups", d.Owner, m{"name": "friends"}, 409, "CUSTOMER_GROUP_TAKEN")
	for _, wrong := range []m{
		{"name": ""}, {"name": "a;b"}, {"name": "x", "rule": m{}}, {"name": "x", "rule": m{"spent_more_than": 1, "ordered_since": "2020-01-01"}},
		{"name": "x", "rule": m{"spent_more_than": -1}}, {"name": "x", "rule": m{"ordered_since": "yesterday"}}, {"name": "x", "rule": 5},
	} {
		d.Refused("POST", "/customer-groups", d.Owner, wrong, 400, "CUSTOMER_GROUP_INVALID")
	}
	d.OK("PUT", fmt.Sprintf("/customer-groups/%v", rich["id"]), d.Owner, m{"rule": nil})
	d.OK("DELETE", fmt.Sprintf("/customer-groups/%v", fresh["id"]), d.Owner, nil)
	if got = d.Result("GET", path, d.Owner, nil); fmt.Sprint(got["group_ids"]) != "[]" {
		t.Errorf("%v", got)
	}
	d.Refused("GET", fmt.Sprintf("/customer-groups/%v", fresh["id"]), d.Owner, nil, 404, "CUSTOMER_GROUP_NOT_FOUND")
	d.Refused("PUT", fmt.Sprintf("/customer-groups/%v", rich["id"]), d.Stranger, m{}, 404, "CUSTOMER_GROUP_NOT_FOUND")
}

// The orders of a customer are those that count for it, whoever placed them; buyers cannot filter
// by customer.
func TestOrdersAreListedByCustomer(t *testing.T) {
	t.Parallel()
	d := open(t)
	guest, other := d.guest(), d.guest()
	want := []string{d.buys(guest, "ann@people.test")["id"].(string), d.buys(other, "ANN@people.test")["id"].(string)}
	d.buys(other, "bo@people.test")
	customer := d.list("/customers?filter.query=ann@people.test")[0]["id"]
	filter := m{"filter": m{"company_id": d.Shop.ID, "customer_id": customer}}
	var got []string
	for _, one := range d.Result("POST", "/orders", d.Owner, filter)["items"].(l) {
		got = append([]string{one.(m)["id"].(string)}, got...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("orders %v, want %v", got, want)
	}
	exported := d.Send(apitest.Request{Method: "GET", Path: fmt.Sprintf("/orders/export?filter.customer_id=%v", customer), Key: d.Owner})
	if lines := strings.Count(string(exported.Body), "ann@people.test") + strings.Count(string(exported.Body), "ANN@people.test"); lines != 2 || strings.Contains(string(exported.Body), "bo@people.test") {
		t.Errorf("exported %s", exported.Body)
	}
	d.Refused("POST", "/orders", guest, filter, 403, "DENIED")
}
