package backup

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"vitrine/internal/shop"
)

// references maps a column to the table that its number, or each number of its list, refers to. An
// entry with a table takes precedence over one without; person stands for the people of the
// shop.
var references = map[string]string{
	"category.parent_id":       "category",
	"category_id":              "category",
	"article_id":               "article",
	"product_id":               "product",
	"product_group.products":   "product",
	"article.related":          "article",
	"gallery_id":               "gallery",
	"collection.parent_id":     "collection",
	"collection_id":            "collection",
	"attribute_id":             "attribute",
	"option_id":                "attribute_option",
	"block_id":                 "content_block",
	"design_binding.group_id":  "content_block",
	"document_id":              "document",
	"release_id":               "release",
	"form_id":                  "form",
	"active_release_id":        "release",
	"gallery.canvas_id":        "document",
	"created_by":               "person",
	"updated_by":               "person",
	"moderated_by":             "person",
	"person_id":                "person",
	"user_id":                  "person",
	"actor_id":                 "person",
	"status_by":                "person",
	"order_id":                 "shop_order",
	"used_order_id":            "shop_order",
	"variant_id":               "variant_set",
	"promotion_id":             "promotion",
	"payment_id":               "payment",
	"shipment_id":              "shipment",
	"line_id":                  "order_line",
	"remark_id":                "remark",
	"customer_id":              "customer",
	"customer_member.group_id": "customer_group",
	"policy_id":                "access_policy",
	"access_policy.group_ids":  "customer_group",
	"product_ids":              "product",
	"category_ids":             "category",
	"lead_id":                  "form_lead",
	"key_id":                   "api_key", // keys are not transferred
}

// byKind is for columns whose table depends on another column: it holds that other column,
// and the table for each of its values.
var byKind = map[string]struct {
	column string
	tables map[string]string
}{
	"slug_journal.entity_id": {"entity", pages},
	"gallery_link.owner_id":  {"owner", pages},
	"block_link.owner_id":    {"owner", pages},
	"document.owner_id":      {"kind", map[string]string{"theme": "content_block", "folder": "category"}},
	"design_binding.resource_id": {"resource_type", map[string]string{
		"category": "category", "category_children": "category", "product": "product", "article": "article", "theme": "content_block",
	}},
}

var pages = map[string]string{"1": "category", "2": "product", "3": "article"}

// structured are the JSON columns with references inside: for each, the tables that its
// properties refer to.
var structured = map[string]map[string]string{
	"content_block.sections": inWidgets, "article.author": inWidgets, "product.combo_items": inSets, "order_line.combo_items": inSets,
	"promotion.conditions": {"product_ids": "product", "exclude_product_ids": "product", "category_ids": "category", "customer_group_ids": "customer_group"},
	"promotion.value":      inSets, "shop_order.promotions": {"promotion_id": "promotion"}, "shop_order.assistant": {"platform_id": "assist_platform"},
	"shop_order.delivery": {"id": "delivery_option"}, "order_history.body": {"payment_id": "payment", "shipment_id": "shipment"},
	"redirect_version.edits": {"id": "redirect_rule"}, "stock_movement.variants": inSets,
}

// inSets are the references of a set's components.
var inSets = map[string]string{"product_id": "product", "variant_id": "variant_set"}

// inWidgets are the references in widget props, and the member who wrote an article.
var inWidgets = func() map[string]string {
	names := maps.Clone(shop.WidgetRefs)
	names["user_id"] = "person"
	return names
}()

// IDs maps old ids to new ones, by table.
type IDs map[string]map[int64]int64

func (m IDs) Put(table string, old, fresh int64) {
	if m[table] == nil {
		m[table] = map[int64]int64{}
	}
	m[table][old] = fresh
}

