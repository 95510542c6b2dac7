package apitest

import (
	"context"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"time"

	"vitrine/admin/access"
	"vitrine/internal/cookie"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/letter"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
)

// Member adds a person to Shop.
func (a *API) Member(role shop.Role) shop.UserID {
	a.t.Helper()
	ctx := context.Background()
	id, err := people.CreatePerson(ctx, a.Store, string(role)+strconv.FormatInt(time.Now().UnixNano(), 36)+"@people.test", "", "-")
	a.must(err)
	a.must(a.Store.Write(ctx, a.Shop.ID, func(tx *store.Tx) error { return people.AddMember(ctx, tx, id, role) }))
	return id
}

// Key issues a key of Shop. Without scopes it gets every scope that the role may grant.
func (a *API) Key(person shop.UserID, role shop.Role, contour shop.Contour, scopes ...shop.Scope) string {
	a.t.Helper()
	if len(scopes) == 0 {
		scopes = everyScope(role)
	}
	return a.issue(a.Shop.ID, person, access.KeyRequest{Contour: contour, Scopes: scopes})
}

// Scoped returns a production key of Shop's owner with exactly these scopes.
func (a *API) Scoped(scopes ...shop.Scope) string {
	a.t.Helper()
	return a.Key(a.OwnerID, shop.Owner, shop.Prod, scopes...)
}

func (a *API) issue(company shop.CompanyID, person shop.UserID, in access.KeyRequest) string {
	a.t.Helper()
	in.Name = "test"
	key, _, err := a.Admin.Access.IssueKey(context.Background(), company, person, in)
	a.must(err)
	return key
}

// Grant lets a program act for a person in Shop, and returns an access token of it.
func (a *API) Grant(person shop.UserID, scopes ...shop.Scope) (token string) {
	a.t.Helper()
	ctx, now := context.Background(), a.Clock.Now()
	client, err := people.RegisterClient(ctx, a.Store, people.Client{Name: "Assistant", Redirects: []string{"https://agent.test/callback"}})
	a.must(err)
	var pair people.TokenPair
	token, pair.Access, err = secret.New(secret.Access)
	a.must(err)
	_, pair.Refresh, err = secret.New(secret.Refresh)
	a.must(err)
	pair.AccessExpires, pair.RefreshExpires = now.Add(time.Hour), now.Add(60*24*time.Hour)
	a.must(a.Store.Write(ctx, a.Shop.ID, func(tx *store.Tx) error {
		if err := tx.LockMembers(ctx); err != nil {
			return err
		}
		key, err := a.Admin.Access.GrantKey(ctx, tx, people.APIKey{
			Company: a.Shop.ID, Person: person, Client: client, Name: "Assistant", Contour: shop.Dev, Scopes: scopes, CreatedAt: now,
		})
		if err != nil {
			return err
		}
		return people.StoreTokens(ctx, tx, key, pair, now)
	}))
	return token
}

// Session signs a person in and returns the token.
func (a *API) Session(person shop.UserID) string {
	a.t.Helper()
	return a.session(person, 0)
}

func (a *API) session(person shop.UserID, bound shop.CompanyID) string {
	a.t.Helper()
	token, hash, err := secret.New(secret.Session)
	a.must(err)
	now := a.Clock.Now()
	a.must(people.CreateSession(context.Background(), a.Store, people.NewSession{TokenHash: hash, Person: person, Bound: bound, At: now, Expires: now.Add(time.Hour)}))
	return token
}

var codeForm = regexp.MustCompile(`\bv[ir]_[0-9A-Za-z]{36}\b|\b[0-9]{6}\b`)

// Code returns the code in the newest letter to an address.
func (a *API) Code(address string) string {
	a.t.Helper()
	letters, err := letter.PlatformLetters(context.Background(), a.Store, a.Clock.Now(), 1000)
	a.must(err)
	for _, letter := range letters {
		if letter.To == address {
			return codeForm.FindString(letter.Text)
		}
	}
	a.t.Fatalf("no letter to %s", address)
	return ""
}

