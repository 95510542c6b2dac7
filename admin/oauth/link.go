package oauth

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"
	"github.com/golang-jwt/jwt/v5"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

// LinkScopes are what a buyer may allow an assistant, by the names of its protocol.
var LinkScopes = []shop.Scope{"dev.ucp.shopping.cart:manage", "dev.ucp.shopping.checkout:manage", "dev.ucp.shopping.order:read"}

const (
	linkPath     = "/account/link"
	signedMethod = "private_key_jwt"
	assertedBy   = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	maxAssertion = 10 * time.Minute // from now until it expires
)

// errClient does not tell why a client is not believed.
var errClient = &fault{"invalid_client", "the client is unknown, or did not prove who it is", 401}

// links is the ledger of buyers.
type links struct{ *OAuth }

func (o links) place(ctx context.Context, c *api.Call) (place, error) {
	r := o.Store.Shop(c.Storefront)
	info, err := companydb.Info(ctx, r)
	if err != nil {
		return place{}, err
	}
	settings, err := companydb.GetSettings(ctx, r)
	if err == nil && (info.Closed || info.Blocked || settings.Assistants.Or() == shop.AssistantsOff) {
		err = shop.ErrNotFound
	}
	origin := o.Hosts.Origin(info.Slug, info.Domain)
	return place{
		company: c.Storefront, issuer: origin, authorize: linkPath, endpoints: origin + "/api",
		resources: []string{origin, origin + "/api/ucp", origin + "/api/ucp/mcp"},
	}, err
}

func (o links) describe(_ place, server, resource map[string]any) {
	server["scopes_supported"], resource["scopes_supported"] = LinkScopes, LinkScopes
	for _, of := range []string{"token_endpoint_auth_", "revocation_endpoint_auth_"} {
		server[of+"methods_supported"] = []string{signedMethod, "none"}
		server[of+"signing_alg_values_supported"] = []string{"ES256", "ES384"}
	}
}

func (links) scopes(asked []string) ([]shop.Scope, *fault) {
	if len(asked) == 0 {
		return LinkScopes, nil
	}
	var list []shop.Scope
	for _, known := range LinkScopes {
		if slices.Contains(asked, string(known)) {
			list = append(list, known)
		}
	}
	for _, name := range asked {
		if !slices.Contains(LinkScopes, shop.Scope(name)) {
			return nil, fail("invalid_scope", "scope is a list of "+joined(LinkScopes))
		}
	}
	return list, nil
}

// admit reads the profile that a client belongs to. Its codes go to the host of the profile or to a
// program on the buyer's own machine, so that nobody can register a client in the name of another.
func (o links) admit(c *api.Call, in registration, client *people.Client) *fault {
	profile, ok := profileOf(c.Header("UCP-Agent"))
	if !ok {
		return fail("invalid_client_metadata", `the header UCP-Agent names the profile: profile="https://..."`)
	}
	client.Profile, client.Signs = profile, in.Method == signedMethod
	for _, address := range client.Redirects {
		if host := hostnameOf(address); host != hostnameOf(profile) && !loopback(host) {
			return fail("invalid_redirect_uri", "a redirect address is on the host of the profile or at localhost")
		}
	}
	return nil
}

// profileOf reads the header UCP-Agent (RFC 8941).
func profileOf(header string) (string, bool) {
	dictionary, err := httpsfv.UnmarshalDictionary([]string{header})
	if err != nil {
		return "", false
	}
	member, _ := dictionary.Get("profile")
	item, ok := member.(httpsfv.Item)
	if !ok {
		return "", false
	}
	profile, ok := item.Value.(string)
	return profile, ok && validRedirect(profile)
}

func hostnameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func (o links) keep(ctx context.Context, at place, client people.Client) (string, error) {
	id, err := people.RegisterLinkClient(ctx, o.Store, at.company, client, o.Now())
	if err == nil && id == "" {
		err = errBlocked
	}
	return id, err
}

func (o links) client(ctx context.Context, at place, id string) (people.Client, bool, error) {
	return people.LinkClient(ctx, o.Store.Shop(at.company), id)
}

// authenticate believes a client that registered without a key: PKCE ties its code to it.
func (o links) authenticate(ctx context.Context, at place, form url.Values) (people.Client, error) {
	id := form.Get("client_id")
	if id == "" && form.Has("client_assertion") { // RFC 7521, 4.2
		var claims jwt.RegisteredClaims
		if _, _, err := jwt.NewParser().ParseUnverified(form.Get("client_assertion"), &claims); err != nil {
			return people.Client{}, errClient
		}
		id = claims.Subject
	}
	client, found, err := o.client(ctx, at, id)
	switch {
	case err != nil:
	case !found:
		err = errClient
	case client.Signs:
		err = o.believe(ctx, at, client, form)
	}
	return client, err
}

