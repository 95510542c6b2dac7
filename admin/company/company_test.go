package company_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/company"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

type m = map[string]any

func newShop(slug string) m { return m{"slug": slug, "name": "Cafe", "currency": "EUR"} }

// from is a header that makes a call come from a network.
func from(address string) map[string]string { return map[string]string{"X-Forwarded-For": address} }

func TestAPersonOpensAShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := a.Session(a.Buyer("ann@people.test"))
	if list := a.OK("GET", "/v1/orgs", ann, nil)["result"].([]any); len(list) != 0 {
		t.Errorf("a person without shops has %v", list)
	}
	made := a.Result("POST", "/v1/orgs", ann, m{"slug": "cafe", "name": " Cafe ", "currency": "EUR", "price_digits": 2})
	if made["slug"] != "cafe" || made["storefront_url"] != "http://cafe.shops.test" || made["company_id"] == nil {
		t.Errorf("%v", made)
	}
	org := a.Result("GET", "/v1/orgs/current", ann, nil) // it is the main shop of a person without another
	if org["id"] != made["company_id"] || org["name"] != "Cafe" || org["currency"] != "EUR" || org["closed"] != false {
		t.Errorf("%v", org)
	}
	a.OK("POST", "/products", ann, m{"item": m{"name": "Espresso", "price": m{"price": 250}}})
	blocks := a.OK("GET", "/content-blocks", ann, nil)["result"].([]any)
	if len(blocks) == 0 {
		t.Error("the shop has no templates of its articles")
	}
	list := a.OK("GET", "/v1/orgs", ann, nil)["result"].([]any)
	if len(list) != 1 {
		t.Fatalf("%v", list)
	}
	own := list[0].(m)
	if own["id"] != made["company_id"] || own["role"] != "owner" || own["is_main"] != true || own["deleted_at"] != nil || own["storefront_url"] != "http://cafe.shops.test" {
		t.Errorf("%v", own)
	}
	if usage := a.Result("GET", "/tariff/usage", ann, nil); usage["products_max"].(m)["limit"] != "0" {
		t.Errorf("a new shop has limits: %v", usage)
	}
}

func TestASecondShopDoesNotBecomeTheMainOne(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	made := a.Result("POST", "/v1/orgs", owner, newShop("second"))
	if org := a.Result("GET", "/v1/orgs/current", owner, nil); org["id"] == made["company_id"] {
		t.Error("a new shop moved the owner out of the one they work in")
	}
	got := a.Send(apitest.Request{Method: "GET", Path: "/v1/orgs/current", Key: owner, Header: map[string]string{"X-Vitrine-Shop": "second"}})
	if got.Status != 200 || got.JSON["result"].(m)["id"] != made["company_id"] {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

func TestWhoOpensShops(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := a.Buyer("ann@people.test")
	guest := a.Result("POST", "/v1/auth/guest", "", nil)["token"].(string)
	admin := a.Member(shop.Admin)
	for n, c := range []struct {
		who    string
		key    string
		header map[string]string
		status int
		code   string
	}{
		{"owner", a.Session(a.OwnerID), nil, 200, ""},
		{"admin", a.Session(admin), nil, 200, ""},
		{"editor", a.Session(a.EditorID), nil, 200, ""},
		{"member of another shop", a.Session(a.StrangerID), nil, 200, ""},
		{"account without a shop", a.Session(ann), nil, 200, ""},
		{"key", a.Owner, nil, 403, "PAT_METHOD_NOT_ALLOWED"},
		{"draft key", a.Dev, nil, 403, "PAT_METHOD_NOT_ALLOWED"},
		{"guest", guest, nil, 403, "ROLE_REQUIRED"},
		{"bound session", "", a.OnHost(a.Bound(ann)), 403, "ROLE_REQUIRED"},
		{"bound session on the admin origin", a.Bound(ann), nil, 401, "UNAUTHENTICATED"},
		{"nobody", "", nil, 401, "UNAUTHENTICATED"},
	} {
		got := a.Send(apitest.Request{Method: "POST", Path: "/v1/orgs", Key: c.key, Header: c.header, Body: newShop(fmt.Sprint("cafe-", n))})
		if got.Status != c.status || apitest.Code(got.JSON) != c.code {
			t.Errorf("%s: %d %s, want %d %s", c.who, got.Status, got.Body, c.status, c.code)
		}
		list := a.Send(apitest.Request{Method: "GET", Path: "/v1/orgs", Key: c.key, Header: c.header})
		if wanted := c.code == "" || c.who == "guest" || c.who == "bound session"; (list.Status == 200) != wanted {
			t.Errorf("%s: the list answers %d %s", c.who, list.Status, list.Body)
		}
		if c.who == "bound session" && len(list.JSON["result"].([]any)) != 0 {
			t.Errorf("scripts of a shop see memberships: %s", list.Body)
		}
	}
}

func TestInvalidShopsAreNotOpened(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := a.Session(a.Buyer("ann@people.test"))
	for _, slug := range []string{
		"", "Cafe", "CAFE", "кафе", "xn--80ak6aa92e", "ab--cd", "1cafe", "-cafe", "cafe-", "ca fe", "ca.fe", "ca_fe", "cafe\n", "cafe/..", "www", "admin", "api", "mail",
		strings.Repeat("a", 64), strings.Repeat("a", 300),
	} {
		a.Refused("POST", "/v1/orgs", ann, newShop(slug), 400, "SHOP_SLUG_INVALID")
	}
	for code, wrong := range map[string]m{
		"NAME_REQUIRED":        {"slug": "cafe", "name": "  ", "currency": "EUR"},
		"CURRENCY_INVALID":     {"slug": "cafe", "name": "Cafe", "currency": "eur"},
		"PRICE_DIGITS_INVALID": {"slug": "cafe", "name": "Cafe", "currency": "JPY", "price_digits": 2},
		"TEXT_TOO_LONG":        {"slug": "cafe", "name": strings.Repeat("a", 256), "currency": "EUR"},
		"INVALID_REQUEST":      {"slug": []any{"cafe"}, "name": "Cafe", "currency": "EUR"},
	} {
		a.Refused("POST", "/v1/orgs", ann, wrong, 400, code)
	}
	a.Refused("POST", "/v1/orgs", ann, newShop("tea"), 409, "SLUG_TAKEN")
	if list := a.OK("GET", "/v1/orgs", ann, nil)["result"].([]any); len(list) != 0 {
		t.Errorf("refused calls opened %v", list)
	}
	a.OK("POST", "/v1/orgs", ann, newShop(strings.Repeat("a", 63)))
}

// A shop at the host of the admin API would take it over.
func TestTheHostOfTheAdminAPIIsNoShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t, func(c *admin.Config) { c.URLs.Admin = "https://Office.shops.test" })
	a.Refused("POST", "/v1/orgs", a.Session(a.Buyer("ann@people.test")), newShop("office"), 400, "SHOP_SLUG_INVALID")
	a.Refused("PUT", "/v1/shop/slug", a.Session(a.OwnerID), m{"slug": "office"}, 400, "SHOP_SLUG_INVALID")
}

