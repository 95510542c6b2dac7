package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

const (
	password = "a long password"
	verifier = "an-unguessable-verifier-of-more-than-43-characters"
	callback = "https://agent.test/callback"
)

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// flow is a client and a person who can sign in.
type flow struct {
	t      *testing.T
	a      *apitest.API
	email  string
	person shop.UserID
	client string
}

func newFlow(t *testing.T, role shop.Role) *flow {
	t.Helper()
	a := apitest.New(t)
	f := &flow{t: t, a: a, email: string(role) + "@sign-in.test"}
	hash, err := secret.HashPassword(password)
	if err != nil {
		t.Fatal(err)
	}
	if f.person, err = people.CreatePerson(t.Context(), a.Store, f.email, "Ann", hash); err != nil {
		t.Fatal(err)
	}
	err = a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error { return people.AddMember(t.Context(), tx, f.person, role) })
	if err != nil {
		t.Fatal(err)
	}
	f.client = f.register(callback)
	return f
}

// answer is an HTTP response.
type answer struct {
	status int
	header http.Header
	body   string
	json   apitest.Map
}

func (f *flow) send(method, path, contentType, body string, header map[string]string) answer {
	f.t.Helper()
	r, err := http.NewRequest(method, apitest.AdminURL+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	client := f.a.Client("")
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := client.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	out := answer{status: response.StatusCode, header: response.Header, body: string(text)}
	json.Unmarshal(text, &out.json) //nolint:errcheck // pages are none
	if challenge := out.header.Get("WWW-Authenticate"); out.status == 401 && !strings.HasPrefix(challenge, "Bearer ") {
		f.t.Errorf("%s %s: 401 with the challenge %q", method, path, challenge)
	}
	return out
}

const form = "application/x-www-form-urlencoded"

func (f *flow) post(path string, values url.Values) answer {
	f.t.Helper()
	return f.send("POST", path, form, values.Encode(), nil)
}

func (f *flow) register(redirects ...string) string {
	f.t.Helper()
	body, err := json.Marshal(apitest.Map{"client_name": "Agent <b>", "redirect_uris": redirects})
	if err != nil {
		f.t.Fatal(err)
	}
	out := f.send("POST", "/oauth/register", "application/json", string(body), nil)
	if out.status != 201 {
		f.t.Fatalf("registration: %d %s", out.status, out.body)
	}
	return out.json["client_id"].(string)
}

// request are the parameters of a valid request.
func (f *flow) request() url.Values {
	return url.Values{
		"response_type": {"code"}, "client_id": {f.client}, "redirect_uri": {callback}, "state": {"s&t=1"}, "code_challenge": {challengeOf(verifier)},
		"code_challenge_method": {"S256"}, "resource": {apitest.AdminURL + "/mcp"},
	}
}

var consentField = regexp.MustCompile(`name="consent" value="([^"]+)"`)

// consent signs in for a request and returns the field of the second page.
func (f *flow) consent(request url.Values) string {
	f.t.Helper()
	values := url.Values{"email": {f.email}, "password": {password}}
	for name, value := range request {
		values[name] = value
	}
	page := f.post("/oauth/authorize", values)
	found := consentField.FindStringSubmatch(page.body)
	if page.status != 200 || found == nil {
		f.t.Fatalf("the consent page: %d %s", page.status, page.body)
	}
	return found[1]
}

// allow agrees to a request and returns where the browser is sent.
func (f *flow) allow(request url.Values, contour string) *url.URL {
	f.t.Helper()
	out := f.post("/oauth/authorize", url.Values{
		"consent": {f.consent(request)}, "company_id": {f.a.Shop.ID.String()}, "contour": {contour}, "decision": {"allow"},
	})
	u, err := url.Parse(out.header.Get("Location"))
	if err != nil || out.status != 303 {
		f.t.Fatalf("the consent: %d %s", out.status, out.body)
	}
	return u
}

func (f *flow) code() string {
	f.t.Helper()
	return f.allow(f.request(), "dev").Query().Get("code")
}

func (f *flow) exchange(code string, change ...string) answer {
	f.t.Helper()
	values := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}, "client_id": {f.client}, "code_verifier": {verifier}}
	for i := 0; i < len(change); i += 2 {
		values.Set(change[i], change[i+1])
	}
	return f.post("/oauth/token", values)
}

