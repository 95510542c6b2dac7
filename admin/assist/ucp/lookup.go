package ucp

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"vitrine/admin/assist"
	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

type lookupRequest struct {
	IDs []string `json:"ids" len:"2000" max:"10000" required:"always" doc:"1 to 50 ids of products or variants, skus, handles, addresses of pages"`
}

type lookupAnswer struct {
	UCP      Meta      `json:"ucp"`
	Products []Product `json:"products"`
	Messages []Message `json:"messages,omitempty"`
}

// lookup reads the products that ids name, each with the variants that they name.
func (u *UCP) lookup(ctx context.Context, r *request, in lookupRequest) (out lookupAnswer, err error) {
	if len(in.IDs) == 0 {
		return out, errRequest.with("ids is empty")
	}
	if len(in.IDs) > maxLookups {
		return out, errTooLarge.with("ids has more than 50 entries")
	}
	ids := slices.Compact(slices.Clone(in.IDs))
	named, products, err := r.find(ctx, ids)
	if err != nil {
		return out, err
	}
	out.UCP, out.Products = r.meta(), []Product{}
	at := map[shop.ProductID]int{}
	for _, id := range ids {
		product, found := products[named[id]]
		if !found {
			out.Messages = append(out.Messages, info("not_found", id, ""))
			continue
		}
		place, listed := at[named[id]]
		if !listed {
			place = len(out.Products)
			at[named[id]] = place
			shown := product
			shown.Variants = nil
			out.Products = append(out.Products, shown)
		}
		variant, input := product.variantNamed(id)
		out.Products[place].addInput(variant, input)
	}
	return out, nil
}

// variantNamed returns the variant that an id of a lookup means.
func (p *Product) variantNamed(id string) (Variant, Input) {
	own := id
	if product, set, ok := assist.ReadItemID(id); ok {
		own = assist.ItemID(product, set)
	}
	at := slices.IndexFunc(p.Variants, func(v Variant) bool { return v.ID == own })
	if at < 0 {
		at = slices.IndexFunc(p.Variants, func(v Variant) bool { return v.SKU != "" && strings.EqualFold(v.SKU, id) })
	}
	if at < 0 {
		return p.Variants[0], Input{id, "featured"}
	}
	return p.Variants[at], Input{id, "exact"}
}

// addInput adds a variant, or to the one that is there the id that also means it.
func (p *Product) addInput(v Variant, by Input) {
	at := slices.IndexFunc(p.Variants, func(x Variant) bool { return x.ID == v.ID })
	if at < 0 {
		v.Inputs, at = nil, len(p.Variants)
		p.Variants = append(p.Variants, v)
	}
	if listed := &p.Variants[at].Inputs; !slices.Contains(*listed, by) {
		*listed = append(*listed, by)
	}
}

// find returns which product each id means, and the products that visitors see. An id that also is
// the sku or the handle of another product means the product or variant with this id.
func (r *request) find(ctx context.Context, ids []string) (named map[string]shop.ProductID, products map[shop.ProductID]Product, err error) {
	named, err = catalog.ProductsNamed(ctx, r.reader, ids)
	if err != nil {
		return nil, nil, err
	}
	wanted, byID := slices.Collect(maps.Values(named)), map[string]shop.ProductID{}
	for _, id := range ids {
		product, _, ok := assist.ReadItemID(id)
		if !ok {
			product, ok = r.at(id)
		}
		if ok {
			byID[id], wanted = product, append(wanted, product)
		}
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	products = map[shop.ProductID]Product{}
	if len(wanted) == 0 {
		return named, products, nil
	}
	rows, err := catalog.Products(ctx, r.reader, catalog.ProductFilter{IDs: wanted, PublishedOnly: true, Number: 1, Limit: len(wanted)})
	if err != nil {
		return nil, nil, err
	}
	drawn, err := r.draw(ctx, rows)
	for i, row := range rows {
		products[row.ID] = drawn[i]
	}
	for id, product := range byID {
		if p, seen := products[product]; seen && p.has(id) {
			named[id] = product
		}
	}
	return named, products, err
}

// has reports whether a variant that an id names is for sale.
func (p *Product) has(id string) bool {
	product, set, ok := assist.ReadItemID(id)
	return !ok || set == 0 || slices.ContainsFunc(p.Variants, func(v Variant) bool { return v.ID == assist.ItemID(product, set) })
}

// at returns the product whose page has an address on the shop's host.
func (r *request) at(address string) (shop.ProductID, bool) {
	site := r.shop.Site
	own, err := url.Parse(site.Shop().Origin)
	if err != nil {
		return 0, false
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || !strings.EqualFold(u.Host, own.Host) {
		return 0, false
	}
	var walk compile.Walk
	d := site.Resolve(&walk, own.Hostname(), u.EscapedPath())
	return shop.ProductID(d.Page.ID), d.Kind == compile.Page && d.Page.Entity == compile.EntityProduct
}

type productRequest struct {
	ID          string     `json:"id" len:"2000" required:"always" doc:"the id of a product or a variant; also a sku, a handle or the address of a page"`
	Selected    []Selected `json:"selected" doc:"options that the buyer has chosen"`
	Preferences []string   `json:"preferences" doc:"names of options: if nothing matches, the last ones are dropped first"`
}

type productAnswer struct {
	UCP      Meta      `json:"ucp"`
	Product  Product   `json:"product"`
	Messages []Message `json:"messages,omitempty"`
}

// product reads one product.
func (u *UCP) product(ctx context.Context, r *request, in productRequest) (out productAnswer, err error) {
	if in.ID == "" {
		return out, errRequest.with("id is missing")
	}
	named, products, err := r.find(ctx, []string{in.ID})
	if err != nil {
		return out, err
	}
	p, found := products[named[in.ID]]
	if !found {
		return out, fail("not_found", "the shop has no product "+in.ID)
	}
	selected := in.Selected
	if v, by := p.variantNamed(in.ID); by.Match == "exact" {
		selected = v.Options
		p.feature(slices.IndexFunc(p.Variants, func(x Variant) bool { return x.ID == v.ID }))
	}
	p.choose(selected, in.Preferences)
	out.UCP, out.Product = r.meta(), p
	return out, nil
}