// Limit sets plan limits of Shop; 0 removes one.
func (a *API) Limit(limits company.Limits) {
	a.t.Helper()
	ctx := context.Background()
	a.must(a.Store.Write(ctx, a.Shop.ID, func(tx *store.Tx) error {
		_, err := company.SetLimits(ctx, tx, maps.Clone(limits))
		return err
	}))
}

// Close puts Shop behind an unknown PIN, or opens it.
func (a *API) Close(closed bool) {
	a.t.Helper()
	ctx := context.Background()
	a.must(a.Store.Write(ctx, a.Shop.ID, func(tx *store.Tx) error { return company.SetClosed(ctx, tx, closed, "-") }))
}

// ThroughStorefront returns the headers of a call through Shop's storefront host, for
// Request.Header.
func (a *API) ThroughStorefront() map[string]string {
	return map[string]string{storefrontHeader: a.Shop.ID.String()}
}

// Bound signs a person in on Shop's host and returns the token of the session cookie.
func (a *API) Bound(person shop.UserID) string {
	a.t.Helper()
	return a.session(person, a.Shop.ID)
}

// BoundAt is Bound on another shop's host.
func (a *API) BoundAt(company shop.CompanyID, person shop.UserID) string {
	a.t.Helper()
	return a.session(person, company)
}

var sessionCookie = cookie.Secure.Key(cookie.Session) + "="

// OnHost returns the headers of a call on Shop's host in the session with this token.
func (a *API) OnHost(token string) map[string]string {
	header := a.ThroughStorefront()
	header["Cookie"] = sessionCookie + token
	return header
}

// Cookie returns the session token that a response sets, or "".
func (out Answer) Cookie() string {
	value, _ := strings.CutPrefix(out.Header.Get("Set-Cookie"), sessionCookie)
	value, _, _ = strings.Cut(value, ";")
	return value
}

// OverPlainHTTP is ThroughStorefront over plain HTTP, where browsers do not keep cookies.
func (a *API) OverPlainHTTP() map[string]string {
	return map[string]string{storefrontHeader: a.Shop.ID.String(), plainHeader: "1"}
}

// WithPIN is ThroughStorefront for a visitor who has entered the PIN.
func (a *API) WithPIN() map[string]string {
	return map[string]string{storefrontHeader: a.Shop.ID.String(), admittedHeader: "1"}
}

// WithOpenedPolicies is ThroughStorefront for a visitor who has opened access policies.
func (a *API) WithOpenedPolicies(policies ...shop.PolicyID) map[string]string {
	return map[string]string{storefrontHeader: a.Shop.ID.String(), openedHeader: string(shop.NewUnlocked(policies...))}
}

func everyScope(role shop.Role) (scopes []shop.Scope) {
	for _, s := range shop.Scopes {
		if role.CanManage() || !s.Sensitive {
			scopes = append(scopes, s.Scope)
		}
	}
	return scopes
}

// Buyer creates a person with an account and no role in any shop.
func (a *API) Buyer(email string) shop.UserID {
	a.t.Helper()
	id, err := people.CreatePerson(a.t.Context(), a.Store, email, "", people.NoPassword)
	a.must(err)
	return id
}

// Ordered records an order of a person in Shop, which makes them its customer.
func (a *API) Ordered(person shop.UserID) {
	a.t.Helper()
	ctx := a.t.Context()
	o := sales.Order{
		Person: person, Contact: sales.Contact{Name: "Ann", Phone: "1"}, Currency: a.Shop.Currency,
		Lines: []sales.OrderLine{{Product: 1, Key: "default", Name: "Tea", Quantity: 1}},
	}
	a.must(a.Store.Write(ctx, a.Shop.ID, func(tx *store.Tx) error { return sales.PlaceOrder(ctx, tx, &o) }))
}
