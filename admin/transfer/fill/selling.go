package fill

import (
	"context"

	"vitrine/internal/backup"
)

func (m *filling) delivery(ctx context.Context) error {
	return m.each(ctx, "delivery_option", func(ctx context.Context, r *row) error {
		_, err := m.send(ctx, "POST", "/v1/shop/delivery-options", nil, r.pick(
			"name", "description", "kind", "price", "free_from", "rates", "points", "is_active", "needs_address", "sort_order"))
		return err
	})
}

// paymentMethods writes the methods that need no credentials of a provider.
func (m *filling) paymentMethods(ctx context.Context) error {
	return m.each(ctx, "payment_method", func(ctx context.Context, r *row) error {
		method, body := r.text("method"), r.pick("title", "is_active")
		switch method {
		case "manual":
			body["settings"] = r.pick("instructions")
		case "sandbox":
		default:
			return r.without("its credentials are not in the file")
		}
		_, err := m.send(ctx, "PUT", "/v1/shop/payment-methods/{method}", map[string]string{"method": method}, body)
		return err
	})
}

func (m *filling) letters(ctx context.Context) error {
	return m.each(ctx, "letter_template", func(ctx context.Context, r *row) error {
		_, err := m.send(ctx, "PUT", "/v1/shop/letters/{name}", map[string]string{"name": r.text("name")}, r.pick("subject", "text", "html"))
		return err
	})
}

func (m *filling) customerGroups(ctx context.Context) error {
	return m.each(ctx, "customer_group", func(ctx context.Context, r *row) error {
		body := r.pick("name")
		if !r.null("spent_more_than") || !r.null("ordered_since") {
			body["rule"] = r.pick("spent_more_than", "ordered_since")
		}
		_, err := r.create(ctx, "/customer-groups", body)
		return err
	})
}

// customers adds the customers that have an address, and puts them into their groups.
func (m *filling) customers(ctx context.Context) error {
	groups, err := m.by(ctx, "customer_member", "customer_id")
	if err != nil {
		return err
	}
	defer m.release(groups)
	return m.each(ctx, "customer", func(ctx context.Context, r *row) error {
		if r.text("email") == "" {
			return r.without("without an address")
		}
		body, in := r.pick("email", "name", "phone", "note"), []int64{}
		err := m.parts("customer_member", groups[r.id()], func(g *row) error {
			if id := g.ref("group_id", "customer_group"); id != 0 {
				in = append(in, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
		body["group_ids"] = in
		_, err = r.create(ctx, "/customers", body)
		return err
	})
}

func (m *filling) promotions(ctx context.Context) error {
	return m.each(ctx, "promotion", func(ctx context.Context, r *row) error {
		item := r.pick("name", "kind", "active", "starts_at", "ends_at", "priority", "stacking", "code", "issue")
		for _, name := range []string{"conditions", "value"} {
			value, _ := r.val(name).(object)
			m.ids.Inside("promotion."+name, value)
			item[name] = percent(value)
		}
		item["limits"] = object{"total": r.fields["limit_total"], "per_buyer": r.fields["limit_buyer"], "budget": r.fields["limit_budget"]}
		_, err := m.send(ctx, "POST", "/promotions", nil, object{"item": item})
		return err
	})
}

// percent replaces hundredths of a percent, as the file has them, by the field of calls.
func percent(of object) object {
	if points, ok := backup.Int(of["points"]); ok {
		of["percent"] = float64(points) / 100
	}
	delete(of, "points")
	return of
}

func (m *filling) pricingRules(ctx context.Context) error {
	return m.each(ctx, "pricing_rule", func(ctx context.Context, r *row) error {
		item := r.pick("name", "active", "count")
		item["product_ids"], item["category_ids"] = r.refs("product_ids", "product"), r.refs("category_ids", "category")
		tiers, _ := r.val("tiers").([]any)
		for _, t := range tiers {
			if t, ok := t.(object); ok {
				percent(t)
			}
		}
		item["tiers"] = tiers
		_, err := m.send(ctx, "POST", "/pricing-rules", nil, object{"item": item})
		return err
	})
}

// policies creates the policies without their passwords, so that what was closed stays closed.
func (m *filling) policies(ctx context.Context) error {
	resources, err := m.by(ctx, "access_resource", "policy_id")
	if err != nil {
		return err
	}
	defer m.release(resources)
	return m.each(ctx, "access_policy", func(ctx context.Context, r *row) error {
		body, list := r.pick("name", "kind", "title", "text"), []object{}
		err := m.parts("access_resource", resources[r.id()], func(c *row) error {
			for column, table := range map[string]string{"category_id": "category", "product_id": "product", "article_id": "article"} {
				if id := c.ref(column, table); id != 0 {
					list = append(list, object{"type": c.text("type"), "id": id})
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		body["group_ids"], body["resources"] = r.refs("group_ids", "customer_group"), list
		_, err = m.send(ctx, "POST", "/access-policies", nil, body)
		return err
	})
}