// believe checks the assertion that a client signs (RFC 7523). That it is not remembered until it
// expires harms nobody: what it is sent with, a code or a token, is valid once.
func (o links) believe(ctx context.Context, at place, client people.Client, form url.Values) error {
	if form.Get("client_assertion_type") != assertedBy {
		return errClient
	}
	var claims jwt.RegisteredClaims
	var failed error
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{"ES256", "ES384"}), jwt.WithIssuer(client.ID), jwt.WithSubject(client.ID),
		jwt.WithAudience(at.issuer, at.endpoints+"/oauth/token"), jwt.WithExpirationRequired(), jwt.WithTimeFunc(o.Now), jwt.WithStrictDecoding())
	_, err := parser.ParseWithClaims(form.Get("client_assertion"), &claims, func(t *jwt.Token) (any, error) {
		id, _ := t.Header["kid"].(string)
		key, err := o.Key(ctx, client.Profile, id)
		if err == nil && key == nil {
			err = errClient
		}
		failed = err
		return key, err
	})
	if refusal, ok := shop.AsRefusal(failed); ok {
		return &fault{"invalid_client", "the profile: " + refusal.Message(), 401}
	}
	if failed != nil {
		return failed
	}
	if err != nil || claims.ExpiresAt.After(o.Now().Add(maxAssertion)) {
		return errClient
	}
	return nil
}

func (o links) exchange(ctx context.Context, at place, code []byte, proves func(people.Consent) bool) (out tokens, err error) {
	refused := error(nil)
	err = o.Store.Write(ctx, at.company, func(tx *store.Tx) error {
		agreed, link, used, err := people.UseLinkCode(ctx, tx, code, o.Now())
		agreed.Resource = at.resources[0]
		switch {
		case err != nil:
			return err
		case !used || !proves(agreed):
			refused = errGrant // and the code stays used
			return nil
		}
		out, err = o.renew(ctx, tx, link, agreed.Scopes)
		return err
	})
	if err != nil {
		return out, err
	}
	return out, refused
}

func (o links) renew(ctx context.Context, tx *store.Tx, link int64, scopes []shop.Scope) (tokens, error) {
	now := o.Now()
	out, pair, err := newTokens(secret.Assistant, "", scopes, now)
	if err != nil {
		return out, err
	}
	return out, people.StoreLinkTokens(ctx, tx, link, pair, now)
}

func (o links) refresh(ctx context.Context, at place, token []byte, client string, agrees func(string, []shop.Scope) error) (out tokens, err error) {
	refused := error(nil)
	err = o.Store.Write(ctx, at.company, func(tx *store.Tx) error {
		link, scopes, used, err := people.UseLinkRefresh(ctx, tx, token, client, o.Now())
		if err != nil {
			return err
		}
		if !used {
			refused = errGrant
			return nil
		}
		if err := agrees(at.resources[0], scopes); err != nil {
			return err
		}
		out, err = o.renew(ctx, tx, link, scopes)
		return err
	})
	if err != nil {
		return out, err
	}
	return out, refused
}

func (o links) end(ctx context.Context, at place, token []byte, client string) error {
	return o.Store.Write(ctx, at.company, func(tx *store.Tx) error { return people.EndLinkOf(ctx, tx, token, client) })
}

// Buyer returns for whom the bearer of a token acts in a shop. One that is not valid gets
// people.ErrIdentity.
func (o *OAuth) Buyer(ctx context.Context, company shop.CompanyID, token string) (people.Linked, error) {
	if !secret.WellFormed(token, secret.Assistant) {
		return people.Linked{}, people.ErrIdentity
	}
	return people.LinkedBy(ctx, o.Store, company, secret.Hash(token), o.Now())
}

// Inside returns the endpoints that only the edge of this process calls, to draw the pages where a
// buyer links assistants. So no script of a page can call them.
func (o *OAuth) Inside() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/inside/link", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(o.askBuyer)},
		{Method: "POST", Path: "/inside/link", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(ErrConsentOver), Do: api.Handle(o.decideLink)},
		{Method: "GET", Path: "/inside/links", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(o.links)},
		{Method: "DELETE", Path: "/inside/links/{id}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Do: api.Handle(o.unlink)},
	}
}

// linkView is what the page shows on which a buyer decides.
type linkView struct {
	Back    string `json:"back"`    // where the browser is sent instead; empty: nowhere
	Problem string `json:"problem"` // why the request cannot be shown; empty: it can

	Name    string       `json:"name"` // as the client calls itself
	Profile string       `json:"profile"`
	Host    string       `json:"host"` // to which the buyer returns
	Scopes  []shop.Scope `json:"scopes"`
	Consent string       `json:"consent"` // what the form carries
}

