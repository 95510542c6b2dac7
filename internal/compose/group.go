package compose

import (
	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
	"vitrine/internal/store/sales"
	"vitrine/render"
)

const (
	maxGroups  = 3  // shown on a product page
	maxMembers = 24 // of each
)

// groups returns the groups of a product (document 1, 4.2), with the members that are visible to
// the visitor. Groups without another visible member are omitted.
func (p *page) groups(id shop.ProductID) (list []render.Siblings, err error) {
	rows, _, err := catalog.ProductGroups(p.ctx, p.r, id, 1, maxGroups)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	var ids []shop.ProductID
	for _, g := range rows {
		for _, member := range g.Products {
			p.uses(shop.Key{Kind: shop.KeyProduct, ID: int64(member)}) // a hidden one may become visible
			ids = append(ids, member)
		}
	}
	products, err := catalog.Products(p.ctx, p.r, catalog.ProductFilter{IDs: ids, PublishedOnly: true, Number: 1, Limit: len(ids)})
	if err != nil {
		return nil, err
	}
	if err := p.addCovers(products); err != nil {
		return nil, err
	}
	shown := map[shop.ProductID]render.Sibling{}
	for _, row := range products {
		s := render.Sibling{Name: row.Name, Path: p.site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(row.ID)}), Current: row.ID == id}
		if len(row.Gallery) > 0 {
			s.Image = imageOf(row.Gallery[0], row.Name)
		}
		shown[row.ID] = s
	}
	for _, g := range rows {
		group := render.Siblings{Name: g.Name}
		for _, member := range g.Products {
			if s, there := shown[member]; there && (len(group.Products) < maxMembers || s.Current) {
				group.Products = append(group.Products, s)
			}
		}
		if len(group.Products) > 1 {
			list = append(list, group)
		}
	}
	return list, nil
}

// terms returns the shop's settings for delivery and returns. They are on every product page; a
// change of them invalidates every page (shop.KeyShop).
func (p *page) terms() (t render.Terms, err error) {
	var settings company.Settings
	var ways []sales.DeliveryOption
	err = p.together(
		func() (err error) { settings, err = company.GetSettings(p.ctx, p.r); return err },
		func() (err error) { ways, err = sales.DeliveryOptions(p.ctx, p.r); return err },
	)
	t.Delivery, t.Returns = settings.Notes.Delivery, settings.Notes.Returns
	for _, d := range ways {
		if d.IsActive {
			way := render.DeliveryOption{Name: d.Name, Description: d.Description, FreeFrom: d.FreeFrom}
			way.Price, way.From = d.Cheapest()
			t.Ways = append(t.Ways, way)
		}
	}
	return t, err
}
