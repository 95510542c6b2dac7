package oauth_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/admin/api/apitest"
	"vitrine/edge/backend"
	"vitrine/internal/cookie"
	"vitrine/internal/origin"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

const (
	shopOrigin = "http://tea.shops.test"
	profile    = "https://agent.test/profile.json"
	meiMail    = "mei@people.test"
)

// linking is an assistant and a buyer of a shop.
type linking struct {
	*flow
	session, redirect string
}

func newLinking(t *testing.T) *linking {
	t.Helper()
	l := &linking{flow: &flow{t: t, a: apitest.New(t), email: meiMail}, redirect: callback}
	l.person = l.buyer(meiMail)
	l.session = l.a.Bound(l.person)
	l.client = l.register(callback)
	return l
}

func (l *linking) buyer(email string) shop.UserID {
	l.t.Helper()
	hash, err := secret.HashPassword(password)
	if err != nil {
		l.t.Fatal(err)
	}
	id, err := people.CreatePerson(l.t.Context(), l.a.Store, email, "Mei", hash)
	if err != nil {
		l.t.Fatal(err)
	}
	return id
}

// post sends a form of the assistant to the host of the shop.
func (l *linking) post(path string, values url.Values) answer {
	l.t.Helper()
	return l.send("POST", path, form, values.Encode(), l.a.ThroughStorefront())
}

func (l *linking) get(path string) answer {
	l.t.Helper()
	return l.send("GET", path, "", "", l.a.ThroughStorefront())
}

func (l *linking) sendRegistration(agent string, body apitest.Map) answer {
	l.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		l.t.Fatal(err)
	}
	header := l.a.ThroughStorefront()
	header["UCP-Agent"] = agent
	header["X-Forwarded-For"] = fmt.Sprintf("203.0.113.%d", len(text)%200)
	return l.send("POST", "/oauth/register", "application/json", string(text), header)
}

func (l *linking) register(redirects ...string) string {
	l.t.Helper()
	out := l.sendRegistration(`profile="`+profile+`"`, apitest.Map{"client_name": "Agent <b>", "redirect_uris": redirects})
	if out.status != 201 || out.json["token_endpoint_auth_method"] != "none" {
		l.t.Fatalf("registration: %d %s", out.status, out.body)
	}
	return out.json["client_id"].(string)
}

// page makes the calls of the page of the shop in a session.
func (l *linking) page(session string, company shop.CompanyID) *backend.Visitor {
	var request fasthttp.RequestHeader
	request.SetHost("tea.shops.test")
	request.Set("Sec-Fetch-Site", "same-origin")
	request.SetCookie(cookie.Secure.Key(cookie.Session), session)
	var socket fasthttp.RequestCtx
	return backend.New(l.a.Admin.Handler(), origin.Storefront{Shop: company, Cookies: cookie.Secure}, &request, socket.RemoteAddr())
}

func (l *linking) asks() url.Values {
	values := l.request()
	values.Del("resource")
	values.Set("redirect_uri", l.redirect)
	return values
}

// shown is the page of a request.
func (l *linking) shown(request url.Values) backend.LinkRequest {
	l.t.Helper()
	out, refused, err := l.page(l.session, l.a.Shop.ID).LinkRequest(request)
	if err != nil || refused != nil {
		l.t.Fatalf("the page: %+v %v", refused, err)
	}
	return out
}

// agrees allows a request and returns where the browser is sent.
func (l *linking) agrees(request url.Values) *url.URL {
	l.t.Helper()
	back, refused, err := l.page(l.session, l.a.Shop.ID).DecideLink(backend.LinkDecision{
		Consent: l.shown(request).Consent, Allow: true, Proof: backend.Proof{Password: password},
	})
	if err != nil || refused != nil {
		l.t.Fatalf("the decision: %+v %v", refused, err)
	}
	u, err := url.Parse(back)
	if err != nil {
		l.t.Fatal(err)
	}
	return u
}

