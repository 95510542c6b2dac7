// Package promotion is what owners set about prices: promotions of every kind and
// prices by quantity (CONTRACT-COMMERCE, "Promotions" and "Quantity pricing"). What
// they come to is computed by compile/price alone.
//
// Both are values of the live shop without a draft, for owners and admins.
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

// Config is what promotions stand on.
type Config struct {
	Store *store.Store
	Sites *load.Sites // where products stand
	Now   func() time.Time
}

// Promotions answers the endpoints of this package.
type Promotions struct{ Config }

// New makes the slice.
func New(cfg Config) *Promotions { return &Promotions{cfg} }

// errInvalid names the field that makes no sense.
var errInvalid = shop.Refuse(shop.InvalidArgument, "PROMOTION_INVALID").When("a field makes no sense; the detail begins with its name")

// Endpoints is the table of this slice.
func (ps *Promotions) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("promotions are for owners and admins")
	reads, writes := []shop.Scope{"promotions:read"}, []shop.Scope{"promotions:write"}
	readsRules, writesRules := []shop.Scope{"pricing:read"}, []shop.Scope{"pricing:write"}
	one := api.Refuses(sales.ErrPromotionNotFound)
	edit := one.And(errInvalid, sales.ErrPromoCodeTaken, sales.ErrPromotionLimit)
	rule := api.Refuses(sales.ErrPricingRuleNotFound, errRule, sales.ErrPricingRuleConflict)
	return []api.Endpoint{
		{Method: "GET", Path: "/promotions", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Do: api.Handle(ps.list),
			Summary: "The promotions of the shop, newest first"},
		{Method: "POST", Path: "/promotions", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: edit, Do: api.Handle(ps.create),
			Summary: "Add a promotion; it is active unless said otherwise"},
		{Method: "GET", Path: "/promotions/{id}", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(ps.read),
			Summary: "One promotion with what of its limits is used"},
		{Method: "PUT", Path: "/promotions/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: edit, Do: api.Handle(ps.change),
			Summary: "Change a promotion by its top-level fields; what is not sent stays"},
		{Method: "DELETE", Path: "/promotions/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one, Do: api.Handle(ps.remove),
			Summary: "Delete a promotion; orders keep what it gave"},
		{Method: "POST", Path: "/promotions/{id}/activate", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one, Do: api.Handle(ps.activate),
			Summary: "Let a promotion work"},
		{Method: "POST", Path: "/promotions/{id}/deactivate", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one, Do: api.Handle(ps.deactivate),
			Summary: "Let a promotion rest"},
		{Method: "GET", Path: "/promotions/{id}/codes", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(ps.codes),
			Summary: "The personal codes of a campaign, newest first"},
		{Method: "POST", Path: "/promotions/{id}/issue", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one.And(errInvalid), Do: api.Handle(ps.issue),
			Summary: "Give people codes of a campaign by hand"},
		{Method: "POST", Path: "/promotions/preview", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: api.Refuses(errInvalid, errDays), Do: api.Handle(ps.preview),
			Summary: "What a promotion would have done to the orders of the last days; writes nothing"},
		{Method: "GET", Path: "/v1/account/coupons", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(api.ErrDenied, store.ErrShopNotFound), Do: api.Handle(ps.coupons),
			Summary: "The codes that the person has in a shop and can use now"},
		{Method: "GET", Path: "/pricing-rules", Contour: api.LiveOnly, Manage: role, Scopes: readsRules, Class: api.Read, Do: api.Handle(ps.rules),
			Summary: "The prices by quantity of the shop, newest first"},
		{Method: "POST", Path: "/pricing-rules", Contour: api.RefusesDraft, Manage: role, Scopes: writesRules, Class: api.Write, Errors: api.Refuses(errRule, sales.ErrPricingRuleConflict, sales.ErrPricingRuleLimit), Do: api.Handle(ps.createRule),
			Summary: "Add a price by quantity; it is active unless said otherwise"},
		{Method: "GET", Path: "/pricing-rules/{id}", Contour: api.LiveOnly, Manage: role, Scopes: readsRules, Class: api.Read, Errors: api.Refuses(sales.ErrPricingRuleNotFound), Do: api.Handle(ps.rule),
			Summary: "One price by quantity"},
		{Method: "PUT", Path: "/pricing-rules/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writesRules, Class: api.Write, Errors: rule, Do: api.Handle(ps.changeRule),
			Summary: "Change a price by quantity by its fields; its version rises"},
		{Method: "DELETE", Path: "/pricing-rules/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writesRules, Class: api.Write, Errors: api.Refuses(sales.ErrPricingRuleNotFound), Do: api.Handle(ps.removeRule),
			Summary: "Delete a price by quantity"},
		{Method: "POST", Path: "/pricing-rules/{id}/activate", Contour: api.RefusesDraft, Manage: role, Scopes: writesRules, Class: api.Write, Errors: rule, Do: api.Handle(ps.activateRule),
			Summary: "Let a price by quantity work"},
		{Method: "POST", Path: "/pricing-rules/{id}/deactivate", Contour: api.RefusesDraft, Manage: role, Scopes: writesRules, Class: api.Write, Errors: rule, Do: api.Handle(ps.deactivateRule),
			Summary: "Let a price by quantity rest"},
	}
}

