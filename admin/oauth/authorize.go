package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

const (
	maxParameter    = 2000 // bytes of a parameter
	maxForm         = 32 << 10
	codeLifetime    = time.Minute
	consentLifetime = 10 * time.Minute
)

// request is what a client asks for: the parameters of /oauth/authorize.
type request struct {
	Type, Client, Redirect, State, Challenge, Method, Scope, Resource string
}

// names are the parameters in the order of the fields.
var names = []string{"response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "scope", "resource"}

func (r *request) fields() []*string {
	return []*string{&r.Type, &r.Client, &r.Redirect, &r.State, &r.Challenge, &r.Method, &r.Scope, &r.Resource}
}

// read sets the fields from parameters; each may be sent once.
func (r *request) read(values func(name string) []string) *fault {
	for i, field := range r.fields() {
		sent := values(names[i])
		if len(sent) > 1 || len(sent) == 1 && len(sent[0]) > maxParameter {
			return fail("invalid_request", names[i]+" is sent once, with at most 2000 bytes")
		}
		if len(sent) == 1 {
			*field = sent[0]
		}
	}
	return nil
}

// asked is a request that was checked.
type asked struct {
	request
	client people.Client
	scopes []shop.Scope
}

var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// check returns the request with its client, or a fault. toClient tells whether the fault is for the
// client: not before the address that it would be sent to is known to be the client's.
func (o *OAuth) check(ctx context.Context, r request) (a asked, f *fault, toClient bool, err error) {
	a.request = r
	client, found, err := people.ClientByID(ctx, o.Store, r.Client)
	if err != nil {
		return a, nil, false, err
	}
	if !found {
		return a, fail("invalid_client", "This program is not registered here."), false, nil
	}
	a.client = client
	if !slices.ContainsFunc(client.Redirects, func(registered string) bool { return sameRedirect(registered, r.Redirect) }) {
		return a, fail("invalid_request", "The program sent a redirect address that it has not registered."), false, nil
	}
	switch {
	case r.Type != "code":
		return a, fail("unsupported_response_type", "response_type must be code"), true, nil
	case r.Challenge == "" || r.Method != "S256":
		return a, fail("invalid_request", "PKCE is required: code_challenge with code_challenge_method=S256"), true, nil
	case !challengeForm.MatchString(r.Challenge):
		return a, fail("invalid_request", "code_challenge is not the base64url of a SHA-256"), true, nil
	}
	if a.Resource, f = o.resource(r.Resource); f != nil {
		return a, f, true, nil
	}
	a.scopes = shop.AgentScopes()
	if asked := strings.Fields(r.Scope); len(asked) > 0 {
		known, unknown := shop.ParseScopes(strings.Join(asked, ","))
		if len(unknown) > 0 || len(known) == 0 || len(known) > shop.MaxScopes {
			return a, fail("invalid_scope", "scope is a list of the scopes in /docs/scopes.json"), true, nil
		}
		a.scopes = known
	}
	return a, nil, false, nil
}

// authorize shows the page where the person signs in.
func (o *OAuth) authorize(ctx context.Context, c *api.Call) (api.Response, error) {
	if err := c.CountForNetworkAs(api.Read); err != nil {
		return api.Response{}, err
	}
	return o.begin(ctx, c.QueryAll, func(a asked) (api.Response, error) { return signInPage(a, "", ""), nil })
}

// begin reads and checks a request and goes on with it, or answers why it cannot.
func (o *OAuth) begin(ctx context.Context, values func(string) []string, next func(asked) (api.Response, error)) (api.Response, error) {
	var r request
	if f := r.read(values); f != nil {
		return errorPage(f), nil
	}
	a, f, toClient, err := o.check(ctx, r)
	switch {
	case err != nil:
		return api.Response{}, err
	case f != nil && toClient:
		return o.sendBack(r, url.Values{"error": {f.code}, "error_description": {f.description}}), nil
	case f != nil:
		return errorPage(f), nil
	}
	return next(a)
}

// sendBack redirects the browser to the client (RFC 6749, 4.1.2; iss: RFC 9207).
func (o *OAuth) sendBack(r request, values url.Values) api.Response {
	if r.State != "" {
		values.Set("state", r.State)
	}
	values.Set("iss", o.URL)
	separator := "?"
	if strings.Contains(r.Redirect, "?") {
		separator = "&"
	}
	return api.Response{Status: 303, ContentType: "text/plain; charset=utf-8", Header: map[string]string{
		"Location": r.Redirect + separator + values.Encode(), "Referrer-Policy": "same-origin",
	}}
}

// consent is what the form of the second page carries: who signed in, for which request. It is sealed,
// so that only a browser that received the page can send it.
type consent struct {
	Person  shop.UserID `json:"person"`
	Request request     `json:"request"`
	Until   time.Time   `json:"until"`
}

const sealedFor = "oauth consent"

func (o *OAuth) seal(s consent) (string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(o.Sealer.Seal(text, sealedFor)), nil
}

func (o *OAuth) open(text string) (s consent, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return s, false
	}
	plain, err := o.Sealer.Open(sealed, sealedFor)
	return s, err == nil && json.Unmarshal(plain, &s) == nil && o.Now().Before(s.Until)
}