// linkConsent is sealed in the form of that page, for the buyer's session and the request that they
// saw: a decision for another request, or in another session, is none.
type linkConsent struct {
	Session []byte    `json:"session"`
	Request request   `json:"request"`
	Until   time.Time `json:"until"`
}

// ErrConsentOver refuses a decision on a page that was shown too long ago, or to somebody else.
var ErrConsentOver = shop.Refuse(shop.FailedPrecondition, "CONSENT_OVER").When("the page was shown too long ago or in another session")

func linkSeal(company shop.CompanyID) string { return "link consent of shop " + company.String() }

// account refuses guests, who have nothing to link.
func (o *OAuth) account(ctx context.Context, c *api.Call) error {
	person, err := people.GetPerson(ctx, o.Store, c.Person)
	if err == nil && person.Guest() {
		err = api.ErrUnauthenticated.With("a guest has no account")
	}
	return err
}

func (o *OAuth) askBuyer(ctx context.Context, c *api.Call, _ api.None) (out api.Result[linkView], err error) {
	if err := o.account(ctx, c); err != nil {
		return out, err
	}
	at, err := o.buyers.place(ctx, c)
	if err != nil {
		return out, err
	}
	a, f, back, err := o.buyers.begin(ctx, at, c.QueryAll)
	switch {
	case err != nil || back != "":
		return api.Wrap(linkView{Back: back}), err
	case f != nil:
		return api.Wrap(linkView{Problem: f.description}), nil
	}
	text, err := json.Marshal(linkConsent{secret.Hash(c.Token()), a.request, o.Now().Add(consentLifetime)})
	return api.Wrap(linkView{
		Name: a.client.Name, Profile: a.client.Profile, Host: hostOf(a.Redirect), Scopes: a.scopes, Consent: o.sealText(text, linkSeal(at.company)),
	}), err
}

type linkDecision struct {
	Consent  string `json:"consent" len:"16000"`
	Allow    bool   `json:"allow"`
	Password string `json:"password" len:"256" spaces:"kept"`
	Code     string `json:"code" len:"16"`
}

type linkBack struct {
	Back string `json:"back"` // where the browser is sent
}

// decideLink takes the decision of a buyer. To agree they prove who they are: a script in their
// session could send everything else.
func (o *OAuth) decideLink(ctx context.Context, c *api.Call, in linkDecision) (out api.Result[linkBack], err error) {
	if err := o.account(ctx, c); err != nil {
		return out, err
	}
	at, err := o.buyers.place(ctx, c)
	if err != nil {
		return out, err
	}
	var signed linkConsent
	text, ok := o.openText(in.Consent, linkSeal(at.company))
	if !ok || json.Unmarshal(text, &signed) != nil || !secret.Equal(signed.Session, secret.Hash(c.Token())) || !o.Now().Before(signed.Until) {
		return out, ErrConsentOver
	}
	a, f, _, err := o.buyers.check(ctx, at, signed.Request)
	switch {
	case err != nil:
		return out, err
	case f != nil:
		return out, ErrConsentOver
	case !in.Allow:
		return api.Wrap(linkBack{at.back(a.request, url.Values{"error": {"access_denied"}, "error_description": {"the buyer refused"}})}), nil
	}
	if err := o.Prove(ctx, c, in.Password, strings.TrimSpace(in.Code)); err != nil {
		return out, err
	}
	code, hash, err := secret.New(secret.Code)
	if err != nil {
		return out, err
	}
	now := o.Now()
	err = o.Store.Write(ctx, at.company, func(tx *store.Tx) error {
		return people.AgreeToLink(ctx, tx, hash, people.Consent{
			Client: a.client.ID, Person: c.Person, Redirect: a.Redirect, Challenge: a.Challenge, Scopes: a.scopes,
		}, now.Add(codeLifetime), now)
	})
	return api.Wrap(linkBack{at.back(a.request, url.Values{"code": {code}})}), err
}

func (o *OAuth) links(ctx context.Context, c *api.Call, _ api.None) (api.Result[[]people.Link], error) {
	list, err := people.Links(ctx, o.Store.Shop(c.Storefront), c.Person, o.Now())
	return api.Wrap(list), err
}

type linkID struct {
	ID int64 `path:"id" json:"-"`
}

// unlink ends a link at once. One that has ended already is no error: the buyer sees the list again.
func (o *OAuth) unlink(ctx context.Context, c *api.Call, in linkID) (api.None, error) {
	return api.None{}, o.Store.Write(ctx, c.Storefront, func(tx *store.Tx) error { return people.EndLink(ctx, tx, c.Person, in.ID) })
}