func (l *linking) code() string {
	l.t.Helper()
	return l.agrees(l.asks()).Query().Get("code")
}

func (l *linking) exchange(code string, change ...string) answer {
	l.t.Helper()
	values := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {l.redirect}, "client_id": {l.client}, "code_verifier": {verifier}}
	for i := 0; i < len(change); i += 2 {
		values.Set(change[i], change[i+1])
	}
	return l.post("/oauth/token", values)
}

func (l *linking) tokens() (access, refresh string) {
	l.t.Helper()
	out := l.exchange(l.code())
	if out.status != 200 {
		l.t.Fatalf("the exchange: %d %s", out.status, out.body)
	}
	return out.json["access_token"].(string), out.json["refresh_token"].(string)
}

func (l *linking) refresh(token string, change ...string) answer {
	l.t.Helper()
	values := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {l.client}}
	for i := 0; i < len(change); i += 2 {
		values.Set(change[i], change[i+1])
	}
	return l.post("/oauth/token", values)
}

// alive reports whether an access token is valid in the shop.
func (l *linking) alive(token string) bool {
	l.t.Helper()
	_, err := l.a.Admin.Buyer(l.t.Context(), l.a.Shop.ID, token)
	if refusal, ok := shop.AsRefusal(err); err != nil && (!ok || refusal.Code != "IDENTITY_REQUIRED") {
		l.t.Fatal(err)
	}
	return err == nil
}

func TestAnAssistantFindsTheServerOfAShop(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	server := l.get("/.well-known/oauth-authorization-server")
	want := map[string]string{
		"issuer": shopOrigin, "authorization_endpoint": shopOrigin + "/account/link", "token_endpoint": shopOrigin + "/api/oauth/token",
		"registration_endpoint": shopOrigin + "/api/oauth/register", "revocation_endpoint": shopOrigin + "/api/oauth/revoke",
		"code_challenge_methods_supported": "[S256]", "response_types_supported": "[code]", "token_endpoint_auth_methods_supported": "[private_key_jwt none]",
		"grant_types_supported":                          "[authorization_code refresh_token]",
		"scopes_supported":                               "[dev.ucp.shopping.cart:manage dev.ucp.shopping.checkout:manage dev.ucp.shopping.order:read]",
		"authorization_response_iss_parameter_supported": "true",
	}
	for name, value := range want {
		if fmt.Sprint(server.json[name]) != value {
			t.Errorf("%s is %v, want %s", name, server.json[name], value)
		}
	}
	resource := l.get("/.well-known/oauth-protected-resource")
	if resource.json["resource"] != shopOrigin || fmt.Sprint(resource.json["authorization_servers"]) != "["+shopOrigin+"]" {
		t.Errorf("the resource: %s", resource.body)
	}
	for _, path := range []string{"/oauth/authorize", "/.well-known/oauth-protected-resource/mcp"} {
		if out := l.get(path); out.status != 404 {
			t.Errorf("a shop's host serves %s of members: %d", path, out.status)
		}
	}
	l.a.Close(true)
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"} {
		if out := l.get(path); out.status != 404 {
			t.Errorf("a closed shop answers %s: %d", path, out.status)
		}
	}
}