// submit takes either page's form.
func (o *OAuth) submit(ctx context.Context, c *api.Call) (api.Response, error) {
	if err := c.CountForNetworkAs(api.Write); err != nil {
		return api.Response{}, err
	}
	if !o.fromHere(c) {
		return api.Response{}, api.ErrCrossOrigin.With("the form must be sent by its own page")
	}
	form, err := readForm(c, maxForm)
	if err != nil {
		return api.Response{}, err
	}
	if form.Has("consent") {
		return o.decide(ctx, form)
	}
	return o.begin(ctx, func(name string) []string { return form[name] }, func(a asked) (api.Response, error) {
		person, err := o.SignIn(ctx, c, form.Get("email"), form.Get("password"), strings.TrimSpace(form.Get("code")))
		if refusal, ok := shop.AsRefusal(err); ok && refusal.Status() < 500 {
			return signInPage(a, form.Get("email"), problemText(refusal)), nil
		}
		if err != nil {
			return api.Response{}, err
		}
		return o.consentPage(ctx, a, person)
	})
}

// problemText says to a person why they could not sign in.
func problemText(refusal *shop.Refusal) string {
	switch refusal.Code {
	case "SECOND_FACTOR_REQUIRED":
		return "Type the code of your authenticator app, too, or a recovery code."
	case "SECOND_FACTOR_INVALID":
		return "The code of your authenticator app is wrong or was used."
	}
	return refusal.Detail
}

// fromHere reports whether a form was sent by a page of this origin. A program that is no browser
// sends none of the headers; it cannot be tricked into sending a form.
func (o *OAuth) fromHere(c *api.Call) bool {
	site, origin := c.Header("Sec-Fetch-Site"), c.Header("Origin")
	return (site == "" || site == "same-origin") && (origin == "" || origin == o.URL)
}

func readForm(c *api.Call, limit int64) (url.Values, error) {
	body, err := c.ReadBody(limit)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, shop.ErrInvalidRequest.With("the body is not a form")
	}
	return form, nil
}

func (o *OAuth) consentPage(ctx context.Context, a asked, person people.Person) (api.Response, error) {
	shops, err := people.Memberships(ctx, o.Store, person.ID)
	if err != nil {
		return api.Response{}, err
	}
	sealed, err := o.seal(consent{Person: person.ID, Request: a.request, Until: o.Now().Add(consentLifetime)})
	if err != nil {
		return api.Response{}, err
	}
	return choicePage(a, person, shops, sealed), nil
}

// decide takes the decision of the second page.
func (o *OAuth) decide(ctx context.Context, form url.Values) (api.Response, error) {
	signed, ok := o.open(form.Get("consent"))
	if !ok {
		return errorPage(fail("invalid_request", "This page is too old. Go back to the program and start again.")), nil
	}
	a, f, _, err := o.check(ctx, signed.Request)
	if err != nil {
		return api.Response{}, err
	}
	if f != nil {
		return errorPage(f), nil
	}
	if form.Get("decision") != "allow" {
		return o.sendBack(a.request, url.Values{"error": {"access_denied"}, "error_description": {"the person refused"}}), nil
	}
	contour := shop.Contour(form.Get("contour"))
	if contour != shop.Prod && contour != shop.Dev {
		return errorPage(fail("invalid_request", "Choose the draft or the live shop.")), nil
	}
	acting, err := people.ActsIn(ctx, o.Store, signed.Person, form.Get("company_id"))
	if err != nil {
		return api.Response{}, err
	}
	company, role := acting.Company, acting.Role
	if has, err := people.FactorsOf(ctx, o.Store, signed.Person); err != nil {
		return api.Response{}, err
	} else if acting.NeedsFactor && !has.App {
		return o.sendBack(a.request, url.Values{"error": {"access_denied"}, "error_description": {"the shop requires a second factor of the person"}}), nil
	}
	scopes := within(a.scopes, role)
	if company == 0 || len(scopes) == 0 {
		return o.sendBack(a.request, url.Values{"error": {"access_denied"}, "error_description": {"the person has none of these rights in the shop"}}), nil
	}
	code, hash, err := secret.New(secret.Code)
	if err != nil {
		return api.Response{}, err
	}
	now := o.Now()
	err = people.StoreCode(ctx, o.Store, hash, people.Consent{
		Client: a.client.ID, Company: company, Person: signed.Person, Redirect: a.Redirect, Challenge: a.Challenge, Resource: a.Resource,
		Contour: contour, Scopes: scopes,
	}, now.Add(codeLifetime), now)
	if err != nil {
		return api.Response{}, err
	}
	return o.sendBack(a.request, url.Values{"code": {code}}), nil
}

// within returns the scopes that a role may grant.
func within(scopes []shop.Scope, role shop.Role) (list []shop.Scope) {
	for _, s := range scopes {
		if role.Known() && (role.CanManage() || !s.Sensitive()) {
			list = append(list, s)
		}
	}
	return list
}