// row rewrites the ids of a table's row. keep is false if a column of the row's key refers to
// nothing: such a row has no meaning in this shop.
func (m IDs) row(table string, key []string, fields map[string]any) (keep bool) {
	keep = true
	for column, value := range fields {
		if column == "id" {
			if table := m[table]; table != nil {
				fields[column] = m.number(table, value)
			}
			continue
		}
		target := m.target(table, column, fields)
		if memberTexts[table] {
			value = m.texts(value)
			fields[column] = value
		}
		switch {
		case rewrites[table+"."+column] != nil:
			if text, ok := value.(string); ok {
				fields[column] = rewrites[table+"."+column](m, text)
			}
		case target != "":
			fields[column] = m.value(m[target], value)
			if fields[column] == json.Number("0") && value != json.Number("0") && slices.Contains(key, column) {
				keep = false
			}
		case structured[table+"."+column] != nil:
			m.inside(structured[table+"."+column], value)
		}
	}
	if base, ok := fields["draft_base"].(map[string]any); ok {
		delete(base, "company_id")
		m.row(table, nil, base)
	}
	return keep
}

func (m IDs) target(table, column string, fields map[string]any) string {
	if by, ok := byKind[table+"."+column]; ok {
		switch kind := fields[by.column].(type) {
		case string:
			return by.tables[kind]
		case json.Number:
			return by.tables[kind.String()]
		}
		return ""
	}
	if target, ok := references[table+"."+column]; ok {
		return target
	}
	return references[column]
}

// inside rewrites references within a JSON value, in place.
func (m IDs) inside(names map[string]string, value any) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			m.inside(names, item)
		}
	case map[string]any:
		for name, item := range v {
			if table, ok := names[name]; ok {
				if name == "promotion_id" && v["kind"] == "quantity" {
					table = "pricing_rule" // the order's copy of a price by quantity
				}
				v[name] = m.value(m[table], item)
			}
			m.inside(names, v[name])
		}
	}
}

// value rewrites a number, a number in quotes, or a list of them. References to missing rows
// are removed from lists and become 0 elsewhere; other values stay.
func (m IDs) value(to map[int64]int64, value any) any {
	list, ok := value.([]any)
	if !ok {
		return m.number(to, value)
	}
	kept := make([]any, 0, len(list))
	for _, item := range list {
		fresh := m.number(to, item)
		if zero(fresh) && !zero(item) {
			continue
		}
		kept = append(kept, fresh)
	}
	return kept
}

func zero(v any) bool { return v == json.Number("0") || v == "0" }

func (m IDs) number(to map[int64]int64, value any) any {
	switch v := value.(type) {
	case json.Number:
		if old, err := v.Int64(); err == nil {
			return json.Number(strconv.FormatInt(to[old], 10))
		}
	case string:
		if old, err := strconv.ParseInt(v, 10, 64); err == nil {
			return strconv.FormatInt(to[old], 10)
		}
	}
	return value
}

// fieldsOf decodes a row; numbers keep their digits.
func fieldsOf(row []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(row))
	dec.UseNumber()
	var fields map[string]any
	err := dec.Decode(&fields)
	return fields, err
}

// New returns the new id of a table's row, 0 if it has none.
func (m IDs) New(table string, old int64) int64 { return m[table][old] }

// Texts returns a value with the ids in the addresses of all its texts replaced, at any depth.
func (m IDs) Texts(value any) any { return m.texts(value) }

// Template returns the body of a site file with its ids replaced.
func (m IDs) Template(body string) string { return m.template(body) }

// Page returns an html file with its ids replaced.
func (m IDs) Page(text string) string { return m.renumber(m.renumber(text, addresses), attributes) }

// Inside replaces the references within a JSON column of a table, such as content_block.sections, in
// place.
func (m IDs) Inside(column string, value any) { m.inside(structured[column], value) }

// Inner calls each with the references within a JSON column of a table.
func Inner(column string, value any, each func(table string, id int64)) {
	inner(structured[column], value, each)
}

func inner(names map[string]string, value any, each func(table string, id int64)) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			inner(names, item, each)
		}
	case map[string]any:
		for name, item := range v {
			if table := names[name]; table != "" {
				for _, one := range listOf(item) {
					if id, ok := Int(one); ok {
						each(table, id)
					}
				}
			}
			inner(names, item, each)
		}
	}
}

func listOf(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

// Int returns the number of a value, which may be in quotes.
func Int(value any) (n int64, ok bool) {
	var text string
	switch v := value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// Fields decodes a row; numbers keep their digits.
func Fields(row []byte) (map[string]any, error) { return fieldsOf(row) }
