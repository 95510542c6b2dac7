package access_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/letter"
	"vitrine/internal/store/people"
)

const (
	forgot = "/v1/auth/password/forgot"
	reset  = "/v1/auth/password/reset"
	me     = "/v1/auth/me"
)

// register creates an account and returns the token of its session.
func register(a *apitest.API, email string) string {
	return a.Result("POST", "/v1/auth/register", "", person(email, "password"))["token"].(string)
}

func TestAForgottenPasswordIsResetByTheLink(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	old := register(a, "ann@people.test")
	a.OK("POST", forgot, "", m{"email": "ANN@people.test"})
	first := a.Code("ann@people.test")
	a.OK("POST", forgot, "", m{"email": "ann@people.test"})
	token := a.Code("ann@people.test")
	refused := func(token string) {
		t.Helper()
		a.Refused("POST", reset, "", m{"token": token, "password": "new password"}, 401, "RESET_INVALID")
	}
	refused(first) // only the newest link is valid
	for _, wrong := range []string{"", "vr_", token[:len(token)-1] + "~", strings.Repeat("x", 65), "vi" + token[2:]} {
		refused(wrong)
	}
	a.Refused("POST", reset, "", m{"token": token, "password": "short"}, 400, "PASSWORD_TOO_SHORT")
	made := a.Result("POST", reset, "", m{"token": token, "password": "new password"})
	if user := made["user"].(m); user["email"] != "ann@people.test" || user["proven"] != true {
		t.Errorf("%v", user)
	}
	refused(token) // valid only once
	a.Refused("GET", me, old, nil, 401, "UNAUTHENTICATED")
	a.OK("GET", me, made["token"].(string), nil)
	a.Refused("POST", "/v1/auth/login", "", person("ann@people.test", "password"), 401, "INVALID_CREDENTIALS")
	a.OK("POST", "/v1/auth/login", "", person("ann@people.test", "new password"))

	a.OK("POST", forgot, "", m{"email": "ann@people.test"})
	late := a.Code("ann@people.test")
	a.Clock.Advance(time.Hour)
	refused(late)
	if err := people.SweepResets(t.Context(), a.Store, a.Clock.Now()); err != nil {
		t.Error(err)
	}
}

// The response does not reveal whether an address has an account, and an address without one gets
// no letter.
func TestForgotDoesNotRevealAccounts(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	register(a, "ann@people.test")
	work := func() (statements []string) {
		for _, s := range a.Sent.Take() {
			statements = append(statements, s.SQL)
		}
		return statements
	}
	work()
	known := a.Send(apitest.Request{Method: "POST", Path: forgot, Body: m{"email": "ann@people.test"}})
	forKnown := work()
	unknown := a.Send(apitest.Request{Method: "POST", Path: forgot, Body: m{"email": "bob@people.test"}})
	if forUnknown := work(); len(forKnown) < 3 || !slices.Equal(forKnown, forUnknown) {
		t.Errorf("the work for a known address is\n%q\nfor an unknown one\n%q", forKnown, forUnknown)
	}
	if known.Status != 200 || unknown.Status != 200 || string(known.Body) != string(unknown.Body) {
		t.Errorf("%d %s, %d %s", known.Status, known.Body, unknown.Status, unknown.Body)
	}
	letters, err := letter.PlatformLetters(t.Context(), a.Store, a.Clock.Now(), 10)
	if err != nil || len(letters) != 1 {
		t.Errorf("%d letters, %v", len(letters), err)
	}
	a.Refused("POST", forgot, "", m{"email": "ann"}, 400, "EMAIL_INVALID")
	for range 8 {
		a.OK("POST", forgot, "", m{"email": "cat@people.test"})
	}
	a.Refused("POST", forgot, "", m{"email": "cat@people.test"}, 429, "RATE_LIMITED")
}

// The link leads to the shop where it was requested, at the shop's primary host name.
func TestTheLinkLeadsToTheShop(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	register(a, "ann@people.test")
	got := a.Send(apitest.Request{Method: "POST", Path: forgot, Body: m{"email": "ann@people.test"}, Header: a.ThroughStorefront()})
	letters, err := letter.PlatformLetters(t.Context(), a.Store, a.Clock.Now(), 1)
	if err != nil || got.Status != 200 || !strings.Contains(letters[0].Text, "/account/reset?token=vr_") {
		t.Fatalf("%d %v, %v", got.Status, letters, err)
	}
}

