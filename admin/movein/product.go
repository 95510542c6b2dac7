package movein

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"vitrine/compile/movein"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

var productPath = route{all: "/products", one: "/products/{id}"}

var products = kind{
	name: "product", chunk: 100, counted: true, shown: "gallery", create: createProducts, read: readProduct,
	update: func(ctx context.Context, h hand, id int64, item, now object) error {
		return productPath.put(ctx, h, id, productEdit(item, now))
	},
	undo: func(ctx context.Context, h hand, id int64, before object) error {
		now, err := readProduct(ctx, h, id)
		if err != nil {
			return err
		}
		return productPath.put(ctx, h, id, productEdit(before, now))
	},
	remove: productPath.remove,
}

func (w *writing) writeProducts(ctx context.Context, p *movein.Plan) error {
	return w.writeEach(ctx, &products, len(p.Products), func(i int) (thing, int, error) {
		product := *p.Products[i]
		err := product.Load()
		return w.product(&product), len(product.Description), err
	})
}

// product returns a product as calls take it.
func (w *writing) product(p *movein.Product) thing {
	by := shop.StockByProduct
	if p.StockByVariant && len(p.Variants) > 0 {
		by = shop.StockByVariant
	}
	item := object{
		"name": p.Name, "description": p.Description, "price": object{"price": p.Price, "old_price": p.OldPrice}, "sku": p.SKU, "gtin": p.GTIN,
		"brand": shop.Clip(p.Brand, 255), "weight_g": p.WeightG, "tags": append([]string{}, p.Tags...), "is_published": p.Published,
		"seo": seoOf(p.Seo), "stock_by": by,
	}
	if by == shop.StockByProduct {
		item["stock_quantity"] = p.Stock
	}
	main, also := int64(0), []int64{}
	for _, key := range p.Sections {
		switch id := w.made[sections.name][key]; {
		case id == 0:
		case main == 0:
			main = id
		default:
			also = append(also, id)
		}
	}
	item["category_id"], item["categories"] = main, also
	values := []object{}
	for _, a := range p.Attributes {
		if id := w.made[attributes.name][a.Name]; id != 0 {
			values = append(values, object{"attribute_id": id, "text": a.Value})
		}
	}
	item["attributes"] = values
	t := thing{key: p.Key, slug: p.Slug, place: p.Place, item: item, shows: shows{Gallery: p.Pictures, Text: picturesIn(p.Description)}}
	sets := []object{}
	for _, v := range p.Variants {
		options := map[string]string{}
		for n, name := range p.Options {
			if n < len(v.Values) && v.Values[n] != "" {
				options[name] = v.Values[n]
			}
		}
		set := object{"sku": v.SKU, "gtin": v.GTIN, "price": v.Price, "old_price": v.OldPrice, "weight_g": v.WeightG, "options": options}
		if by == shop.StockByVariant {
			set["stock_quantity"] = v.Stock
		}
		sets = append(sets, set)
		if v.Picture != "" {
			t.shows.Variants = append(t.shows.Variants, variantPicture{v.SKU, options, v.Picture})
		}
	}
	item["variants"] = sets
	return t
}

type batchResult struct {
	Index  int            `json:"index"`
	ID     shop.ProductID `json:"id"`
	Error  string         `json:"error"`
	Place  string         `json:"place"`
	Detail string         `json:"detail"`
}