func (f *flow) tokens() (access, refresh string) {
	f.t.Helper()
	out := f.exchange(f.code())
	if out.status != 200 {
		f.t.Fatalf("the exchange: %d %s", out.status, out.body)
	}
	return out.json["access_token"].(string), out.json["refresh_token"].(string)
}

func (f *flow) refresh(token string) answer {
	f.t.Helper()
	return f.post("/oauth/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {f.client}})
}

// alive reports whether an access token is valid.
func (f *flow) alive(token string) bool {
	f.t.Helper()
	status, _ := f.a.Call("GET", "/v1/account/token", token, nil)
	return status == 200
}

func (f *flow) denied(what string, out answer, code string) {
	f.t.Helper()
	if out.status != 400 || out.json["error"] != code || out.json["error_description"] == "" {
		f.t.Errorf("%s: %d %s, want %s", what, out.status, out.body, code)
	}
}

func TestAClientFindsAndUsesTheServer(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Owner)
	refused := f.send("POST", "/mcp", "application/json", "{}", nil)
	if want := `resource_metadata="` + apitest.AdminURL + `/.well-known/oauth-protected-resource/mcp"`; refused.status != 401 || !strings.Contains(refused.header.Get("WWW-Authenticate"), want) {
		t.Errorf("/mcp without a token: %d %q", refused.status, refused.header.Get("WWW-Authenticate"))
	}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		if out := f.send("GET", path, "", "", nil); out.json["resource"] != apitest.AdminURL+"/mcp" || fmt.Sprint(out.json["authorization_servers"]) != "["+apitest.AdminURL+"]" {
			t.Errorf("%s: %s", path, out.body)
		}
	}
	server := f.send("GET", "/.well-known/oauth-authorization-server", "", "", nil).json
	if server["issuer"] != apitest.AdminURL || fmt.Sprint(server["code_challenge_methods_supported"]) != "[S256]" {
		t.Errorf("the server: %v", server)
	}
	back := f.allow(f.request(), "dev")
	if back.Scheme+"://"+back.Host+back.Path != callback || back.Query().Get("state") != "s&t=1" || back.Query().Get("iss") != apitest.AdminURL {
		t.Errorf("the browser is sent to %s", back)
	}
	out := f.exchange(back.Query().Get("code"))
	if out.status != 200 || out.json["token_type"] != "Bearer" || out.json["expires_in"] != 3600.0 || out.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("the exchange: %d %v %s", out.status, out.header, out.body)
	}
	token := out.json["access_token"].(string)
	passport := f.a.Result("GET", "/v1/account/token", token, nil)
	if passport["contour"] != "dev" || strings.Contains(fmt.Sprint(passport["scopes"]), "orders:read") || !strings.Contains(fmt.Sprint(passport["scopes"]), "catalog:write") {
		t.Errorf("the token acts as %v", passport)
	}
	f.a.Refused("GET", "/v1/account/tokens", token, nil, 403, "PAT_METHOD_NOT_ALLOWED")
	f.a.Clock.Advance(time.Hour)
	if f.alive(token) {
		t.Error("the access token is valid after an hour")
	}
	again := f.refresh(out.json["refresh_token"].(string))
	if again.status != 200 || !f.alive(again.json["access_token"].(string)) {
		t.Errorf("the refresh: %d %s", again.status, again.body)
	}
	f.a.Clock.Advance(61 * 24 * time.Hour)
	f.denied("a refresh token after 61 days", f.refresh(again.json["refresh_token"].(string)), "invalid_grant")
}

func TestRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Owner)
	slash := f.register("https://agent.test/", "http://localhost/callback")
	for name, c := range map[string]struct {
		change    []string
		toClient  string // the error that the client gets; empty: a page
		signsInto bool
	}{
		"valid":                         {nil, "", true},
		"no such client":                {[]string{"client_id", "00000000-0000-0000-0000-000000000000"}, "", false},
		"a client that is no id":        {[]string{"client_id", "' OR 1=1"}, "", false},
		"a slash more":                  {[]string{"redirect_uri", callback + "/"}, "", false},
		"a slash less":                  {[]string{"client_id", slash, "redirect_uri", "https://agent.test"}, "", false},
		"a query":                       {[]string{"redirect_uri", callback + "?a=1"}, "", false},
		"another case":                  {[]string{"redirect_uri", "https://agent.test/Callback"}, "", false},
		"another host":                  {[]string{"redirect_uri", "https://agent.test.evil.test/callback"}, "", false},
		"a user in the address":         {[]string{"redirect_uri", "https://agent.test@evil.test/callback"}, "", false},
		"no address":                    {[]string{"redirect_uri", ""}, "", false},
		"a port of https":               {[]string{"redirect_uri", "https://agent.test:444/callback"}, "", false},
		"another port of one's machine": {[]string{"client_id", slash, "redirect_uri", "http://localhost:8123/callback"}, "", true},
		"a slash on one's machine":      {[]string{"client_id", slash, "redirect_uri", "http://localhost:8123/callback/"}, "", false},
		"PKCE is missing":               {[]string{"code_challenge", ""}, "invalid_request", false},
		"PKCE plain":                    {[]string{"code_challenge_method", "plain"}, "invalid_request", false},
		"PKCE without method":           {[]string{"code_challenge_method", ""}, "invalid_request", false},
		"PKCE too short":                {[]string{"code_challenge", "short"}, "invalid_request", false},
		"a token at once":               {[]string{"response_type", "token"}, "unsupported_response_type", false},
		"another audience":              {[]string{"resource", "https://other.test/mcp"}, "invalid_target", false},
		"no audience":                   {[]string{"resource", ""}, "", true},
		"an unknown scope":              {[]string{"scope", "catalog:read everything"}, "invalid_scope", false},
		"a state that is too long":      {[]string{"state", strings.Repeat("s", 2001)}, "", false},
	} {
		values := f.request()
		for i := 0; i < len(c.change); i += 2 {
			values.Set(c.change[i], c.change[i+1])
		}
		out := f.send("GET", "/oauth/authorize?"+values.Encode(), "", "", nil)
		switch location := out.header.Get("Location"); {
		case c.toClient != "":
			u, err := url.Parse(location)
			if err != nil || out.status != 303 || !strings.HasPrefix(location, callback+"?") || u.Query().Get("error") != c.toClient || u.Query().Get("state") != "s&t=1" {
				t.Errorf("%s: %d to %s, want %s", name, out.status, location, c.toClient)
			}
		case c.signsInto != (out.status == 200 && strings.Contains(out.body, `name="password"`)):
			t.Errorf("%s: %d %.200s", name, out.status, out.body)
		case !c.signsInto && (out.status != 400 || location != ""):
			t.Errorf("%s: %d, sent to %q", name, out.status, location)
		}
		if csp := out.header.Get("Content-Security-Policy"); c.toClient == "" && (!strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "script")) {
			t.Errorf("%s: Content-Security-Policy %q", name, csp)
		}
		if strings.Contains(out.body, "<b>") {
			t.Errorf("%s: the name of the client is not escaped", name)
		}
	}
	twice := f.request()
	twice.Add("redirect_uri", "https://evil.test")
	if out := f.send("GET", "/oauth/authorize?"+twice.Encode(), "", "", nil); out.status != 400 {
		t.Errorf("a parameter that is sent twice: %d", out.status)
	}
}

