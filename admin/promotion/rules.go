package promotion

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/price"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
)

// errRule refuses an invalid field of a quantity price.
var errRule = shop.Refuse(shop.InvalidArgument, "PRICING_RULE_INVALID").When("a field is invalid; the detail begins with its name")

type ruleView struct {
	ID         shop.PricingRuleID `json:"id"`
	Name       string             `json:"name"`
	Active     bool               `json:"active"`
	Version    shop.Int64         `json:"version"`
	Products   []shop.ProductID   `json:"product_ids"`
	Categories []shop.CategoryID  `json:"category_ids"` // including their subsections
	Count      count              `json:"count"`
	Tiers      []tier             `json:"tiers"`
	CreatedAt  time.Time          `json:"created_at"`
	UpdatedAt  time.Time          `json:"updated_at"`
}

// tier is a step of a quantity price: a percentage off, or a price.
type tier struct {
	From    int64    `json:"from" required:"always"`
	Percent *float64 `json:"percent"`
	Price   *int64   `json:"price"`
}

func viewRule(r sales.PricingRule) ruleView {
	v := ruleView{
		ID: r.ID, Name: r.Name, Active: r.Active, Version: shop.Int64(r.Version), Products: append([]shop.ProductID{}, r.Products...),
		Categories: append([]shop.CategoryID{}, r.Categories...), Count: count(r.Count), Tiers: []tier{}, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
	for _, t := range r.Tiers {
		view := tier{From: t.From, Price: t.Price}
		if t.Price == nil {
			percent := float64(t.Points) / 100
			view.Percent = &percent
		}
		v.Tiers = append(v.Tiers, view)
	}
	return v
}

// ruleItem is a quantity price as sent by the client; absent fields stay unchanged.
type ruleItem struct {
	Name       *string            `json:"name" required:"POST" len:"body"`
	Active     *bool              `json:"active"`
	Products   *[]shop.ProductID  `json:"product_ids" max:"1000"`
	Categories *[]shop.CategoryID `json:"category_ids" max:"1000"`
	Count      *count             `json:"count" len:"body"`
	Tiers      *[]tier            `json:"tiers" required:"POST" max:"20" refuse:"PRICING_RULE_INVALID"`
}

// apply applies the sent fields to a rule and validates the result.
func (i ruleItem) apply(r *sales.PricingRule) error {
	api.Set(&r.Name, i.Name)
	api.Set(&r.Active, i.Active)
	api.Set(&r.Products, i.Products)
	api.Set(&r.Categories, i.Categories)
	api.Set(&r.Count, (*string)(i.Count))
	r.Name = strings.TrimSpace(r.Name)
	r.Products, r.Categories = unique(r.Products), unique(r.Categories)
	if i.Tiers != nil {
		tiers, err := readTiers(*i.Tiers)
		if err != nil {
			return err
		}
		r.Tiers = tiers
	}
	switch {
	case r.Name == "":
		return errRule.At("name").With("must not be empty")
	case utf8.RuneCountInString(r.Name) > maxName:
		return errRule.At("name").With("at most 255 characters")
	case !slices.Contains([]string{string(price.CountLine), string(price.CountProduct), string(price.CountRule)}, r.Count):
		return errRule.At("count").With("line, product or rule")
	case len(r.Products)+len(r.Categories) == 0:
		return errRule.At("product_ids").With("the rule needs a product or a category")
	case len(r.Tiers) == 0:
		return errRule.At("tiers").With("1 to 20")
	}
	return nil
}

func unique[T ~int32](ids []T) []T {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return append([]T{}, slices.Compact(ids)...)
}

func readTiers(sent []tier) (tiers []sales.PricingTier, err error) {
	last := int64(1)
	for n, t := range sent {
		refuse := func(field, why string) error { return shop.AtEntry(errRule.At(field).With(why), "tiers", n) }
		out := sales.PricingTier{From: t.From, Price: t.Price}
		switch {
		case t.From <= last || t.From > maxUnits:
			return nil, refuse("from", "2 to 9999, in ascending order")
		case (t.Percent == nil) == (t.Price == nil):
			return nil, refuse("percent", "either percent or price")
		case t.Price != nil && (*t.Price < 0 || *t.Price > maxMoney):
			return nil, refuse("price", "0 to 2000000000")
		case t.Percent != nil:
			var why string
			if out.Points, why = points(*t.Percent); why != "" {
				return nil, refuse("percent", why)
			}
		}
		tiers, last = append(tiers, out), t.From
	}
	return tiers, nil
}

type rulesRequest struct{ api.Paging }

func (ps *Promotions) rules(ctx context.Context, c *api.Call, in rulesRequest) (out api.Result[api.Page[ruleView]], err error) {
	number, limit, err := in.Page(pageSize)
	if err != nil {
		return out, err
	}
	list, total, err := sales.PricingRules(ctx, ps.Store.Shop(c.Company), limit, (number-1)*limit)
	out = api.NewPage(list, viewRule, total, number)
	return out, err
}

type rulePath struct {
	ID shop.PricingRuleID `path:"id" json:"-"`
}

func (ps *Promotions) rule(ctx context.Context, c *api.Call, in rulePath) (api.Result[ruleView], error) {
	r, err := sales.GetPricingRule(ctx, ps.Store.Shop(c.Company), in.ID)
	return api.Wrap(viewRule(r)), err
}

type createRuleRequest struct {
	Item ruleItem `json:"item" required:"always"`
}

type changeRuleRequest struct {
	rulePath
	api.Basis
	Item ruleItem `json:"item"`
}

func (ps *Promotions) createRule(ctx context.Context, c *api.Call, in createRuleRequest) (api.Result[ruleView], error) {
	return ps.saveRule(ctx, c, 0, in.Item, "pricing_rule.changed", "created")
}

func (ps *Promotions) changeRule(ctx context.Context, c *api.Call, in changeRuleRequest) (api.Result[ruleView], error) {
	return ps.saveRule(ctx, c, in.ID, in.Item, "pricing_rule.changed", "updated")
}

func (ps *Promotions) activateRule(ctx context.Context, c *api.Call, in rulePath) (api.Result[ruleView], error) {
	on := true
	return ps.saveRule(ctx, c, in.ID, ruleItem{Active: &on}, "pricing_rule.activated", "activated")
}

func (ps *Promotions) deactivateRule(ctx context.Context, c *api.Call, in rulePath) (api.Result[ruleView], error) {
	off := false
	return ps.saveRule(ctx, c, in.ID, ruleItem{Active: &off}, "pricing_rule.activated", "deactivated")
}

// saveRule applies the sent fields to a rule; id 0 creates one.
func (ps *Promotions) saveRule(
	ctx context.Context, c *api.Call, id shop.PricingRuleID, in ruleItem, event, action string,
) (out api.Result[ruleView], err error) {
	cached, err := ps.Sites.Current(ctx, ps.Store.Shop(c.Company))
	if err != nil {
		return out, err
	}
	err = ps.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockPricing(ctx); err != nil {
			return err
		}
		r := sales.PricingRule{Active: true, Count: string(price.CountLine)}
		if id != 0 {
			if r, err = sales.GetPricingRule(ctx, tx.Reader, id); err != nil {
				return err
			}
			if err := tx.CheckBasis(r.UpdatedAt); err != nil {
				return err
			}
		}
		if err := in.apply(&r); err != nil {
			return err
		}
		if id == 0 || in.Products != nil || in.Categories != nil { // stored references may have been deleted since
			if err := checkRuleReferences(ctx, tx, cached.Site, r); err != nil {
				return err
			}
		}
		r, err := sales.SavePricingRule(ctx, tx, r, event, action)
		out = api.Wrap(viewRule(r))
		return err
	})
	return out, err
}

// checkRuleReferences checks that the entities a rule refers to exist.
func checkRuleReferences(ctx context.Context, tx *store.Tx, site *compile.Site, r sales.PricingRule) error {
	goods, err := catalog.CartProducts(ctx, tx.Reader, r.Products)
	if err != nil {
		return err
	}
	for _, id := range r.Products {
		if goods[id] == nil {
			return errRule.At("product_ids").With("product " + id.String() + " does not exist in the shop")
		}
	}
	for _, id := range r.Categories {
		if _, there := site.Category(id); !there {
			return errRule.At("category_ids").With("category " + id.String() + " does not exist in the shop")
		}
	}
	return nil
}

func (ps *Promotions) removeRule(ctx context.Context, c *api.Call, in rulePath) (none api.None, err error) {
	return none, ps.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return sales.DeletePricingRule(ctx, tx, in.ID) })
}
