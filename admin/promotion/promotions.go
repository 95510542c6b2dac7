// Package promotion manages promotions of every kind and quantity prices (CONTRACT-COMMERCE,
// "Promotions" and "Quantity pricing"). compile/price computes their effects.
//
// Both belong to the live shop, without a draft, and are managed by owners and admins.
package promotion

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// Config holds the dependencies of Promotions.
type Config struct {
	Store *store.Store
	Sites *load.Sites // compiled sites, for the sections of products
	Now   func() time.Time
}

// Promotions serves the endpoints of this package.
type Promotions struct{ Config }

// New returns Promotions with the given dependencies.
func New(cfg Config) *Promotions { return &Promotions{cfg} }

// errInvalid refuses an invalid field.
var errInvalid = shop.Refuse(shop.InvalidArgument, "PROMOTION_INVALID").When("a field is invalid; the detail begins with its name")

// Endpoints lists the endpoints of this package.
func (ps *Promotions) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("only owners and admins manage promotions")
	reads, writes := []shop.Scope{"promotions:read"}, []shop.Scope{"promotions:write"}
	readsRules, writesRules := []shop.Scope{"pricing:read"}, []shop.Scope{"pricing:write"}
	one := api.Refuses(sales.ErrPromotionNotFound)
	edit := one.And(errInvalid, sales.ErrPromoCodeTaken, sales.ErrPromotionLimit)
	rule := api.Refuses(sales.ErrPricingRuleNotFound, errRule, sales.ErrPricingRuleConflict)
	return []api.Endpoint{
		{Method: "GET", Path: "/promotions", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Do: api.Handle(ps.list),
			Summary: "The promotions of the shop, newest first"},
		{Method: "POST", Path: "/promotions", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: edit, Do: api.Handle(ps.create),
			Summary: "Create a promotion; it is active by default"},
		{Method: "GET", Path: "/promotions/{id}", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(ps.read),
			Summary: "One promotion with the current use of its limits"},
		{Method: "PUT", Path: "/promotions/{id}", Edits: "/promotions/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: edit, Do: api.Handle(ps.change),
			Summary: "Change a promotion by its top-level fields; fields that are not sent stay unchanged"},
		{Method: "DELETE", Path: "/promotions/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one, Do: api.Handle(ps.remove),
			Summary: "Delete a promotion; orders keep its discounts"},
		{Method: "POST", Path: "/promotions/{id}/activate", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one, Do: api.Handle(ps.activate),
			Summary: "Activate a promotion"},
		{Method: "POST", Path: "/promotions/{id}/deactivate", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one, Do: api.Handle(ps.deactivate),
			Summary: "Deactivate a promotion"},
		{Method: "GET", Path: "/promotions/{id}/codes", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(ps.codes),
			Summary: "The personal codes of a campaign, newest first"},
		{Method: "POST", Path: "/promotions/{id}/issue", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one.And(errInvalid), Do: api.Handle(ps.issue),
			Summary: "Issue codes of a campaign to people by hand"},
		{Method: "POST", Path: "/promotions/preview", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: api.Refuses(errInvalid, errDays), Computes: true, Do: api.Handle(ps.preview),
			Summary: "Simulate a promotion on the orders of the last days; nothing is stored"},
		{Method: "GET", Path: "/v1/account/coupons", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(api.ErrDenied, store.ErrShopNotFound), Do: api.Handle(ps.coupons),
			Summary: "The codes that the person can currently use in a shop"},
		{Method: "GET", Path: "/pricing-rules", Contour: api.LiveOnly, Manage: role, Scopes: readsRules, Class: api.Read, Do: api.Handle(ps.rules),
			Summary: "The quantity prices of the shop, newest first"},
		{Method: "POST", Path: "/pricing-rules", Contour: api.RefusesDraft, Manage: role, Scopes: writesRules, Class: api.Write, Errors: api.Refuses(errRule, sales.ErrPricingRuleConflict, sales.ErrPricingRuleLimit), Do: api.Handle(ps.createRule),
			Summary: "Create a quantity price; it is active by default"},
		{Method: "GET", Path: "/pricing-rules/{id}", Contour: api.LiveOnly, Manage: role, Scopes: readsRules, Class: api.Read, Errors: api.Refuses(sales.ErrPricingRuleNotFound), Do: api.Handle(ps.rule),
			Summary: "One quantity price"},
		{Method: "PUT", Path: "/pricing-rules/{id}", Edits: "/pricing-rules/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writesRules, Class: api.Write, Errors: rule, Do: api.Handle(ps.changeRule),
			Summary: "Change a quantity price; its version increases"},
		{Method: "DELETE", Path: "/pricing-rules/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writesRules, Class: api.Write, Errors: api.Refuses(sales.ErrPricingRuleNotFound), Do: api.Handle(ps.removeRule),
			Summary: "Delete a quantity price"},
		{Method: "POST", Path: "/pricing-rules/{id}/activate", Contour: api.RefusesDraft, Manage: role, Scopes: writesRules, Class: api.Write, Errors: rule, Do: api.Handle(ps.activateRule),
			Summary: "Activate a quantity price"},
		{Method: "POST", Path: "/pricing-rules/{id}/deactivate", Contour: api.RefusesDraft, Manage: role, Scopes: writesRules, Class: api.Write, Errors: rule, Do: api.Handle(ps.deactivateRule),
			Summary: "Deactivate a quantity price"},
	}
}