func TestRegistrationsThatAreRefused(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Owner)
	for name, body := range map[string]string{
		"no JSON": "{", "no address": `{"client_name":"a"}`, "a list of nothing": `{"redirect_uris":[]}`, "plain http": `{"redirect_uris":["http://agent.test/"]}`,
		"a script": `{"redirect_uris":["javascript:alert(1)"]}`, "a fragment": `{"redirect_uris":["https://agent.test/#a"]}`, "a user": `{"redirect_uris":["https://a@agent.test/"]}`,
		"no host": `{"redirect_uris":["https:///a"]}`, "an app": `{"redirect_uris":["app:/a"]}`, "relative": `{"redirect_uris":["/a"]}`,
		"one of two": `{"redirect_uris":["https://agent.test/","http://evil.test/"]}`, "a quote": `{"redirect_uris":["https://agent.test/\";script-src *"]}`,
		"long": `{"redirect_uris":["https://agent.test/` + strings.Repeat("a", 600) + `"]}`, "a long name": `{"client_name":"` + strings.Repeat("a", 101) + `","redirect_uris":["https://agent.test/"]}`,
	} {
		out := f.send("POST", "/oauth/register", "application/json", body, map[string]string{"X-Forwarded-For": "203.0.113." + fmt.Sprint(len(body)%200)})
		if code, _ := out.json["error"].(string); out.status != 400 || !strings.HasPrefix(code, "invalid_") {
			t.Errorf("%s: %d %s", name, out.status, out.body)
		}
	}
	if out := f.send("POST", "/oauth/register", "application/json", strings.Repeat(" ", 17<<10), nil); out.status != 413 {
		t.Errorf("17 KB: %d", out.status)
	}
	last := 0
	for range 21 {
		last = f.send("POST", "/oauth/register", "application/json", `{"redirect_uris":["https://agent.test/"]}`, nil).status
	}
	if last != 429 {
		t.Errorf("the registrations of one network are not limited: %d", last)
	}
}

func TestACodeIsBoundToItsRequest(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Owner)
	other := f.register(callback)
	for name, change := range map[string][]string{
		"another verifier":   {"code_verifier", strings.Repeat("a", 50)},
		"no verifier":        {"code_verifier", ""},
		"the challenge":      {"code_verifier", challengeOf(verifier)},
		"another client":     {"client_id", other},
		"a slash more":       {"redirect_uri", callback + "/"},
		"no address":         {"redirect_uri", ""},
		"another audience":   {"resource", "https://other.test"},
		"another grant type": {"grant_type", "password"},
		"a made-up code":     {"code", "vc_nonsense"},
	} {
		want := "invalid_grant"
		if name == "another grant type" {
			want = "unsupported_grant_type"
		}
		f.denied(name, f.exchange(f.code(), change...), want)
	}
	stolen := f.code()
	f.denied("a stolen code without the verifier", f.exchange(stolen, "code_verifier", strings.Repeat("a", 50)), "invalid_grant")
	f.denied("the same code afterwards", f.exchange(stolen), "invalid_grant")
	late := f.code()
	f.a.Clock.Advance(time.Minute)
	f.denied("a code after a minute", f.exchange(late), "invalid_grant")
	if out := f.post("/oauth/token", url.Values{"grant_type": {"authorization_code", "refresh_token"}}); out.json["error"] != "invalid_request" {
		t.Errorf("a parameter that is sent twice: %s", out.body)
	}
}

// Of a code that is used twice nobody keeps a token, also if both use it at the same time.
func TestACodeThatIsUsedTwiceEndsItsGrant(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Owner)
	code := f.code()
	first := f.exchange(code)
	f.denied("the second use", f.exchange(code), "invalid_grant")
	if f.alive(first.json["access_token"].(string)) {
		t.Error("the token of a code that was used twice is valid")
	}
	f.denied("its refresh token", f.refresh(first.json["refresh_token"].(string)), "invalid_grant")

	code = f.code()
	answers := make([]answer, 8)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = f.exchange(code) })
	}
	all.Wait()
	won := 0
	for _, out := range answers {
		if out.status == 200 {
			won++
			if f.alive(out.json["access_token"].(string)) {
				t.Error("the token of a code that was used eight times is valid")
			}
		}
	}
	if won != 1 {
		t.Errorf("%d of 8 exchanges of one code succeeded", won)
	}
}

func TestARefreshTokenThatIsUsedTwiceEndsItsGrant(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Owner)
	_, refresh := f.tokens()
	second := f.refresh(refresh)
	if second.status != 200 {
		t.Fatalf("the refresh: %d %s", second.status, second.body)
	}
	f.denied("the second use", f.refresh(refresh), "invalid_grant")
	if f.alive(second.json["access_token"].(string)) {
		t.Error("the tokens of a stolen refresh token are valid")
	}
	f.denied("its successor", f.refresh(second.json["refresh_token"].(string)), "invalid_grant")
	_, refresh = f.tokens()
	other := *f
	other.client = f.register(callback)
	f.denied("a refresh token of another client", other.refresh(refresh), "invalid_grant")
}

