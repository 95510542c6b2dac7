package demo

import (
	"context"
	"embed"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"vitrine/internal/shop"
)

//go:embed content/promotions.json
var promotionFile embed.FS

// promotion is a promotion or a price by quantity of the demo: fields in the API's format,
// and references by slug, sku and day.
type promotion struct {
	fields   object
	From, To *int     // days from today
	Sections []string // by slug
	Gift     string   // sku of the gift
}

func (p *promotion) UnmarshalJSON(data []byte) error {
	type plain struct {
		From, To *int
		Sections []string
		Gift     string
	}
	var named plain
	if err := json.Unmarshal(data, &named); err != nil {
		return err
	}
	p.From, p.To, p.Sections, p.Gift = named.From, named.To, named.Sections, named.Gift
	if err := json.Unmarshal(data, &p.fields); err != nil {
		return err
	}
	for _, name := range []string{"from", "to", "sections", "gift"} {
		delete(p.fields, name)
	}
	return nil
}

// promotions creates a promotion of every kind, including one that has ended and one that the
// first order uses up, and prices by quantity.
func (d *client) promotions(ctx context.Context, sections map[string]shop.CategoryID) error {
	data, err := promotionFile.ReadFile("content/promotions.json")
	if err != nil {
		return err
	}
	var all struct{ Promotions, Rules []promotion }
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	there, err := d.productsBySKU(ctx)
	if err != nil {
		return err
	}
	for i := range all.Promotions {
		p := &all.Promotions[i]
		if p.From != nil {
			p.fields["starts_at"] = d.now.AddDate(0, 0, *p.From).Format(time.RFC3339)
			p.fields["ends_at"] = d.now.AddDate(0, 0, *p.To).Format(time.RFC3339)
		}
		if ids := idsOf(p.Sections, sections); len(ids) > 0 {
			conditions := map[string]any{"category_ids": ids}
			if given, ok := p.fields["conditions"].(map[string]any); ok {
				maps.Copy(conditions, given)
			}
			p.fields["conditions"] = conditions
		}
		if p.Gift != "" {
			p.fields["value"] = object{"product_id": there[p.Gift].ID}
		}
	}
	for i := range all.Rules {
		r := &all.Rules[i]
		r.fields["category_ids"] = idsOf(r.Sections, sections)
	}
	if err := d.createMissing(ctx, "/promotions", all.Promotions); err != nil {
		return err
	}
	return d.createMissing(ctx, "/pricing-rules", all.Rules)
}

func idsOf(slugs []string, sections map[string]shop.CategoryID) (ids []shop.CategoryID) {
	for _, slug := range slugs {
		ids = append(ids, sections[slug])
	}
	return ids
}

// createMissing creates those that an interrupted start has not created.
func (d *client) createMissing(ctx context.Context, path string, list []promotion) error {
	type named struct {
		Name string `json:"name"`
	}
	there, err := ask[result[struct{ Items []named }]](ctx, d, "GET", path, params{"page.limit": "100"}, nil)
	if err != nil {
		return err
	}
	for _, p := range list {
		if slices.ContainsFunc(there.Result.Items, func(n named) bool { return n.Name == p.fields["name"] }) {
			continue
		}
		if err := d.send(ctx, "POST", path, nil, object{"item": p.fields}); err != nil {
			return err
		}
	}
	return nil
}
