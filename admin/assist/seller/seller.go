// Package seller is the owner's side of assistants: which of them sell in the shop and how much,
// which are blocked, and the tokens by which the shop knows assistants of the Agentic Commerce
// Protocol (CONTRACT-COMMERCE, "Assistants"). Only the owner and admins see and change this.
package seller

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/hook"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/assist"
	"vitrine/internal/store/company"
)

// Config holds the dependencies of the package.
type Config struct {
	Store  *store.Store
	Sealer *secret.Sealer // seals the secrets of webhooks
	URLs   api.URLs

	// Check reports whether the shop's webhooks may be sent to an address.
	Check func(ctx context.Context, address string) error
}

// Seller serves the endpoints of this package.
type Seller struct{ Config }

// New returns a Seller.
func New(cfg Config) *Seller { return &Seller{cfg} }

// Refusals of this package.
var (
	errPlatform = shop.Refuse(shop.NotFound, "ASSISTANT_NOT_FOUND").When("no assistant with this profile or id has called the shop")
	errProfile  = shop.Refuse(shop.InvalidArgument, "ASSISTANT_INVALID").When("neither profile, which is an absolute address, nor id names an assistant")
	errName     = shop.Refuse(shop.InvalidArgument, "ASSISTANT_NAME_INVALID").When("name is empty, is not text, or has more than 100 characters")
	errURL      = shop.Refuse(shop.InvalidArgument, "ASSISTANT_URL_INVALID").When("webhook_url is too long, is not https, or leads to an address that is not on the public internet and that the operator has not allowed with VITRINE_OUTBOUND_ALLOW")
)

// Endpoints lists the endpoints of this package.
func (s *Seller) Endpoints() []api.Endpoint {
	row := func(method, path string, class api.Class, errors api.Refusals, do api.Handler, summary string) api.Endpoint {
		return api.Endpoint{
			Method: method, Path: path, Auth: api.SessionOnly, Manage: api.ErrRole.With("only owners and admins manage assistants"), Contour: api.LiveOnly, Class: class,
			Errors: errors, Do: do, Summary: summary, Secret: method == "POST",
		}
	}
	return []api.Endpoint{
		row("GET", "/v1/shop/assistants", api.Read, api.Refuses(store.ErrShopNotFound), api.Handle(s.list),
			"The addresses to give to assistants, and those that have called with what they sold; the 200 most recently seen"),
		row("PUT", "/v1/shop/assistants/platforms", api.Write, api.Refuses(errPlatform, errProfile), api.Handle(s.block),
			"Block an assistant, or unblock it"),
		row("GET", "/v1/shop/assistants/tokens", api.Read, nil, api.Handle(s.tokens),
			"The tokens of assistants, newest first"),
		row("POST", "/v1/shop/assistants/tokens", api.Write, api.Refuses(errName, errURL, assist.ErrTooManyTokens), api.Handle(s.addToken),
			"Give a token to an assistant of the Agentic Commerce Protocol; only this response contains the token and the secret of its webhooks"),
		row("DELETE", "/v1/shop/assistants/tokens/{id}", api.Write, api.Refuses(assist.ErrTokenNotFound), api.Handle(s.revoke),
			"Revoke a token: calls with it are refused at once"),
	}
}

// platformView is an assistant with what was bought through it.
type platformView struct {
	ID        shop.Int64      `json:"id"`
	Protocol  assist.Protocol `json:"protocol"`
	Name      string          `json:"name" doc:"the address of its profile (ucp), or the name of its token (acp)"`
	Blocked   bool            `json:"blocked"`
	Sessions  shop.Int64      `json:"sessions" doc:"carts and checkouts that it has begun"`
	Orders    shop.Int64      `json:"orders"`
	Revenue   shop.Int64      `json:"revenue" doc:"sum of items_total of orders that are not cancelled"`
	Webhook   *shop.WebhookID `json:"webhook_id" doc:"GET /webhooks/{id}/deliveries lists what it was told of its orders; null: nothing yet"`
	SeenAt    time.Time       `json:"seen_at" doc:"when it last began a session; the time of created_at before the first"`
	CreatedAt time.Time       `json:"created_at"`
}

func viewOf(p assist.Seller) platformView {
	return platformView{
		ID: shop.Int64(p.ID), Protocol: p.Protocol, Name: p.Name, Blocked: p.Blocked, Sessions: shop.Int64(p.Sessions), Orders: shop.Int64(p.Orders),
		Revenue: shop.Int64(p.Revenue), Webhook: p.Webhook, SeenAt: p.SeenAt.UTC(), CreatedAt: p.CreatedAt.UTC(),
	}
}

// addressesView is what the owner gives to an assistant.
type addressesView struct {
	UCP    string `json:"ucp" doc:"the profile of the shop (Universal Commerce Protocol)"`
	UCPAPI string `json:"ucp_api"`
	MCP    string `json:"mcp" doc:"the same calls as tools of the Model Context Protocol"`
	ACP    string `json:"acp" doc:"what the shop offers (Agentic Commerce Protocol)"`
	ACPAPI string `json:"acp_api" doc:"the base address of its calls, for assistants with a token"`
}

