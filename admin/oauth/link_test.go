package oauth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/valyala/fasthttp"

	"vitrine/admin"
	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/edge/backend"
	"vitrine/internal/cookie"
	"vitrine/internal/origin"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
)

const (
	shopOrigin = "http://tea.shops.test"
	profile    = "https://agent.test/profile.json"
	meiMail    = "mei@people.test"
)

// linking is an assistant and a buyer of a shop.
type linking struct {
	*flow
	session string
}

func newLinking(t *testing.T, change ...func(*admin.Config)) *linking {
	t.Helper()
	l := &linking{flow: &flow{t: t, a: apitest.New(t, change...), email: meiMail}}
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
	values := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}, "client_id": {l.client}, "code_verifier": {verifier}}
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
		"code_challenge_methods_supported": "[S256]", "response_types_supported": "[code]", "token_endpoint_auth_methods_supported": "[none]",
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
	l := newLinking(t, func(cfg *admin.Config) {
		cfg.ProfileKey = func(_ context.Context, of, id string) (*ecdsa.PublicKey, error) {
			switch {
			case of != profile:
				return nil, fmt.Errorf("asked for %s", of)
			case id == "gone":
				return nil, shop.ErrUnavailable
			case id != "k1":
				return nil, nil
			}
			return &key.PublicKey, nil
		}
	})
	if server := l.get("/.well-known/oauth-authorization-server").json; fmt.Sprint(server["token_endpoint_auth_methods_supported"]) != "[private_key_jwt none]" {
		t.Errorf("the server: %v", server)
	}
	out := l.sendRegistration(`profile="`+profile+`"`, apitest.Map{"redirect_uris": []string{callback}, "token_endpoint_auth_method": "private_key_jwt"})
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
		"none":                 "",
		"nonsense":             "a.b.c",
		"another key":          signed(jwt.SigningMethodES256, other, "k1", claims()),
		"an unknown key":       signed(jwt.SigningMethodES256, key, "k2", claims()),
		"a profile without it": signed(jwt.SigningMethodES256, key, "gone", claims()),
		"no signature":         signed(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "k1", claims()),
		"a shared secret":      signed(jwt.SigningMethodHS256, []byte("secret"), "k1", claims()),
		"another shop":         signed(jwt.SigningMethodES256, key, "k1", claims("aud", "http://rival.shops.test")),
		"another client":       signed(jwt.SigningMethodES256, key, "k1", claims("sub", "another")),
		"another issuer":       signed(jwt.SigningMethodES256, key, "k1", claims("iss", "another")),
		"expired":              signed(jwt.SigningMethodES256, key, "k1", claims("exp", now.Add(-time.Second).Unix())),
		"without an end":       signed(jwt.SigningMethodES256, key, "k1", claims("exp", nil)),
		"for an hour":          signed(jwt.SigningMethodES256, key, "k1", claims("exp", now.Add(time.Hour).Unix())),
		"not yet":              signed(jwt.SigningMethodES256, key, "k1", claims("nbf", now.Add(time.Minute).Unix())),
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
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