// createProducts creates products a hundred at a time. Those that are refused for a slug or a sku
// are tried again with another slug or without the sku.
func createProducts(ctx context.Context, c *chunk, things []thing) ([]int64, error) {
	ids := make([]int64, len(things))
	left, slugs := make([]int, len(things)), make([]int, len(things))
	for i := range things {
		left[i], slugs[i] = i, 1
	}
	for range maxTries {
		if len(left) == 0 {
			return ids, nil
		}
		items := make([]object, len(left))
		for n, i := range left {
			items[n] = slugged(things[i].item, things[i].slug, slugs[i])
		}
		results, err := c.batch(ctx, items)
		if err != nil {
			return nil, err
		}
		var again []int
		for _, r := range results {
			i := left[r.Index]
			t := &things[i]
			if r.Error == "" {
				ids[i] = int64(r.ID)
				continue
			}
			if r.Error == shop.ErrInternal.Code || r.Error == shop.ErrUnavailable.Code {
				return nil, fmt.Errorf("product %q: %s", t.key, r.Error)
			}
			if c.amend(t, r, &slugs[i]) {
				again = append(again, i)
				continue
			}
			c.lose(*t, movein.Skipped, r.Error, t.key+": "+r.Place+" "+r.Detail)
		}
		left = again
	}
	for _, i := range left {
		c.lose(things[i], movein.Skipped, shop.ErrSlugTaken.Code, things[i].key)
	}
	return ids, nil
}

func (c *chunk) batch(ctx context.Context, items []object) ([]batchResult, error) {
	out, err := c.Do(ctx, c.who, "POST", "/products/batch", nil, object{"items": items})
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Results []batchResult `json:"results"`
	}
	return answer.Results, json.Unmarshal(data, &answer)
}

// amend changes what a product was refused for, if it can be had without; a sku that is taken is
// a loss.
func (c *chunk) amend(t *thing, r batchResult, slug *int) bool {
	switch r.Error {
	case shop.ErrSlugTaken.Code:
		*slug++
		return t.slug != ""
	case shop.ErrSlugInvalid.Code:
		had := t.slug
		t.slug = ""
		return had != ""
	case catalog.ErrSKUTaken.Code:
	default:
		return false
	}
	of := t.item
	var n int
	if _, err := fmt.Sscanf(r.Place, "variants[%d].sku", &n); err == nil {
		sets, _ := t.item["variants"].([]object)
		if n >= len(sets) {
			return false
		}
		of = sets[n]
	}
	sku := text(of["sku"])
	of["sku"] = ""
	c.lose(*t, movein.Changed, "SKU_TAKEN", t.key+": "+sku)
	return sku != ""
}

// readProduct returns a product as a call takes it.
func readProduct(ctx context.Context, h hand, of64 int64) (object, error) {
	now, err := productPath.read(ctx, h, of64)
	if err != nil {
		return nil, err
	}
	if deleted, _ := now["is_deleted"].(bool); deleted {
		return nil, catalog.ErrProductNotFound
	}
	form := pick(now, "name", "description", "sku", "gtin", "brand", "weight_g", "tags", "seo", "is_published", "stock_by", "category_id", "categories")
	price, _ := now["price"].(object)
	form["price"] = pick(price, "price", "old_price")
	byVariant := text(now["stock_by"]) == string(shop.StockByVariant)
	if !byVariant {
		form["stock"] = stockOf(now)
	}
	values := []any{}
	for _, v := range list(now["attributes"]) {
		v, _ := v.(object)
		value := pick(v, "attribute_id")
		switch text(v["kind"]) {
		case "option":
			value["option_ids"] = v["option_ids"]
		case "number":
			value["number"] = v["number"]
		default:
			value["text"] = v["text"]
		}
		values = append(values, value)
	}
	form["attributes"] = values
	gallery := []any{}
	for _, f := range list(now["gallery"]) {
		f, _ := f.(object)
		gallery = append(gallery, pick(f, "id"))
	}
	form["gallery"] = gallery
	sets := []any{}
	for _, v := range list(now["variants"]) {
		v, _ := v.(object)
		set := pick(v, "id", "sku", "title", "gtin", "price", "old_price", "weight_g", "image_id", "gallery_id", "options", "swatch", "is_active")
		if byVariant {
			set["stock"] = stockOf(v)
		}
		sets = append(sets, set)
	}
	form["variants"] = sets
	return form, nil
}