// A new address requires the password or a code, and takes effect when the code sent to it is
// confirmed; then the old address is replaced and notified.
func TestAnAddressMovesByItsCode(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann, other := register(a, "ann@people.test"), register(a, "bob@people.test")
	second := a.Result("POST", "/v1/auth/login", "", person("ann@people.test", "password"))["token"].(string)
	a.Refused("PUT", me, ann, m{"email": "new@people.test"}, 401, "INVALID_CREDENTIALS")
	a.Refused("PUT", me, ann, m{"email": "new@people.test", "password": "wrong"}, 401, "INVALID_CREDENTIALS")
	a.Refused("PUT", me, ann, m{"email": "new@people.test", "code": "123456"}, 401, "CODE_INVALID")
	a.Refused("PUT", me, ann, m{"email": "new", "password": "password"}, 400, "EMAIL_INVALID")
	a.OK("PUT", me, ann, m{"email": "ANN@people.test"}) // the same address
	waits := a.Result("PUT", me, ann, m{"email": "new@people.test", "password": "password", "name": "Anna"})
	if waits["email"] != "ann@people.test" || waits["next_email"] != "new@people.test" || waits["name"] != "Anna" {
		t.Errorf("%v", waits)
	}
	code := a.Code("new@people.test")
	a.Refused("POST", confirmation, ann, m{"email": "new@people.test", "code": wrongCode(code)}, 401, "CODE_INVALID")
	made := a.Result("POST", confirmation, ann, m{"email": "new@people.test", "code": code})
	if user := made["user"].(m); user["email"] != "new@people.test" || user["next_email"] != "" || user["proven"] != true || user["name"] != "Anna" {
		t.Errorf("%v", user)
	}
	a.OK("GET", me, second, nil) // only a new password ends other sessions
	a.OK("POST", "/v1/auth/login", "", person("new@people.test", "password"))
	letters, err := letter.PlatformLetters(t.Context(), a.Store, a.Clock.Now(), 1)
	if err != nil || letters[0].To != "ann@people.test" || letters[0].Kind != "email_changed" {
		t.Errorf("%v, %v", letters, err)
	}

	// An address that already has an account stays with it: its code opens that account.
	by := made["token"].(string)
	a.OK("PUT", me, by, m{"email": "bob@people.test", "password": "password"})
	if user := a.Result("POST", confirmation, by, m{"email": "bob@people.test", "code": a.Code("bob@people.test")})["user"].(m); user["name"] != "Ann" {
		t.Errorf("%v", user)
	}
	a.Refused("GET", me, other, nil, 401, "UNAUTHENTICATED")
	if still := a.Result("GET", me, by, nil); still["email"] != "new@people.test" {
		t.Errorf("%v", still)
	}
}

// Texts in profiles have a maximum length, like any other text.
func TestTextsOfProfilesAreLimited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := register(a, "ann@people.test")
	book := "/v1/account/addresses"
	a.OK("PUT", me, ann, m{"name": strings.Repeat("я", 255), "phone": strings.Repeat("1", 64)})
	for _, c := range []struct {
		method, path, field string
		most                int
	}{
		{"PUT", me, "name", 255}, {"PUT", me, "phone", 64}, {"POST", book, "name", 255}, {"POST", book, "phone", 64}, {"POST", book, "city", 255},
		{"POST", book, "street", 500}, {"POST", book, "postcode", 32}, {"POST", book, "comment", 1000},
	} {
		send := m{"company_id": a.Shop.ID, "city": "Lisboa", c.field: strings.Repeat("я", c.most+1)}
		a.Refused(c.method, c.path, ann, send, 400, "TEXT_TOO_LONG")
	}
}

// A code can replace the old password when changing it, once.
func TestACodeCanReplaceTheOldPassword(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := register(a, "ann@people.test")
	code := sendCode(a, "ann@people.test")
	a.OK("POST", "/v1/auth/password", ann, m{"code": code, "new_password": "new password"})
	a.Refused("POST", "/v1/auth/password", ann, m{"code": code, "new_password": "new password"}, 401, "CODE_INVALID")
	a.OK("POST", "/v1/auth/login", "", person("ann@people.test", "new password"))
}

// The export contains all data about a person on the admin origin, and the data of one shop in
// a session of that shop.
func TestAPersonExportsTheirData(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := register(a, "ann@people.test")
	book := "/v1/account/addresses"
	a.OK("POST", book, ann, m{"company_id": a.Shop.ID, "city": "Lisboa"})
	a.OK("POST", book, ann, m{"company_id": a.Other.ID, "city": "Porto"})
	product := a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Cup", "is_published": true, "price": m{"price": 10}}})
	a.OK("POST", fmt.Sprintf("/cart/items/%v/default", product["id"]), ann, m{"quantity": 2, "data": m{"text": "for Ines"}})
	a.OK("POST", "/cart/confirm", ann, m{"company_id": a.Shop.ID, "contact": m{"name": "Ann", "phone": "123"}})
	whole := a.Send(apitest.Request{Method: "GET", Path: "/v1/account/export", Key: ann})
	for _, want := range []string{"ann@people.test", "Lisboa", "Porto", "for Ines", "Cup"} {
		if !strings.Contains(string(whole.Body), want) {
			t.Errorf("%q is not in %s", want, whole.Body)
		}
	}
	if strings.Contains(string(whole.Body), "argon2") {
		t.Error("the hash of the password is in the file")
	}
	bound := a.Send(apitest.Request{
		Method: "POST", Path: "/v1/auth/login", Body: person("ann@people.test", "password"), Header: a.ThroughStorefront(),
	})
	one := a.Send(apitest.Request{Method: "GET", Path: "/v1/account/export", Header: a.OnHost(bound.Cookie())})
	if one.Status != 200 || !strings.Contains(string(one.Body), "Lisboa") || strings.Contains(string(one.Body), "Porto") {
		t.Errorf("%d %s", one.Status, one.Body)
	}
}

