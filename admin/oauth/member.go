package oauth

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

const (
	maxForm         = 32 << 10
	codeLifetime    = time.Minute
	consentLifetime = 10 * time.Minute
)

// authorize shows the page where the person signs in.
func (o *OAuth) authorize(ctx context.Context, c *api.Call, at place) (api.Response, error) {
	return o.begin(ctx, at, c.QueryAll, func(a asked) (api.Response, error) { return signInPage(a, "", ""), nil })
}

// begin reads and checks a request and goes on with it, or answers why it cannot.
func (o *OAuth) begin(ctx context.Context, at place, values func(string) []string, next func(asked) (api.Response, error)) (api.Response, error) {
	a, f, back, err := o.members.begin(ctx, at, values)
	switch {
	case err != nil:
		return api.Response{}, err
	case back != "":
		return sendTo(back), nil
	case f != nil:
		return errorPage(f), nil
	}
	return next(a)
}

// consent is what the form of the second page carries: who signed in, for which request. It is sealed,
// so that only a browser that received the page can send it.
type consent struct {
	Person  shop.UserID `json:"person"`
	Request request     `json:"request"`
	Until   time.Time   `json:"until"`
}

const sealedFor = "oauth consent"

// sealText encrypts a text for a field of a form. of is the same in openText.
func (o *OAuth) sealText(text []byte, of string) string {
	return base64.RawURLEncoding.EncodeToString(o.Sealer.Seal(text, of))
}

func (o *OAuth) openText(field, of string) ([]byte, bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(field)
	if err != nil {
		return nil, false
	}
	text, err := o.Sealer.Open(sealed, of)
	return text, err == nil
}

func (o *OAuth) open(field string) (s consent, ok bool) {
	text, ok := o.openText(field, sealedFor)
	return s, ok && json.Unmarshal(text, &s) == nil && o.Now().Before(s.Until)
}

// submit takes either page's form.
func (o *OAuth) submit(ctx context.Context, c *api.Call, at place) (api.Response, error) {
	if !o.fromHere(c) {
		return api.Response{}, api.ErrCrossOrigin.With("the form must be sent by its own page")
	}
	form, err := readForm(c, maxForm)
	if err != nil {
		return api.Response{}, err
	}
	if form.Has("consent") {
		return o.decide(ctx, at, form)
	}
	return o.begin(ctx, at, func(name string) []string { return form[name] }, func(a asked) (api.Response, error) {
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
	text, err := json.Marshal(consent{Person: person.ID, Request: a.request, Until: o.Now().Add(consentLifetime)})
	return choicePage(a, person, shops, o.sealText(text, sealedFor)), err
}

// decide takes the decision of the second page.
func (o *OAuth) decide(ctx context.Context, at place, form url.Values) (api.Response, error) {
	signed, ok := o.open(form.Get("consent"))
	if !ok {
		return errorPage(fail("invalid_request", "This page is too old. Go back to the program and start again.")), nil
	}
	a, f, _, err := o.members.check(ctx, at, signed.Request)
	if err != nil {
		return api.Response{}, err
	}
	if f != nil {
		return errorPage(f), nil
	}
	if form.Get("decision") != "allow" {
		return sendTo(at.back(a.request, url.Values{"error": {"access_denied"}, "error_description": {"the person refused"}})), nil
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
		return sendTo(at.back(a.request, url.Values{"error": {"access_denied"}, "error_description": {"the shop requires a second factor of the person"}})), nil
	}
	scopes := within(a.scopes, role)
	if company == 0 || len(scopes) == 0 {
		return sendTo(at.back(a.request, url.Values{"error": {"access_denied"}, "error_description": {"the person has none of these rights in the shop"}})), nil
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
	return sendTo(at.back(a.request, url.Values{"code": {code}})), nil
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