// What ends a key ends the tokens of a grant, and a grant never has more rights than the role.
func TestAGrantFollowsTheRole(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Admin)
	owner := f.a.Session(f.a.OwnerID)
	request := f.request()
	request.Set("scope", "catalog:read orders:read publish:write")
	token := f.exchange(f.allow(request, "prod").Query().Get("code")).json["access_token"].(string)
	if passport := f.a.Result("GET", "/v1/account/token", token, nil); !strings.Contains(fmt.Sprint(passport["scopes"]), "orders:read") || passport["contour"] != "prod" {
		t.Errorf("an admin's grant: %v", passport)
	}
	member := "/v1/orgs/current/members/" + f.person.String()
	f.a.OK("PUT", member, owner, apitest.Map{"role": "editor"})
	if f.alive(token) {
		t.Error("a grant with sensitive scopes outlives the role")
	}
	token = f.exchange(f.allow(request, "prod").Query().Get("code")).json["access_token"].(string)
	if passport := f.a.Result("GET", "/v1/account/token", token, nil); fmt.Sprint(passport["scopes"]) != "[catalog:read]" {
		t.Errorf("an editor's grant: %v", passport)
	}
	pending := f.allow(request, "prod").Query().Get("code")
	f.a.OK("DELETE", member, owner, nil)
	if f.alive(token) {
		t.Error("a grant outlives the membership")
	}
	f.denied("a code of a person who left", f.exchange(pending), "invalid_grant")
	back := f.allow(request, "prod").Query()
	if back.Get("error") != "access_denied" || back.Get("code") != "" {
		t.Errorf("a person without the shop: %v", back)
	}
}

func TestTheConsentIsThePersons(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Owner)
	sealed := f.consent(f.request())
	decision := url.Values{"consent": {sealed}, "company_id": {f.a.Shop.ID.String()}, "contour": {"dev"}, "decision": {"allow"}}
	for name, header := range map[string]map[string]string{
		"another origin": {"Origin": "https://evil.test"}, "a sandbox": {"Origin": "null"}, "another site": {"Sec-Fetch-Site": "cross-site"}, "a sibling": {"Sec-Fetch-Site": "same-site"},
	} {
		if out := f.send("POST", "/oauth/authorize", form, decision.Encode(), header); out.status != 403 {
			t.Errorf("a form of %s: %d", name, out.status)
		}
	}
	for name, change := range map[string][]string{
		"a forged consent": {"consent", sealed[:len(sealed)-2] + "AA"}, "no consent": {"consent", ""}, "no contour": {"contour", ""}, "another contour": {"contour", "both"},
	} {
		values := url.Values{}
		for name, value := range decision {
			values[name] = value
		}
		values.Set(change[0], change[1])
		if out := f.post("/oauth/authorize", values); out.status != 400 || out.header.Get("Location") != "" {
			t.Errorf("%s: %d %s", name, out.status, out.header.Get("Location"))
		}
	}
	decision.Set("company_id", f.a.Other.ID.String())
	if out := f.post("/oauth/authorize", decision); !strings.Contains(out.header.Get("Location"), "error=access_denied") {
		t.Errorf("the shop of somebody else: %d %s", out.status, out.header.Get("Location"))
	}
	decision.Set("company_id", f.a.Shop.ID.String())
	decision.Set("decision", "deny")
	if out := f.post("/oauth/authorize", decision); !strings.Contains(out.header.Get("Location"), "error=access_denied") {
		t.Errorf("a refusal: %d %s", out.status, out.header.Get("Location"))
	}
	decision.Set("decision", "allow")
	f.a.Clock.Advance(10 * time.Minute)
	if out := f.post("/oauth/authorize", decision); out.status != 400 {
		t.Errorf("a consent after ten minutes: %d", out.status)
	}
	values := f.request()
	values.Set("email", f.email)
	values.Set("password", "wrong")
	if out := f.post("/oauth/authorize", values); out.status != 400 || consentField.MatchString(out.body) || strings.Contains(out.body, `value="wrong"`) {
		t.Errorf("a wrong password: %d %s", out.status, out.body)
	}
	last := 0
	for range 12 {
		last = f.post("/oauth/authorize", values).status
	}
	values.Set("password", password)
	if out := f.post("/oauth/authorize", values); consentField.MatchString(out.body) {
		t.Errorf("passwords can be guessed without a limit: %d", last)
	}
}

func TestGrantsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Owner)
	token, refresh := f.tokens()
	session, other := f.a.Session(f.person), f.a.Session(f.a.OwnerID)
	list := f.a.OK("GET", "/v1/account/grants", session, nil)["result"].([]any)
	if len(list) != 1 {
		t.Fatalf("the grants: %v", list)
	}
	grant := list[0].(apitest.Map)
	if grant["client"] != "Agent <b>" || grant["contour"] != "dev" || grant["slug"] != "tea" {
		t.Errorf("the grant: %v", grant)
	}
	if keys := f.a.OK("GET", "/v1/account/tokens", session, nil)["result"].([]any); len(keys) != 0 {
		t.Errorf("the grant is listed among the keys: %v", keys)
	}
	path := "/v1/account/grants/" + fmt.Sprint(grant["id"])
	f.a.Refused("DELETE", path, other, nil, 404, "GRANT_NOT_FOUND")
	f.a.Refused("GET", "/v1/account/grants", token, nil, 403, "PAT_METHOD_NOT_ALLOWED")
	f.a.OK("DELETE", path, session, nil)
	f.a.Refused("DELETE", path, session, nil, 404, "GRANT_NOT_FOUND")
	if f.alive(token) {
		t.Error("the token of an ended grant is valid")
	}
	f.denied("its refresh token", f.refresh(refresh), "invalid_grant")

	token, _ = f.tokens()
	if out := f.post("/oauth/revoke", url.Values{"token": {token}}); out.status != 200 || f.alive(token) {
		t.Errorf("the client ends its grant: %d", out.status)
	}
	if out := f.post("/oauth/revoke", url.Values{"token": {"nonsense"}}); out.status != 200 {
		t.Errorf("an unknown token: %d", out.status)
	}
}

// Neither secrets nor their hashes of later use can be read in the database, and what has expired is
// deleted.
func TestSecretsAreHashedAndExpire(t *testing.T) {
	t.Parallel()
	f := newFlow(t, shop.Owner)
	token, refresh := f.tokens()
	unused := f.code()
	for _, text := range []string{token, refresh, unused} {
		for _, table := range []string{"oauth_token", "oauth_code", "api_key"} {
			var found bool
			if err := f.a.Store.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM `+table+` r WHERE r::text LIKE '%' || $1 || '%')`, text).Scan(&found); err != nil || found {
				t.Errorf("%s contains a secret: %v", table, err)
			}
		}
	}
	f.a.Clock.Advance(400 * 24 * time.Hour)
	for range 2 {
		if err := people.SweepRevokedKeys(t.Context(), f.a.Store, f.a.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		if err := people.SweepGrants(t.Context(), f.a.Store, f.a.Clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"oauth_token", "oauth_code", "oauth_client"} {
		var n int
		if err := f.a.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s keeps %d expired rows: %v", table, n, err)
		}
	}
}

func TestAnAddressWithoutANameOffersNoOAuth(t *testing.T) {
	t.Parallel()
	a := apitest.New(t, func(cfg *admin.Config) { cfg.URLs.Admin = "http://203.0.113.1:8081" })
	f := &flow{t: t, a: a}
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/oauth/authorize"} {
		if out := f.send("GET", path, "", "", nil); out.status != 404 {
			t.Errorf("%s: %d", path, out.status)
		}
	}
	if out := f.send("POST", "/mcp", "application/json", "{}", nil); out.status != 401 || strings.Contains(out.header.Get("WWW-Authenticate"), "resource_metadata") {
		t.Errorf("/mcp: %d %q", out.status, out.header.Get("WWW-Authenticate"))
	}
}