func TestOfTwoShopsWithOneSlugOneIsOpened(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	var calls []apitest.Request
	for n := range 6 {
		calls = append(calls, apitest.Request{Method: "POST", Path: "/v1/orgs", Key: a.Session(a.Buyer(fmt.Sprintf("p%d@people.test", n))), Body: newShop("cafe")})
	}
	if got := apitest.Codes(a.AtOnce(calls...)); got[""] != 1 || got["SLUG_TAKEN"] != 5 {
		t.Errorf("%v", got)
	}
}

func TestARepeatedCallOpensOneShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	r := apitest.Request{Method: "POST", Path: "/v1/orgs", Key: a.Session(a.Buyer("ann@people.test")), Body: newShop("cafe"), Header: map[string]string{"Idempotency-Key": "1"}}
	first, again := a.Send(r), a.Send(r)
	if first.Status != 200 || string(first.Body) != string(again.Body) {
		t.Errorf("%d %s, then %d %s", first.Status, first.Body, again.Status, again.Body)
	}
}

func TestSignupMayBeClosed(t *testing.T) {
	t.Parallel()
	a := apitest.New(t, func(c *admin.Config) { c.SignupClosed = true })
	ann := a.Session(a.Buyer("ann@people.test"))
	a.Refused("POST", "/v1/orgs", ann, newShop("cafe"), 403, "SIGNUP_CLOSED")
	if _, _, err := a.Admin.Shops.Create(t.Context(), company.NewShop{Slug: "cafe", Name: "Cafe", Currency: "EUR"}, func() (shop.UserID, error) { return a.OwnerID, nil }); err != nil {
		t.Errorf("the operator cannot create shops: %v", err)
	}
}

func TestAPersonOwnsAtMostTwentyShops(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := a.Session(a.Buyer("ann@people.test"))
	open := func(n int) apitest.Answer {
		return a.Send(apitest.Request{Method: "POST", Path: "/v1/orgs", Key: ann, Body: newShop(fmt.Sprint("cafe-", n)), Header: from(fmt.Sprintf("198.51.100.%d", n))})
	}
	for n := range companydb.MaxOwned - 2 {
		if got := open(n); got.Status != 200 {
			t.Fatalf("shop %d: %d %s", n, got.Status, got.Body)
		}
	}
	var calls []apitest.Request
	for n := range 6 {
		calls = append(calls, apitest.Request{Method: "POST", Path: "/v1/orgs", Key: ann, Body: newShop(fmt.Sprint("bar-", n)), Header: from(fmt.Sprintf("203.0.113.%d", n))})
	}
	if got := apitest.Codes(a.AtOnce(calls...)); got[""] != 2 || got["RATE_LIMITED"] != 4 {
		t.Errorf("two shops were left of the limit: %v", got)
	}
	a.Send(apitest.Request{Method: "DELETE", Path: "/v1/shop", Key: ann, Body: m{"slug": "cafe-0"}, Header: map[string]string{"X-Vitrine-Shop": "cafe-0"}})
	if got := open(100); got.Status != 429 || got.Header.Get("Retry-After") == "" {
		t.Errorf("a deleted shop makes room for another at once: %d %s", got.Status, got.Body)
	}
	a.Clock.Advance(store.RestoreWindow)
	if err := companydb.DeleteExpired(t.Context(), a.Store, idOf(t, a, "cafe-0"), a.Clock.Now()); err != nil {
		t.Fatal(err)
	}
}