type promotionView struct {
	ID         shop.PromotionID `json:"id"`
	Name       string           `json:"name"`
	Kind       string           `json:"kind"`
	Active     bool             `json:"active"`
	StartsAt   *time.Time       `json:"starts_at"` // null: since ever
	EndsAt     *time.Time       `json:"ends_at"`   // null: for ever
	Priority   int              `json:"priority"`
	Stacking   string           `json:"stacking"`
	Code       string           `json:"code"`
	Conditions conditions       `json:"conditions"`
	Value      value            `json:"value"`
	Limits     limits           `json:"limits"`
	Issue      *issue           `json:"issue"` // of a personal coupon
	Used       int64            `json:"used"`
	Spent      int64            `json:"spent"`
	CreatedAt  time.Time        `json:"created_at"`
	UpdatedAt  time.Time        `json:"updated_at"`
}

func view(p sales.Promotion) promotionView {
	v := promotionView{
		ID: p.ID, Name: p.Name, Kind: p.Kind, Active: p.Active, StartsAt: utc(p.StartsAt), EndsAt: utc(p.EndsAt), Priority: p.Priority,
		Stacking: p.Stacking, Code: p.Code, Conditions: viewConditions(p.Conditions), Value: viewValue(p.Value),
		Limits: limits{p.Total, p.PerBuyer, p.Budget}, Used: p.Used, Spent: p.Spent, CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}
	if p.Issue != nil {
		v.Issue = (*issue)(p.Issue)
	}
	return v
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	at := t.UTC()
	return &at
}

type listRequest struct {
	Active *bool  `query:"filter.active" json:"-"`
	Kind   string `query:"filter.kind" json:"-" enum:"discount,order_discount,coupon,gift,personal_coupon"`
	Query  string `query:"filter.query" json:"-" len:"200" refuse:"INVALID_REQUEST" doc:"in names and codes"`
	api.Paging
}

const pageSize = 20

func (ps *Promotions) list(ctx context.Context, c *api.Call, in listRequest) (out api.Result[api.Page[promotionView]], err error) {
	number, limit, err := in.Page(pageSize)
	if err != nil {
		return out, err
	}
	list, total, err := sales.Promotions(ctx, ps.Store.Shop(c.Company), sales.PromotionFilter{Active: in.Active, Kind: in.Kind, Query: in.Query}, limit, (number-1)*limit)
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
	Item item `json:"item"`
}

func (ps *Promotions) create(ctx context.Context, c *api.Call, in createRequest) (api.Result[promotionView], error) {
	fresh := sales.Promotion{Active: true, Priority: 100, Stacking: "stack"}
	return ps.save(ctx, c, func(*store.Tx) (sales.Promotion, error) { return fresh, nil }, in.Item)
}

type changeRequest struct {
	pathRequest
	Item item `json:"item"`
}

func (ps *Promotions) change(ctx context.Context, c *api.Call, in changeRequest) (api.Result[promotionView], error) {
	return ps.save(ctx, c, func(tx *store.Tx) (sales.Promotion, error) { return sales.LockPromotion(ctx, tx, in.ID) }, in.Item)
}

// save writes what was sent over a promotion.
func (ps *Promotions) save(
	ctx context.Context, c *api.Call, of func(*store.Tx) (sales.Promotion, error), in item,
) (out api.Result[promotionView], err error) {
	held, err := ps.Sites.Current(ctx, ps.Store.Shop(c.Company))
	if err != nil {
		return out, err
	}
	err = ps.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockOffers(ctx); err != nil {
			return err
		}
		p, err := of(tx)
		if err != nil {
			return err
		}
		if err := in.onto(&p); err != nil {
			return err
		}
		if p.ID == 0 || in.Kind != nil || in.Conditions != nil || in.Value != nil { // what it named may be gone since
			if err := known(ctx, tx.Reader, held.Site, p); err != nil {
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
	return ps.turn(ctx, c, in, true)
}

func (ps *Promotions) deactivate(ctx context.Context, c *api.Call, in pathRequest) (api.Result[promotionView], error) {
	return ps.turn(ctx, c, in, false)
}

func (ps *Promotions) turn(ctx context.Context, c *api.Call, in pathRequest, on bool) (api.Result[promotionView], error) {
	return ps.save(ctx, c, func(tx *store.Tx) (sales.Promotion, error) { return sales.LockPromotion(ctx, tx, in.ID) }, item{Active: &on})
}