// stockOf returns the stock of a product or a set; a negative number is not tracked.
func stockOf(of object) object {
	stock := object{"quantity": json.Number("-1"), "low_threshold": json.Number("-1")}
	if n := of["stock_quantity"]; n != nil {
		stock["quantity"] = n
	}
	if n := of["stock_low_threshold"]; n != nil {
		stock["low_threshold"] = n
	}
	return stock
}

// productEdit returns the edit that gives a product the fields of an item, which an import or an
// undo has: sets keep their ids, and so their places in carts.
func productEdit(item, now object) object {
	item = onto(item, now)
	if quantity, ok := item["stock_quantity"]; ok {
		delete(item, "stock_quantity")
		item["stock"] = counted(quantity, now["stock"])
	}
	by := text(now["stock_by"])
	if given, ok := item["stock_by"]; ok {
		by = fmt.Sprint(given)
	}
	if by == string(shop.StockByVariant) {
		delete(item, "stock")
	}
	if _, ok := item["categories"]; ok {
		item["categories_replace"] = true
	}
	if values, ok := item["attributes"].([]object); ok {
		item["attributes"] = withOthers(values, list(now["attributes"]))
	}
	if sets, ok := asObjects(item["variants"]); ok {
		item["variants"] = withIDs(sets, list(now["variants"]), by == string(shop.StockByVariant))
	}
	return item
}

// counted returns a stock of so many units, nil for one that is not tracked, with its threshold.
func counted(quantity any, now any) object {
	stock := object{"quantity": -1}
	if n, ok := quantity.(*int); ok && n != nil {
		stock["quantity"] = *n
	}
	if was, ok := now.(object); ok {
		stock["low_threshold"] = was["low_threshold"]
	}
	return stock
}

// withOthers adds the attributes that only the product has.
func withOthers(values []object, now []any) (out []any) {
	sent := map[int64]bool{}
	for _, v := range values {
		n, _ := v["attribute_id"].(int64)
		sent[n] = true
		out = append(out, v)
	}
	for _, entry := range now {
		if v, _ := entry.(object); !sent[id(v["attribute_id"])] {
			out = append(out, v)
		}
	}
	return out
}

func asObjects(value any) ([]object, bool) {
	switch v := value.(type) {
	case []object:
		return v, true
	case []any:
		out := make([]object, 0, len(v))
		for _, one := range v {
			if o, ok := one.(object); ok {
				out = append(out, o)
			}
		}
		return out, true
	}
	return nil, false
}

// withIDs gives sets the ids of those that the product has: by id, else by sku, else by options.
func withIDs(sets []object, now []any, counts bool) []object {
	out := make([]object, 0, len(sets))
	used := map[int64]bool{}
	for _, set := range sets {
		set = maps.Clone(set)
		had := id(set["id"])
		delete(set, "id")
		for _, entry := range now {
			v, _ := entry.(object)
			n := id(v["id"])
			same := had == n
			if had == 0 {
				sku := text(set["sku"])
				same = sku != "" && sku == text(v["sku"]) || sku == "" && optionsOf(set["options"]) == optionsOf(v["options"])
			}
			if same && !used[n] {
				used[n] = true
				set["id"] = strconv.FormatInt(n, 10)
				break
			}
		}
		if quantity, ok := set["stock_quantity"]; ok {
			delete(set, "stock_quantity")
			set["stock"] = counted(quantity, nil)
		}
		if !counts {
			delete(set, "stock")
		}
		out = append(out, set)
	}
	return out
}

// optionsOf returns options as a text to compare.
func optionsOf(value any) string {
	options := map[string]string{}
	switch v := value.(type) {
	case map[string]string:
		options = v
	case object:
		for name, o := range v {
			options[name] = text(o)
		}
	}
	out := ""
	for _, name := range slices.Sorted(maps.Keys(options)) {
		out += name + "\x00" + options[name] + "\x00"
	}
	return out
}