type promotionView struct {
	ID         shop.PromotionID `json:"id"`
	Name       string           `json:"name"`
	Kind       kind             `json:"kind"`
	Active     bool             `json:"active"`
	StartsAt   *time.Time       `json:"starts_at"` // null: no start
	EndsAt     *time.Time       `json:"ends_at"`   // null: no end
	Priority   int              `json:"priority"`
	Stacking   stacking         `json:"stacking"`
	Code       string           `json:"code"`
	Conditions conditions       `json:"conditions"`
	Value      value            `json:"value"`
	Limits     limits           `json:"limits"`
	Issue      *issue           `json:"issue"` // for personal coupons
	Used       int64            `json:"used"`
	Spent      int64            `json:"spent"`
	CreatedAt  time.Time        `json:"created_at"`
	UpdatedAt  time.Time        `json:"updated_at"`
}

func view(p sales.Promotion) promotionView {
	v := promotionView{
		ID: p.ID, Name: p.Name, Kind: kind(p.Kind), Active: p.Active, StartsAt: shop.UTC(p.StartsAt), EndsAt: shop.UTC(p.EndsAt), Priority: p.Priority,
		Stacking: stacking(p.Stacking), Code: p.Code, Conditions: viewConditions(p.Conditions), Value: viewValue(p.Value),
		Limits: limits{p.Total, p.PerBuyer, p.Budget}, Used: p.Used, Spent: p.Spent, CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}
	if p.Issue != nil {
		v.Issue = (*issue)(p.Issue)
	}
	return v
}

type listRequest struct {
	Active *bool  `query:"filter.active" json:"-"`
	Kind   kind   `query:"filter.kind" json:"-"`
	Query  string `query:"filter.query" json:"-" len:"200" refuse:"INVALID_REQUEST" doc:"words in the name or code"`
	api.Paging
}

const pageSize = 20

func (ps *Promotions) list(ctx context.Context, c *api.Call, in listRequest) (out api.Result[api.Page[promotionView]], err error) {
	number, limit, err := in.Page(pageSize)
	if err != nil {
		return out, err
	}
	list, total, err := sales.Promotions(ctx, ps.Store.Shop(c.Company), sales.PromotionFilter{Active: in.Active, Kind: string(in.Kind), Query: in.Query}, limit, (number-1)*limit)
	out = api.NewPage(list, view, total, number)
	return out, err
}

type pathRequest struct {
	ID shop.PromotionID `path:"id" json:"-"`
}

func (ps *Promotions) read(ctx context.Context, c *api.Call, in pathRequest) (api.Result[promotionView], error) {
	p, err := sales.GetPromotion(ctx, ps.Store.Shop(c.Company), in.ID)
	return api.Wrap(view(p)), err
}

type createRequest struct {
	Item item `json:"item" required:"always"`
}

func (ps *Promotions) create(ctx context.Context, c *api.Call, in createRequest) (api.Result[promotionView], error) {
	fresh := sales.Promotion{Active: true, Priority: 100, Stacking: "stack"}
	return ps.save(ctx, c, func(*store.Tx) (sales.Promotion, error) { return fresh, nil }, in.Item)
}

type changeRequest struct {
	pathRequest
	api.Basis
	Item item `json:"item"`
}

func (ps *Promotions) change(ctx context.Context, c *api.Call, in changeRequest) (api.Result[promotionView], error) {
	return ps.save(ctx, c, func(tx *store.Tx) (sales.Promotion, error) { return sales.LockPromotion(ctx, tx, in.ID) }, in.Item)
}

// save applies the sent fields to a promotion.
func (ps *Promotions) save(
	ctx context.Context, c *api.Call, of func(*store.Tx) (sales.Promotion, error), in item,
) (out api.Result[promotionView], err error) {
	cached, err := ps.Sites.Current(ctx, ps.Store.Shop(c.Company))
	if err != nil {
		return out, err
	}
	err = ps.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockPricing(ctx); err != nil {
			return err
		}
		p, err := of(tx)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(p.UpdatedAt); err != nil {
			return err
		}
		if err := in.apply(&p); err != nil {
			return err
		}
		if p.ID == 0 || in.Kind != nil || in.Conditions != nil || in.Value != nil { // stored references may have been deleted since
			if err := checkReferences(ctx, tx.Reader, cached.Site, p); err != nil {
				return err
			}
		}
		p, err = sales.SavePromotion(ctx, tx, p)
		out = api.Wrap(view(p))
		return err
	})
	return out, err
}

func (ps *Promotions) remove(ctx context.Context, c *api.Call, in pathRequest) (none api.None, err error) {
	return none, ps.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return sales.DeletePromotion(ctx, tx, in.ID) })
}

func (ps *Promotions) activate(ctx context.Context, c *api.Call, in pathRequest) (api.Result[promotionView], error) {
	return ps.setActive(ctx, c, in, true)
}

func (ps *Promotions) deactivate(ctx context.Context, c *api.Call, in pathRequest) (api.Result[promotionView], error) {
	return ps.setActive(ctx, c, in, false)
}

func (ps *Promotions) setActive(ctx context.Context, c *api.Call, in pathRequest, on bool) (api.Result[promotionView], error) {
	return ps.save(ctx, c, func(tx *store.Tx) (sales.Promotion, error) { return sales.LockPromotion(ctx, tx, in.ID) }, item{Active: &on})
}