func TestABuyerLinksAnAssistant(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	shown := l.shown(l.asks())
	if shown.Name != "Agent <b>" || shown.Profile != profile || shown.Host != "agent.test" || len(shown.Scopes) != 3 {
		t.Errorf("the page shows %+v", shown)
	}
	request := l.asks()
	request.Set("scope", "dev.ucp.shopping.order:read dev.ucp.shopping.cart:manage")
	back := l.agrees(request)
	if back.Scheme+"://"+back.Host+back.Path != callback || back.Query().Get("state") != "s&t=1" || back.Query().Get("iss") != shopOrigin {
		t.Errorf("the browser is sent to %s", back)
	}
	out := l.exchange(back.Query().Get("code"))
	if out.status != 200 || out.json["token_type"] != "Bearer" || out.json["scope"] != "dev.ucp.shopping.cart:manage dev.ucp.shopping.order:read" || out.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("the exchange: %d %v %s", out.status, out.header, out.body)
	}
	access := out.json["access_token"].(string)
	linked, err := l.a.Admin.Buyer(t.Context(), l.a.Shop.ID, access)
	if err != nil || linked.Person != l.person || linked.Profile != profile || !slices.Equal(linked.Scopes, []shop.Scope{"dev.ucp.shopping.cart:manage", "dev.ucp.shopping.order:read"}) {
		t.Errorf("the token acts for %+v %v", linked, err)
	}
	if _, err := l.a.Admin.Buyer(t.Context(), l.a.Other.ID, access); err == nil {
		t.Error("the token is valid in another shop")
	}
	l.a.Clock.Advance(time.Hour)
	if l.alive(access) {
		t.Error("the access token is valid after an hour")
	}
	again := l.refresh(out.json["refresh_token"].(string))
	if again.status != 200 || !l.alive(again.json["access_token"].(string)) {
		t.Errorf("the refresh: %d %s", again.status, again.body)
	}
	list, err := l.page(l.a.Bound(l.person), l.a.Shop.ID).Links()
	if err != nil || len(list) != 1 || list[0].Name != "Agent <b>" || list[0].Used == nil {
		t.Fatalf("the links: %+v %v", list, err)
	}
	stranger := l.page(l.a.Bound(l.buyer("ben@people.test")), l.a.Shop.ID)
	if others, err := stranger.Links(); err != nil || len(others) != 0 {
		t.Errorf("somebody else sees %+v %v", others, err)
	}
	if refused, err := stranger.Unlink(list[0].ID); err != nil || refused != nil || !l.alive(again.json["access_token"].(string)) {
		t.Errorf("somebody else ends the link: %+v %v", refused, err)
	}
	if refused, err := l.page(l.a.Bound(l.person), l.a.Shop.ID).Unlink(list[0].ID); err != nil || refused != nil {
		t.Errorf("%+v %v", refused, err)
	}
	if l.alive(again.json["access_token"].(string)) {
		t.Error("the token is valid after the end of the link")
	}
	l.denied("its refresh token", l.refresh(again.json["refresh_token"].(string)), "invalid_grant")
	l.session = l.a.Bound(l.person)
	_, refresh := l.tokens()
	l.a.Clock.Advance(61 * 24 * time.Hour)
	l.denied("a refresh token after 61 days", l.refresh(refresh), "invalid_grant")
}

func TestLinkRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	local := l.register("http://127.0.0.1/callback")
	for name, c := range map[string]struct {
		change   []string
		toClient string // the error that the client gets; empty: the page says it
		shown    bool
	}{
		"valid":                         {nil, "", true},
		"no such client":                {[]string{"client_id", "00000000-0000-0000-0000-000000000000"}, "", false},
		"a client that is no id":        {[]string{"client_id", "' OR 1=1"}, "", false},
		"a slash more":                  {[]string{"redirect_uri", callback + "/"}, "", false},
		"a query":                       {[]string{"redirect_uri", callback + "?a=1"}, "", false},
		"another host":                  {[]string{"redirect_uri", "https://agent.test.evil.test/callback"}, "", false},
		"another port":                  {[]string{"redirect_uri", "https://agent.test:444/callback"}, "", false},
		"no address":                    {[]string{"redirect_uri", ""}, "", false},
		"another port of one's machine": {[]string{"client_id", local, "redirect_uri", "http://127.0.0.1:8123/callback"}, "", true},
		"another name of one's machine": {[]string{"client_id", local, "redirect_uri", "http://localhost:8123/callback"}, "", false},
		"PKCE is missing":               {[]string{"code_challenge", ""}, "invalid_request", false},
		"PKCE plain":                    {[]string{"code_challenge_method", "plain"}, "invalid_request", false},
		"a token at once":               {[]string{"response_type", "token"}, "unsupported_response_type", false},
		"another audience":              {[]string{"resource", "http://rival.shops.test"}, "invalid_target", false},
		"the admin API":                 {[]string{"resource", apitest.AdminURL}, "invalid_target", false},
		"its own audience":              {[]string{"resource", shopOrigin + "/api/ucp"}, "", true},
		"a scope of members":            {[]string{"scope", "catalog:read"}, "invalid_scope", false},
		"a scope of ours and another":   {[]string{"scope", "dev.ucp.shopping.order:read admin"}, "invalid_scope", false},
		"a state that is too long":      {[]string{"state", strings.Repeat("s", 2001)}, "", false},
	} {
		values := l.asks()
		for i := 0; i < len(c.change); i += 2 {
			values.Set(c.change[i], c.change[i+1])
		}
		out := l.shown(values)
		u, err := url.Parse(out.Back)
		switch {
		case c.toClient != "":
			if err != nil || !strings.HasPrefix(out.Back, callback+"?") || u.Query().Get("error") != c.toClient || u.Query().Get("state") != "s&t=1" || u.Query().Get("iss") != shopOrigin {
				t.Errorf("%s: sent to %q, want %s", name, out.Back, c.toClient)
			}
		case c.shown != (out.Consent != "" && out.Problem == ""), out.Back != "":
			t.Errorf("%s: %+v", name, out)
		}
	}
	twice := l.asks()
	twice.Add("redirect_uri", "https://evil.test")
	if out := l.shown(twice); out.Problem == "" || out.Consent != "" {
		t.Errorf("a parameter that is sent twice: %+v", out)
	}
}

