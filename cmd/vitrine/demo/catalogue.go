package demo

import (
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"vitrine/internal/shop"
)

// slugged is the common part of the responses about sections and products.
type slugged[ID any] struct {
	ID  ID     `json:"id"`
	SKU string `json:"sku"`
	SEO struct {
		Slug string `json:"slug"`
	} `json:"seo"`
}

// sections creates the tree of sections and returns the ids by slug.
func (d *client) sections(ctx context.Context, c *content, pictures map[string]uuid.UUID) (map[string]shop.CategoryID, error) {
	there, err := ask[result[[]slugged[shop.CategoryID]]](ctx, d, "GET", "/categories", nil, nil)
	if err != nil {
		return nil, err
	}
	ids := map[string]shop.CategoryID{}
	for _, s := range there.Result {
		ids[s.SEO.Slug] = s.ID
	}
	for _, s := range c.Categories {
		if ids[s.slug()] != 0 {
			continue
		}
		item := object{
			"name": s.Name, "type": s.Type, "parent_id": ids[s.Parent], "description": s.Description, "is_published": on(s.Published),
			"is_show_menu": on(s.Menu), "is_home": s.Home, "seo": object{"slug": s.Slug, "meta_description": s.MetaDescription},
		}
		if id, ok := pictures[s.photograph()]; ok {
			item["preview_id"] = id
		}
		made, err := ask[result[slugged[shop.CategoryID]]](ctx, d, "POST", "/categories", nil, object{"item": item})
		if err != nil {
			return nil, err
		}
		ids[made.Result.SEO.Slug] = made.Result.ID
	}
	return ids, nil
}

func (d *client) products(ctx context.Context, c *content, sections map[string]shop.CategoryID, pictures map[string]uuid.UUID) error {
	there, err := d.productsBySKU(ctx)
	if err != nil {
		return err
	}
	attributes, err := d.attributes(ctx, c)
	if err != nil {
		return fmt.Errorf("attributes: %w", err)
	}
	for _, p := range c.Products {
		made, ok := there[p.SKU]
		if !ok {
			item, err := p.item(sections, pictures, there)
			if err != nil {
				return err
			}
			if has := attributes[p.SKU]; has != nil {
				item["attributes"] = has
			}
			answer, err := ask[result[slugged[shop.ProductID]]](ctx, d, "POST", "/products", nil, object{"item": item})
			if err != nil {
				return err
			}
			made = answer.Result
			there[p.SKU] = made
			if err := d.offer(ctx, made.ID, p.Variants); err != nil {
				return err
			}
		}
		if p.Formerly != "" && made.SEO.Slug == p.Formerly {
			seo := object{"item": object{"seo": object{"slug": p.Slug}}}
			if err := d.send(ctx, "PUT", "/products/{id}", params{"id": made.ID.String()}, seo); err != nil {
				return err
			}
		}
	}
	return nil
}

// offer sets the variants of a product.
func (d *client) offer(ctx context.Context, id shop.ProductID, variants []variant) error {
	if len(variants) == 0 {
		return nil
	}
	return d.send(ctx, "PUT", "/products/{id}/variants", params{"id": id.String()}, object{"items": variants})
}

// productsBySKU returns the products created by earlier starts, by sku.
func (d *client) productsBySKU(ctx context.Context) (map[string]slugged[shop.ProductID], error) {
	const limit = 100
	there := map[string]slugged[shop.ProductID]{}
	for page := 1; ; page++ {
		list, err := ask[result[struct {
			Items []slugged[shop.ProductID] `json:"items"`
		}]](ctx, d, "GET", "/products", params{"page.number": strconv.Itoa(page), "page.limit": strconv.Itoa(limit)}, nil)
		if err != nil {
			return nil, err
		}
		for _, p := range list.Result.Items {
			there[p.SKU] = p
		}
		if len(list.Result.Items) < limit {
			return there, nil
		}
	}
}

// item is the product in the API's format, with its former slug. The components of a set must
// exist.
func (p product) item(
	sections map[string]shop.CategoryID, pictures map[string]uuid.UUID, there map[string]slugged[shop.ProductID],
) (object, error) {
	slug := p.Slug
	if p.Formerly != "" {
		slug = p.Formerly
	}
	also := []shop.CategoryID{}
	for _, s := range append([]string{p.Category}, p.Also...) {
		if sections[s] == 0 {
			return nil, fmt.Errorf("%s: no section %q", p.SKU, s)
		}
		also = append(also, sections[s])
	}
	gallery := []object{}
	for _, name := range p.photographs() {
		gallery = append(gallery, object{"id": pictures[name]})
	}
	item := object{
		"name": p.Name, "description": p.Description, "sku": p.SKU, "price": object{"price": p.Price, "old_price": p.Old},
		"category_id": also[0], "categories": also[1:], "seo": object{"slug": slug}, "gallery": gallery,
		"is_published": on(p.Published), "stock_low_threshold": p.Low, "weight_g": p.Weight,
	}
	if p.Tax != "" {
		item["tax_class"] = p.Tax
	}
	if p.Stock != nil {
		item["stock_quantity"] = *p.Stock
	}
	if len(p.Set) > 0 {
		parts := []object{}
		for _, sku := range p.Set {
			parts = append(parts, object{"product_id": there[sku].ID, "quantity": 1})
		}
		item["kind"], item["combo_items"], item["combo_discount"] = "combo", parts, object{"percent": p.Less}
	}
	return item, nil
}