func TestTwentyShopsADayComeFromOneNetwork(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	open := func(n int, address string) apitest.Answer {
		key := a.Session(a.Buyer(fmt.Sprintf("p%d@people.test", n)))
		return a.Send(apitest.Request{Method: "POST", Path: "/v1/orgs", Key: key, Body: newShop(fmt.Sprint("cafe-", n)), Header: from(address)})
	}
	for n := range companydb.MaxOpened {
		if got := open(n, fmt.Sprintf("2001:db8:1:2::%x", n+1)); got.Status != 200 {
			t.Fatalf("shop %d: %d %s", n, got.Status, got.Body)
		}
		a.Clock.Advance(time.Minute)
	}
	if got := open(100, "2001:db8:1:2::ffff"); got.Status != 429 || apitest.Code(got.JSON) != "RATE_LIMITED" || got.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if got := open(101, "2001:db8:1:3::1"); got.Status != 200 {
		t.Errorf("another network: %d %s", got.Status, got.Body)
	}
	a.Clock.Advance(24*time.Hour - 19*time.Minute)
	if err := companydb.SweepOpenings(t.Context(), a.Store, a.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	if got := open(102, "2001:db8:1:2::1"); got.Status != 200 {
		t.Errorf("a day later: %d %s", got.Status, got.Body)
	}
}

func TestAShopIsCreatedWithAnOwner(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ctx := context.Background()
	type wanted struct {
		company.NewShop
		email, password string
	}
	create := func(w wanted) (companydb.Company, shop.UserID, error) {
		return a.Admin.Shops.Create(ctx, w.NewShop, func() (shop.UserID, error) { return a.Admin.Access.EnsurePerson(ctx, w.email, w.password) })
	}
	good := wanted{company.NewShop{Slug: "cafe", Name: "Cafe", Currency: "EUR"}, "cafe@people.test", "password"}
	for code, change := range map[string]func(*wanted){
		"SHOP_SLUG_INVALID":   func(s *wanted) { s.Slug = "Cafe" },
		"NAME_REQUIRED":       func(s *wanted) { s.Name = " " },
		"CURRENCY_INVALID":    func(s *wanted) { s.Currency = "eur" },
		"SLUG_TAKEN":          func(s *wanted) { s.Slug = "tea" },
		"EMAIL_INVALID":       func(s *wanted) { s.email = "cafe" },
		"PASSWORD_TOO_SHORT":  func(s *wanted) { s.password = "1234567" },
		"INVALID_CREDENTIALS": func(s *wanted) { s.email = "tea@people.test" },
	} {
		bad := good
		change(&bad)
		_, _, err := create(bad)
		if r, ok := shop.AsRefusal(err); !ok || r.Code != code {
			t.Errorf("%v, want %s", err, code)
		}
	}
	made, owner, err := create(good)
	if err != nil || made.Slug != "cafe" || owner == 0 {
		t.Fatalf("%+v %d %v", made, owner, err)
	}
	if _, err := a.Admin.Access.AddMember(ctx, made.ID, "cafe@people.test", "password", shop.Admin); err == nil ||
		!strings.Contains(err.Error(), "MEMBER_EXISTS") {
		t.Errorf("the owner became a member again: %v", err)
	}
	if _, err := a.Admin.Access.AddMember(ctx, made.ID, "new@people.test", "password", shop.Owner); err == nil ||
		!strings.Contains(err.Error(), "ROLE_UNKNOWN") {
		t.Errorf("a second owner: %v", err)
	}
	editor, err := a.Admin.Access.AddMember(ctx, made.ID, "new@people.test", "password", shop.Editor)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := people.MemberWithRole(ctx, a.Store.Shop(made.ID), shop.Editor); err != nil || id != editor {
		t.Errorf("editor %d, %v", id, err)
	}
	if made.Limits[store.LimitProducts] != 0 {
		t.Error("a new shop has plan limits")
	}
}

func idOf(t *testing.T, a *apitest.API, slug string) shop.CompanyID {
	t.Helper()
	c, err := companydb.CompanyBySlug(t.Context(), a.Store, slug)
	if err != nil {
		c, err = companydb.DeletedBySlug(t.Context(), a.Store, slug)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}