type overview struct {
	Addresses addressesView  `json:"addresses"`
	Currency  string         `json:"currency"`
	Platforms []platformView `json:"platforms"`
}

func (s *Seller) list(ctx context.Context, c *api.Call, _ api.None) (out api.Result[overview], err error) {
	r := s.Store.Shop(c.Company)
	info, err := company.Info(ctx, r)
	if err != nil {
		return out, err
	}
	at := s.URLs.Storefront(info)
	out.Result = overview{
		Addresses: addressesView{at + "/.well-known/ucp", at + "/api/ucp", at + "/api/ucp/mcp", at + "/.well-known/acp.json", at + "/api/acp"},
		Currency:  info.Currency, Platforms: []platformView{},
	}
	rows, err := assist.Sellers(ctx, r)
	for _, p := range rows {
		out.Result.Platforms = append(out.Result.Platforms, viewOf(p))
	}
	return out, err
}

type blockRequest struct {
	Profile string     `json:"profile" len:"2048" refuse:"ASSISTANT_INVALID" doc:"the address of the profile; one that never called may be blocked, too"`
	ID      shop.Int64 `json:"id" doc:"instead of profile"`
	Blocked *bool      `json:"blocked" required:"always"`
}

func (s *Seller) block(ctx context.Context, c *api.Call, in blockRequest) (out api.Result[platformView], err error) {
	if (in.Profile == "") == (in.ID == 0) || in.Profile != "" && !isAddress(in.Profile) || in.ID < 0 {
		return out, errProfile.At("profile")
	}
	if in.Blocked == nil {
		return out, shop.ErrInvalidRequest.At("blocked").With("true or false")
	}
	return out, s.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		p, found, err := assist.Block(ctx, tx, in.Profile, int64(in.ID), *in.Blocked)
		if err != nil {
			return err
		}
		if !found {
			return errPlatform
		}
		of, err := assist.SellerOf(ctx, tx.Reader, p)
		out = api.Wrap(viewOf(of))
		return err
	})
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http")
}

// tokenView is a token without its secrets.
type tokenView struct {
	ID         shop.Int64 `json:"id"`
	Name       string     `json:"name"`
	WebhookURL string     `json:"webhook_url" doc:"receives events of its orders; empty: none"`
	CreatedAt  time.Time  `json:"created_at"`

	Token         string `json:"token,omitempty" doc:"returned only on creation"`
	WebhookSecret string `json:"webhook_secret,omitempty" doc:"signs the webhooks (Merchant-Signature); returned only on creation"`
}

func tokenOf(p assist.Platform) tokenView {
	return tokenView{ID: shop.Int64(p.ID), Name: p.Name, WebhookURL: p.WebhookURL, CreatedAt: p.CreatedAt.UTC()}
}

func (s *Seller) tokens(ctx context.Context, c *api.Call, _ api.None) (out api.Result[[]tokenView], err error) {
	rows, err := assist.Tokens(ctx, s.Store.Shop(c.Company))
	out.Result = []tokenView{}
	for _, p := range rows {
		out.Result = append(out.Result, tokenOf(p))
	}
	return out, err
}

type tokenRequest struct {
	Name       string `json:"name" required:"always" len:"100" refuse:"ASSISTANT_NAME_INVALID"`
	WebhookURL string `json:"webhook_url" len:"1024" refuse:"ASSISTANT_URL_INVALID" doc:"where the assistant wants to hear of its orders; empty: nowhere"`
}

// lookupTimeout bounds the resolution of a host name when an address is saved.
const lookupTimeout = 2 * time.Second

func (s *Seller) addToken(ctx context.Context, c *api.Call, in tokenRequest) (out api.Result[tokenView], err error) {
	p := assist.Platform{Name: strings.TrimSpace(shop.OneLine(in.Name)), WebhookURL: strings.TrimSpace(in.WebhookURL)}
	if p.Name == "" {
		return out, errName.At("name")
	}
	if p.WebhookURL != "" {
		limited, cancel := context.WithTimeout(ctx, lookupTimeout)
		defer cancel()
		if s.Check(limited, p.WebhookURL) != nil {
			return out, errURL.At("webhook_url")
		}
	}
	token, hash, err := secret.New(secret.Shopping)
	if err != nil {
		return out, err
	}
	signing := hook.NewSecret()
	err = s.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		return assist.AddToken(ctx, tx, &p, hash, func(id int64) []byte { return s.Sealer.Seal([]byte(signing), WebhookSealContext(c.Company, id)) })
	})
	out = api.Wrap(tokenOf(p))
	out.Result.Token, out.Result.WebhookSecret = token, signing
	return out, err
}

// WebhookSealContext is what the secret of a platform's webhooks is sealed with: a row that is copied
// elsewhere cannot be unsealed.
func WebhookSealContext(company shop.CompanyID, platform int64) string {
	return fmt.Sprintf("shop %d assistant %d", company, platform)
}

type tokenID struct {
	ID shop.Int64 `path:"id" json:"-"`
}

func (s *Seller) revoke(ctx context.Context, c *api.Call, in tokenID) (out api.None, err error) {
	return out, s.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return assist.RevokeToken(ctx, tx, int64(in.ID)) })
}