// Deleting a person deletes their data; their orders stay without personal data.
func TestDeletingAPerson(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := register(a, "ann@people.test")
	product := a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Cup", "is_published": true, "price": m{"price": 10}}})
	line := fmt.Sprintf("/cart/items/%v/default", product["id"])
	a.OK("POST", "/v1/account/addresses", ann, m{"company_id": a.Shop.ID, "city": "Lisboa"})
	a.OK("POST", line, ann, m{"quantity": 2})
	order := a.Result("POST", "/cart/confirm", ann, m{
		"company_id": a.Shop.ID, "contact": m{"name": "Canary", "phone": "555canary", "email": "canary@people.test"},
		"address": m{"city": "Canary"}, "comment": "canary",
	})
	path := fmt.Sprintf("/orders/%v", order["id"])
	a.OK("POST", path+"/messages", ann, m{"text": "a canary sings"})
	a.OK("POST", line, ann, m{"quantity": 1})
	a.Refused("DELETE", "/v1/account", ann, m{"password": "wrong"}, 401, "INVALID_CREDENTIALS")
	a.Refused("DELETE", "/v1/account", a.Owner, m{}, 403, "PAT_METHOD_NOT_ALLOWED")
	a.OK("DELETE", "/v1/account", ann, m{"password": "password"})
	a.Refused("GET", me, ann, nil, 401, "UNAUTHENTICATED")
	a.Refused("POST", "/v1/auth/login", "", person("ann@people.test", "password"), 401, "INVALID_CREDENTIALS")
	seller := a.Session(a.OwnerID)
	for _, p := range []string{path, path + "/messages", path + "/history"} {
		got := a.Send(apitest.Request{Method: "GET", Path: p, Key: seller})
		if got.Status != 200 || strings.Contains(strings.ToLower(string(got.Body)), "canary") {
			t.Errorf("%s: %d %s", p, got.Status, got.Body)
		}
	}
	if got := a.Result("GET", path, seller, nil); got["items_total"] != 20.0 {
		t.Errorf("the sums should stay: %v", got)
	}
	again := register(a, "ann@people.test")
	a.Refused("GET", path, again, nil, 403, "DENIED")
}

// The only owner of a shop cannot be deleted; members of a shop delete their account on the
// admin origin, where no scripts of shops run. A guest needs no password.
func TestDeletionsThatAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	email := a.Result("GET", me, owner, nil)["email"].(string)
	a.Refused("DELETE", "/v1/account", owner, m{"code": sendCode(a, email)}, 400, "LAST_OWNER")
	a.OK("GET", me, owner, nil)
	signed := a.Send(apitest.Request{
		Method: "POST", Path: confirmation, Body: m{"email": email, "code": sendCode(a, email)}, Header: a.ThroughStorefront(),
	})
	removal := apitest.Request{Method: "DELETE", Path: "/v1/account", Body: m{"code": sendCode(a, email)}, Header: a.OnHost(signed.Cookie())}
	if got := a.Send(removal); got.Status != 403 || apitest.Code(got.JSON) != "ROLE_REQUIRED" {
		t.Errorf("on the shop's host: %d %s", got.Status, got.Body)
	}

	guest := a.Result("POST", "/v1/auth/guest", "", m{})["token"].(string)
	a.OK("DELETE", "/v1/account", guest, m{})
	a.Refused("GET", me, guest, nil, 401, "UNAUTHENTICATED")
}

// An export beyond the size limit is refused before any of it is read.
func TestExportsAreLimited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	ann := register(a, "ann@people.test")
	conn, err := pgx.Connect(t.Context(), a.URL)
	if err != nil {
		t.Fatal(err)
	}
	lines := func(n int) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), `
			WITH o AS (
				INSERT INTO shop_order (company_id, number, person_id, items_total, discount_total, currency, grand_total, contact_name, contact_phone)
				SELECT $1, 1000 + $2::integer, id, 0, 0, 'EUR', 0, 'Ann', '1' FROM person WHERE email = 'ann@people.test' RETURNING company_id, id)
			INSERT INTO order_line (company_id, order_id, product_id, key, name, quantity, unit_price)
			SELECT company_id, id, 1, 'default', 'Tea', 1, 0 FROM o, generate_series(1, $2::integer)`, a.Shop.ID, n); err != nil {
			t.Fatal(err)
		}
	}
	lines(1000)
	a.OK("GET", "/v1/account/export", ann, nil)
	lines(99_001)
	a.Refused("GET", "/v1/account/export", ann, nil, 400, "EXPORT_TOO_LARGE")
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
