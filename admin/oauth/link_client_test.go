package oauth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/edge/backend"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
)

func TestAssistantsRegisterForTheirProfile(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	agent := `profile="` + profile + `"`
	valid := apitest.Map{"redirect_uris": []string{callback}}
	for name, c := range map[string]struct {
		agent string
		body  apitest.Map
	}{
		"no profile":                {"", valid},
		"a profile without quotes":  {"profile=" + profile, valid},
		"another member":            {`agent="` + profile + `"`, valid},
		"a list":                    {`profile=("` + profile + `")`, valid},
		"a profile over plain http": {`profile="http://agent.test/"`, valid},
		"a profile that is no URL":  {`profile="agent"`, valid},
		"a profile with a user":     {`profile="https://a@agent.test/"`, valid},
		"another host":              {agent, apitest.Map{"redirect_uris": []string{"https://evil.test/callback"}}},
		"a host below it":           {agent, apitest.Map{"redirect_uris": []string{"https://a.agent.test/callback"}}},
		"one of two":                {agent, apitest.Map{"redirect_uris": []string{callback, "https://evil.test/"}}},
		"none":                      {agent, apitest.Map{}},
		"a script":                  {agent, apitest.Map{"redirect_uris": []string{"javascript:alert(1)"}}},
		"a fragment":                {agent, apitest.Map{"redirect_uris": []string{callback + "#a"}}},
	} {
		out := l.sendRegistration(c.agent, c.body)
		if code, _ := out.json["error"].(string); out.status != 400 || !strings.HasPrefix(code, "invalid_") {
			t.Errorf("%s: %d %s", name, out.status, out.body)
		}
	}
	if out := l.sendRegistration(agent+`, version="1"`, apitest.Map{"redirect_uris": []string{callback, "http://localhost/callback"}}); out.status != 201 {
		t.Errorf("two addresses: %d %s", out.status, out.body)
	}
	// Neither another shop nor the admin origin knows the client of a shop, and the other way round.
	if _, found, err := people.LinkClient(t.Context(), l.a.Store.Shop(l.a.Other.ID), l.client); found || err != nil {
		t.Errorf("another shop knows the client: %v", err)
	}
	members := newFlowOn(t, l.a)
	if out := members.send("GET", "/oauth/authorize?"+l.request().Encode(), "", "", nil); out.status != 400 {
		t.Errorf("the admin origin knows the client: %d", out.status)
	}
	values := l.asks()
	values.Set("client_id", members.client)
	if out := l.shown(values); out.Problem == "" {
		t.Errorf("the shop knows a client of the admin origin: %+v", out)
	}
	last := 0
	for range 21 {
		last = l.send("POST", "/oauth/register", "application/json", `{"redirect_uris":["`+callback+`"]}`, l.a.ThroughStorefront()).status
	}
	if last != 429 {
		t.Errorf("the registrations of one network are not limited: %d", last)
	}
}

// newFlowOn is newFlow on an API that runs already.
func newFlowOn(t *testing.T, a *apitest.API) *flow {
	t.Helper()
	f := &flow{t: t, a: a, email: "tea@people.test", person: a.OwnerID}
	f.client = f.register(callback)
	return f
}

// Of what is used twice nobody keeps a token, also if both use it at the same time.
func TestWhatIsUsedTwiceEndsTheLink(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	code := l.code()
	first := l.exchange(code)
	l.denied("the second use", l.exchange(code), "invalid_grant")
	if l.alive(first.json["access_token"].(string)) {
		t.Error("the token of a code that was used twice is valid")
	}
	for what, use := range map[string]func() answer{
		"code":          func() func() answer { code := l.code(); return func() answer { return l.exchange(code) } }(),
		"refresh token": func() func() answer { _, token := l.tokens(); return func() answer { return l.refresh(token) } }(),
	} {
		answers := make([]answer, 8)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = use() })
		}
		all.Wait()
		won := 0
		for _, out := range answers {
			if out.status == 200 {
				won++
				if l.alive(out.json["access_token"].(string)) {
					t.Errorf("the token of a %s that was used eight times is valid", what)
				}
			}
		}
		if won != 1 {
			t.Errorf("%d of 8 uses of one %s succeeded", won, what)
		}
	}
	_, refresh := l.tokens()
	if second := l.refresh(refresh, "scope", "dev.ucp.shopping.order:read"); second.json["error"] != "invalid_scope" {
		t.Errorf("a refresh for other scopes: %s", second.body)
	}
	if second := l.refresh(refresh); second.status != 200 {
		t.Errorf("a refused refresh used up the token: %s", second.body)
	}
	_, refresh = l.tokens()
	other := l.register(callback)
	if out := l.refresh(refresh, "client_id", other); out.status != 400 {
		t.Errorf("a refresh token of another client: %d", out.status)
	}
	if out := l.refresh(refresh); out.status != 200 {
		t.Errorf("its own client afterwards: %d %s", out.status, out.body)
	}
}