// A decision counts in the session that saw the page, for what it showed, and with a proof that the
// person decides: a script of the shop's pages, which can send the cookie and read the form, has none.
func TestOnlyTheBuyerCanAgree(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	consent := l.shown(l.asks()).Consent
	here := l.a.Shop.ID
	decide := func(session string, company shop.CompanyID, d backend.LinkDecision) (string, *backend.Refusal) {
		t.Helper()
		back, refused, err := l.page(session, company).DecideLink(d)
		if err != nil {
			t.Fatal(err)
		}
		return back, refused
	}
	good := backend.Proof{Password: password}
	guest := l.a.Send(apitest.Request{Method: "POST", Path: "/v1/auth/guest", Header: l.a.ThroughStorefront(), Body: apitest.Map{}}).Cookie()
	for name, c := range map[string]struct {
		session string
		company shop.CompanyID
		d       backend.LinkDecision
		code    string
	}{
		"no proof":                  {l.session, here, backend.LinkDecision{Consent: consent, Allow: true}, "INVALID_CREDENTIALS"},
		"a wrong password":          {l.session, here, backend.LinkDecision{Consent: consent, Allow: true, Proof: backend.Proof{Password: "wrong"}}, "INVALID_CREDENTIALS"},
		"a wrong code":              {l.session, here, backend.LinkDecision{Consent: consent, Allow: true, Proof: backend.Proof{Code: "000000"}}, "CODE_INVALID"},
		"another session":           {l.a.Bound(l.person), here, backend.LinkDecision{Consent: consent, Allow: true, Proof: good}, "CONSENT_OVER"},
		"another person":            {l.a.Bound(l.buyer("ben@people.test")), here, backend.LinkDecision{Consent: consent, Allow: true, Proof: good}, "CONSENT_OVER"},
		"a guest":                   {guest, here, backend.LinkDecision{Consent: consent, Allow: true, Proof: good}, "UNAUTHENTICATED"},
		"no session":                {"", here, backend.LinkDecision{Consent: consent, Allow: true, Proof: good}, "UNAUTHENTICATED"},
		"a session of another shop": {l.session, l.a.Other.ID, backend.LinkDecision{Consent: consent, Allow: true, Proof: good}, "UNAUTHENTICATED"},
		"another shop":              {l.a.BoundAt(l.a.Other.ID, l.person), l.a.Other.ID, backend.LinkDecision{Consent: consent, Allow: true, Proof: good}, "CONSENT_OVER"},
		"a forged form":             {l.session, here, backend.LinkDecision{Consent: consent[:len(consent)-2] + "AA", Allow: true, Proof: good}, "CONSENT_OVER"},
		"no form":                   {l.session, here, backend.LinkDecision{Allow: true, Proof: good}, "CONSENT_OVER"},
	} {
		if back, refused := decide(c.session, c.company, c.d); refused == nil || refused.Code != c.code {
			t.Errorf("%s: %+v, sent to %q, want %s", name, refused, back, c.code)
		}
	}
	if back, refused := decide(l.session, here, backend.LinkDecision{Consent: consent}); refused != nil || !strings.Contains(back, "error=access_denied") {
		t.Errorf("a refusal: %+v %s", refused, back)
	}
	l.a.Clock.Advance(10 * time.Minute)
	if _, refused := decide(l.session, here, backend.LinkDecision{Consent: consent, Allow: true, Proof: good}); refused == nil || refused.Code != "CONSENT_OVER" {
		t.Errorf("a decision after ten minutes: %+v", refused)
	}
	// Scripts cannot reach the calls of the page.
	for _, path := range []string{"/inside/link?" + l.asks().Encode(), "/inside/links"} {
		if out := l.a.Send(apitest.Request{Method: "GET", Path: path, Header: l.a.OnHost(l.session)}); out.Status != 404 {
			t.Errorf("a script reaches %s: %d", path, out.Status)
		}
	}
	if out := l.a.Send(apitest.Request{Method: "POST", Path: "/inside/link", Header: l.a.OnHost(l.session), Body: apitest.Map{"consent": consent, "allow": true, "password": password}}); out.Status != 404 {
		t.Errorf("a script agrees: %d", out.Status)
	}
}

