package demo

import (
	"context"
	"fmt"

	"vitrine/internal/store/catalog"
)

// attribute is a property of products that lists can be filtered by.
type attribute struct {
	Name    string             `json:"name"`
	Kind    string             `json:"kind"` // empty: option
	Unit    string             `json:"unit"`
	Options []attributeOption  `json:"options"`
	Numbers map[string]float64 `json:"numbers"` // by sku
}

type attributeOption struct {
	Value string   `json:"value"`
	Label string   `json:"label"`
	Of    []string `json:"of"` // skus
}

// attributes creates the missing attributes and returns the values of each product, by sku,
// in the API's format.
func (d *client) attributes(ctx context.Context, c *content) (map[string][]object, error) {
	type known struct {
		ID   catalog.AttributeID `json:"id"`
		Name string              `json:"name"`
	}
	there, err := ask[result[[]known]](ctx, d, "GET", "/attributes", nil, nil)
	if err != nil {
		return nil, err
	}
	ids := map[string]catalog.AttributeID{}
	for _, a := range there.Result {
		ids[a.Name] = a.ID
	}
	has := map[string][]object{}
	for n, a := range c.Attributes {
		if ids[a.Name] == 0 {
			item := object{"name": a.Name, "unit": a.Unit, "order": n, "filterable": true}
			if a.Kind != "" {
				item["kind"] = a.Kind
			} else {
				options := []object{}
				for _, o := range a.Options {
					options = append(options, object{"value": o.Value, "label": o.Label})
				}
				item["options"] = options
			}
			made, err := ask[result[known]](ctx, d, "POST", "/attributes", nil, object{"item": item})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", a.Name, err)
			}
			ids[a.Name] = made.Result.ID
		}
		values := map[string][]string{}
		for _, o := range a.Options {
			for _, sku := range o.Of {
				values[sku] = append(values[sku], o.Value)
			}
		}
		for sku, list := range values {
			has[sku] = append(has[sku], object{"attribute_id": ids[a.Name], "values": list})
		}
		for sku, number := range a.Numbers {
			has[sku] = append(has[sku], object{"attribute_id": ids[a.Name], "number": number})
		}
	}
	return has, nil
}