func TestAnAssistantEndsItsLink(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	for _, kind := range []string{"refresh", "access"} {
		access, refresh := l.tokens()
		sent := map[string]string{"refresh": refresh, "access": access}[kind]
		other := l.register(callback)
		if out := l.post("/oauth/revoke", url.Values{"token": {sent}, "client_id": {other}}); out.status != 200 || !l.alive(access) {
			t.Errorf("another client ends the link by the %s token: %d", kind, out.status)
		}
		if out := l.post("/oauth/revoke", url.Values{"token": {sent}}); out.status != 401 || !l.alive(access) {
			t.Errorf("nobody ends the link by the %s token: %d", kind, out.status)
		}
		if out := l.post("/oauth/revoke", url.Values{"token": {sent}, "client_id": {l.client}}); out.status != 200 || l.alive(access) {
			t.Errorf("the end by the %s token: %d", kind, out.status)
		}
		l.denied("a refresh afterwards", l.refresh(refresh), "invalid_grant")
	}
	if out := l.post("/oauth/revoke", url.Values{"token": {"nonsense"}, "client_id": {l.client}}); out.status != 200 {
		t.Errorf("an unknown token: %d", out.status)
	}
}

// Nothing of the admin API takes the token of an assistant, on any host.
func TestTheAdminAPIRefusesTokensOfAssistants(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	access, refresh := l.tokens()
	checked := 0
	for _, e := range l.a.Admin.Table() {
		if e.Auth == api.Link {
			continue // needs no token
		}
		path := e.Path
		for strings.Contains(path, "{") {
			before, rest, _ := strings.Cut(path, "{")
			_, after, _ := strings.Cut(rest, "}")
			path = before + "1" + after
		}
		for where, header := range map[string]map[string]string{"the admin origin": {}, "the shop's host": l.a.ThroughStorefront(), "another shop's host": l.other()} {
			for _, token := range []string{access, refresh} {
				header := maps.Clone(header)
				header["Authorization"] = "Bearer " + token
				header["X-Forwarded-For"] = fmt.Sprintf("198.51.%d.%d", checked/250%250, checked%250)
				checked++
				if out := l.send(e.Method, path, "application/json", "{}", header); out.status != 401 {
					t.Errorf("%s %s takes the token at %s: %d %.100s", e.Method, e.Path, where, out.status, out.body)
				}
			}
		}
	}
	if checked < 1000 {
		t.Errorf("only %d calls were made", checked)
	}
}

func (l *linking) other() map[string]string {
	header := l.a.ThroughStorefront()
	for name := range header {
		header[name] = l.a.Other.ID.String()
	}
	return header
}

// What ends an account, or shuts out who knew its password, ends its links.
func TestLinksEndWithWhatTheyRestOn(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	access, _ := l.tokens()
	out := l.a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/password", Header: l.a.OnHost(l.session), Body: apitest.Map{"password": password, "new_password": password}})
	if out.Status != 200 || l.alive(access) {
		t.Errorf("after another password: %d %s", out.Status, out.Body)
	}
	access, _ = l.tokens()
	l.a.Ordered(l.person)
	var customer shop.CustomerID
	if err := l.a.Store.Pool.QueryRow(t.Context(), `SELECT id FROM customer WHERE company_id = $1`, l.a.Shop.ID).Scan(&customer); err != nil {
		t.Fatal(err)
	}
	held, _, err := privacy.HeldOf(t.Context(), l.a.Store.Shop(l.a.Shop.ID), customer)
	if err != nil || held.Links != 1 {
		t.Errorf("the shop holds %+v %v", held, err)
	}
	export, err := privacy.ExportPerson(t.Context(), l.a.Store, l.person, l.a.Shop.ID)
	if err != nil || !strings.Contains(string(export), profile) || strings.Contains(string(export), "hash") {
		t.Errorf("the export: %v %s", err, export)
	}
	if _, err := privacy.EraseCustomer(t.Context(), l.a.Store, l.a.Shop.ID, customer); err != nil || l.alive(access) {
		t.Errorf("after the erasure: %v", err)
	}
	access, _ = l.tokens()
	pending := l.code()
	if err := privacy.RemovePerson(t.Context(), l.a.Store, l.person); err != nil || l.alive(access) {
		t.Errorf("after the removal of the account: %v", err)
	}
	l.denied("a code of a person who left", l.exchange(pending), "invalid_grant")
}