func TestALinkCodeIsBoundToItsRequest(t *testing.T) {
	t.Parallel()
	l := newLinking(t)
	other := l.register(callback)
	for name, change := range map[string][]string{
		"another verifier": {"code_verifier", strings.Repeat("a", 50)},
		"no verifier":      {"code_verifier", ""},
		"another client":   {"client_id", other},
		"a slash more":     {"redirect_uri", callback + "/"},
		"another audience": {"resource", "http://rival.shops.test"},
		"a made-up code":   {"code", "vc_nonsense"},
	} {
		l.denied(name, l.exchange(l.code(), change...), "invalid_grant")
	}
	if out := l.exchange(l.code(), "client_id", "nobody"); out.status != 401 || out.json["error"] != "invalid_client" {
		t.Errorf("no client: %d %s", out.status, out.body)
	}
	stolen := l.code()
	l.denied("a stolen code without the verifier", l.exchange(stolen, "code_verifier", strings.Repeat("a", 50)), "invalid_grant")
	l.denied("the same code afterwards", l.exchange(stolen), "invalid_grant")
	late := l.code()
	l.a.Clock.Advance(time.Minute)
	l.denied("a code after a minute", l.exchange(late), "invalid_grant")
	values := url.Values{"grant_type": {"authorization_code"}, "code": {l.code()}, "redirect_uri": {callback}, "client_id": {l.client}, "code_verifier": {verifier}}
	if out := l.send("POST", "/oauth/token", form, values.Encode(), nil); out.status != 400 || out.json["error"] != "invalid_grant" {
		t.Errorf("the admin origin takes the code: %d %s", out.status, out.body)
	}
}

func TestAShopWithoutAssistantsLinksNone(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	const server = "/.well-known/oauth-authorization-server"
	ask := func() int {
		return a.Send(apitest.Request{Method: "GET", Path: server, Header: a.ThroughStorefront()}).Status
	}
	for set, want := range map[string]int{"off": 404, "catalog": 200, "checkout": 200} {
		a.OK("PUT", "/v1/shop/settings", a.Session(a.OwnerID), apitest.Map{"assistants": set})
		if got := ask(); got != want {
			t.Errorf("assistants %s: %d, not %d", set, got, want)
		}
	}
}