func TestLinksAreBoundedHashedAndSwept(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	access, refresh := l.tokens()
	unused := l.code()
	for _, text := range []string{access, refresh, unused} {
		for _, table := range []string{"assistant_link", "assistant_token", "assistant_client", "audit_log"} {
			var found bool
			if err := l.a.Store.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM `+table+` r WHERE r::text LIKE '%' || $1 || '%')`, text).Scan(&found); err != nil || found {
				t.Errorf("%s contains a secret: %v", table, err)
			}
		}
	}
	now := l.a.Clock.Now()
	for i := range people.MaxLinks {
		err := l.a.Store.Write(t.Context(), l.a.Shop.ID, func(tx *store.Tx) error {
			return people.AgreeToLink(t.Context(), tx, secret.Hash(fmt.Sprint(i)), people.Consent{Client: l.client, Person: l.person, Scopes: []shop.Scope{}}, now, now)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	count := func(table string) (n int) {
		t.Helper()
		if err := l.a.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count("assistant_link"); n != people.MaxLinks || l.alive(access) {
		t.Errorf("%d links of one person", n)
	}
	l.tokens()
	l.a.Clock.Advance(400 * 24 * time.Hour)
	for range 2 {
		if err := people.SweepLinks(t.Context(), l.a.Store, l.a.Clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"assistant_link", "assistant_token", "assistant_client"} {
		if n := count(table); n != 0 {
			t.Errorf("%s keeps %d expired rows", table, n)
		}
	}
}

// A client that registered with the keys of its profile proves with them who it is.
func TestAClientSignsWithAKeyOfItsProfile(t *testing.T) {
	t.Parallel()
	key, other := newKey(t), newKey(t)
	var published atomic.Pointer[string]
	publish := func(id string, key *ecdsa.PrivateKey) { text := profileWith(t, id, key); published.Store(&text) }
	publish("k1", key)
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, *published.Load()) //nolint:errcheck // the client may be gone
	}))
	t.Cleanup(agent.Close)
	l := newLinking(t)
	l.redirect = "http://127.0.0.1/callback"
	out := l.sendRegistration(`profile="`+agent.URL+`"`, apitest.Map{"redirect_uris": []string{l.redirect}, "token_endpoint_auth_method": "private_key_jwt"})
	if out.status != 201 || out.json["token_endpoint_auth_method"] != "private_key_jwt" {
		t.Fatalf("the registration: %d %s", out.status, out.body)
	}
	l.client = out.json["client_id"].(string)
	now := l.a.Clock.Now()
	claims := func(change ...any) jwt.MapClaims {
		c := jwt.MapClaims{"iss": l.client, "sub": l.client, "aud": shopOrigin, "exp": now.Add(time.Minute).Unix(), "jti": "1"}
		for i := 0; i < len(change); i += 2 {
			if c[change[i].(string)] = change[i+1]; change[i+1] == nil {
				delete(c, change[i].(string))
			}
		}
		return c
	}
	signed := func(method jwt.SigningMethod, with any, kid string, c jwt.MapClaims) string {
		token := jwt.NewWithClaims(method, c)
		token.Header["kid"] = kid
		text, err := token.SignedString(with)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	valid := signed(jwt.SigningMethodES256, key, "k1", claims())
	for name, assertion := range map[string]string{
		"none":            "",
		"nonsense":        "a.b.c",
		"another key":     signed(jwt.SigningMethodES256, other, "k1", claims()),
		"an unknown key":  signed(jwt.SigningMethodES256, key, "k2", claims()),
		"no signature":    signed(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "k1", claims()),
		"a shared secret": signed(jwt.SigningMethodHS256, []byte("secret"), "k1", claims()),
		"another shop":    signed(jwt.SigningMethodES256, key, "k1", claims("aud", "http://rival.shops.test")),
		"another client":  signed(jwt.SigningMethodES256, key, "k1", claims("sub", "another")),
		"another issuer":  signed(jwt.SigningMethodES256, key, "k1", claims("iss", "another")),
		"expired":         signed(jwt.SigningMethodES256, key, "k1", claims("exp", now.Add(-time.Second).Unix())),
		"without an end":  signed(jwt.SigningMethodES256, key, "k1", claims("exp", nil)),
		"for an hour":     signed(jwt.SigningMethodES256, key, "k1", claims("exp", now.Add(time.Hour).Unix())),
		"not yet":         signed(jwt.SigningMethodES256, key, "k1", claims("nbf", now.Add(time.Minute).Unix())),
	} {
		out := l.exchange(l.code(), "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "client_assertion", assertion)
		if out.status != http.StatusUnauthorized || out.json["error"] != "invalid_client" {
			t.Errorf("%s: %d %s", name, out.status, out.body)
		}
	}
	kind := []string{"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "client_assertion", valid}
	for name, aud := range map[string]any{"the origin": shopOrigin, "the address": shopOrigin + "/api/oauth/token", "a list": []string{"x", shopOrigin}} {
		if out := l.exchange(l.code(), kind[0], kind[1], kind[2], signed(jwt.SigningMethodES256, key, "k1", claims("aud", aud))); out.status != 200 {
			t.Errorf("for %s: %d %s", name, out.status, out.body)
		}
	}
	out = l.exchange(l.code(), append(kind, "client_id", "")...)
	if out.status != 200 {
		t.Fatalf("without client_id: %d %s", out.status, out.body)
	}
	if again := l.refresh(out.json["refresh_token"].(string)); again.status != 401 {
		t.Errorf("a refresh without a proof: %d %s", again.status, again.body)
	}
	again := l.refresh(out.json["refresh_token"].(string), kind...)
	if again.status != 200 {
		t.Fatalf("a refresh: %d %s", again.status, again.body)
	}
	ended := url.Values{"token": {again.json["refresh_token"].(string)}, "client_id": {l.client}}
	if out := l.post("/oauth/revoke", ended); out.status != 401 || !l.alive(again.json["access_token"].(string)) {
		t.Errorf("the end without a proof: %d", out.status)
	}
	ended.Set(kind[0], kind[1])
	ended.Set(kind[2], valid)
	if out := l.post("/oauth/revoke", ended); out.status != 200 || l.alive(again.json["access_token"].(string)) {
		t.Errorf("the end: %d %s", out.status, out.body)
	}
	// The profile has another key now, and then cannot be read any more.
	publish("k2", other)
	l.a.Clock.Advance(time.Minute)
	now = l.a.Clock.Now()
	prove := func(with *ecdsa.PrivateKey, kid string) answer {
		return l.exchange(l.code(), kind[0], kind[1], kind[2], signed(jwt.SigningMethodES256, with, kid, claims()))
	}
	if out := prove(other, "k2"); out.status != 200 {
		t.Errorf("the new key: %d %s", out.status, out.body)
	}
	if out := prove(key, "k1"); out.status != 401 {
		t.Errorf("the former key: %d %s", out.status, out.body)
	}
	agent.Close()
	l.a.Clock.Advance(time.Minute)
	now = l.a.Clock.Now()
	if out := prove(other, "k2"); out.status != 401 || !strings.Contains(out.json["error_description"].(string), "cannot be read") {
		t.Errorf("without a profile: %d %s", out.status, out.body)
	}
}

// profileWith is a profile that publishes one key.
func profileWith(t *testing.T, id string, key *ecdsa.PrivateKey) string {
	t.Helper()
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	coordinate := func(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
	return fmt.Sprintf(`{"ucp": {"version": "2026-04-08", "services": {}, "capabilities": {}, "payment_handlers": {}},
		"signing_keys": [{"kid": %q, "kty": "EC", "crv": "P-256", "x": %q, "y": %q}]}`, id, coordinate(point[1:33]), coordinate(point[33:]))
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Nobody can link an assistant that the shop has blocked, and what it has gets it no new tokens.
func TestABlockedAssistantIsNotLinked(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	_, refresh := l.tokens()
	code, consent := l.code(), l.shown(l.asks()).Consent
	block := func(blocked bool) {
		t.Helper()
		l.a.OK("PUT", "/v1/shop/assistants/platforms", l.a.Session(l.a.OwnerID), apitest.Map{"profile": profile, "blocked": blocked})
	}
	block(true)
	for what, out := range map[string]answer{
		"a registration": l.sendRegistration(`profile="`+profile+`"`, apitest.Map{"redirect_uris": []string{callback}}),
		"a code":         l.exchange(code), "a refresh": l.refresh(refresh),
	} {
		if out.status != 403 || out.json["error"] != "profile_not_trusted" {
			t.Errorf("%s: %d %s", what, out.status, out.body)
		}
	}
	if out := l.shown(l.asks()); out.Problem == "" || out.Consent != "" || out.Back != "" {
		t.Errorf("the page shows %+v", out)
	}
	decision := backend.LinkDecision{Consent: consent, Allow: true, Proof: backend.Proof{Password: password}}
	if _, refused, err := l.page(l.session, l.a.Shop.ID).DecideLink(decision); err != nil || refused == nil {
		t.Errorf("a page that was shown before: %+v %v", refused, err)
	}
	block(false)
	if out := l.refresh(refresh); out.status != 200 {
		t.Errorf("afterwards: %d %s", out.status, out.body)
	}
	block(true)
	if out := l.post("/oauth/revoke", url.Values{"token": {refresh}, "client_id": {l.client}}); out.status != 200 {
		t.Errorf("a blocked assistant cannot end its link: %d %s", out.status, out.body)
	}
}
