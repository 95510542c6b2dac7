package fill

import (
	"context"
	"fmt"

	"vitrine/internal/backup"
	"vitrine/internal/shop"
)

func (m *filling) attributes(ctx context.Context) error {
	options, err := m.by(ctx, "attribute_option", "attribute_id")
	if err != nil {
		return err
	}
	defer m.release(options)
	return m.each(ctx, "attribute", func(ctx context.Context, r *row) error {
		item, old, list := r.pick("name", "kind", "unit", "filterable"), []int64{}, []object{}
		item["order"] = r.fields["sort_order"]
		err := m.parts("attribute_option", options[r.id()], func(o *row) error {
			old, list = append(old, o.id()), append(list, o.pick("value", "label"))
			return nil
		})
		if err != nil {
			return err
		}
		if len(list) > 0 {
			item["options"] = list
		}
		made, err := r.create(ctx, "/attributes", object{"item": item})
		if err != nil {
			return err
		}
		return m.pair("attribute_option", old, made["options"])
	})
}

// pair notes the new ids of rows that a call created in the order in which they were sent.
func (m *filling) pair(table string, old []int64, made any) error {
	list, _ := made.([]any)
	if len(list) != len(old) {
		return fmt.Errorf("%d rows of %s were made of %d", len(list), table, len(old))
	}
	for i := range list {
		fields, _ := list[i].(object)
		id, ok := backup.Int(fields["id"])
		if !ok {
			return fmt.Errorf("%s: a response without an id", table)
		}
		m.ids.Put(table, old[i], id)
	}
	return nil
}

func (m *filling) forms(ctx context.Context) error {
	return m.each(ctx, "form", func(ctx context.Context, r *row) error {
		_, err := r.create(ctx, "/forms", object{"item": r.form()})
		return err
	})
}

func (r *row) form() object { return r.pick("name", "fields", "submit_text", "success") }

// Owners of links, as the file has them.
const (
	ofCategory = 1
	ofProduct  = 2
	ofArticle  = 3
)

// galleryLinks returns the links to galleries of one kind of pages.
func (m *filling) galleryLinks(ctx context.Context, owner int64) (map[int64][]line, error) {
	return m.hold(ctx, "gallery_link", func(r *row) (int64, bool) { return r.num("owner_id"), r.num("owner") == owner })
}

func (m *filling) linked(held []line) (ids []int64, err error) {
	ids = []int64{}
	err = m.parts("gallery_link", held, func(l *row) error {
		if id := l.ref("gallery_id", "gallery"); id != 0 {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

// seo returns the texts of a page for search engines, with its slug.
func (r *row) seo() any {
	seo, _ := r.val("seo").(object)
	if seo == nil {
		seo = object{}
	}
	seo["slug"] = r.text("slug")
	return seo
}

func (m *filling) categories(ctx context.Context) error {
	galleries, err := m.galleryLinks(ctx, ofCategory)
	if err != nil {
		return err
	}
	defer m.release(galleries)
	rows, release, err := m.tree(ctx, "category")
	if err != nil {
		return err
	}
	defer release()
	return m.nested(ctx, "category", rows, parent, func(ctx context.Context, r *row) error {
		if r.num("parent_id") != 0 && r.ref("parent_id", "category") == 0 && r.err == nil {
			return r.without("its parent was left out")
		}
		item := r.pick("name", "type", "description", "page_template", "is_published", "is_show_menu", "is_home", "comments_enabled", "questions_enabled")
		item["parent_id"], item["seo"] = r.ref("parent_id", "category"), r.seo()
		if id := r.file("preview_id"); id != nil {
			item["preview_id"] = id
		}
		if item["gallery_ids"], err = m.linked(galleries[r.id()]); err != nil {
			return err
		}
		_, err := r.create(ctx, "/categories", object{"item": item})
		return err
	})
}

func (m *filling) products(ctx context.Context) error {
	var parts [4]map[int64][]line
	for i, hold := range []func() (map[int64][]line, error){
		func() (map[int64][]line, error) { return m.galleryLinks(ctx, ofProduct) },
		func() (map[int64][]line, error) { return m.by(ctx, "product_attribute", "product_id") },
		func() (map[int64][]line, error) { return m.by(ctx, "product_extra_category", "product_id") },
		func() (map[int64][]line, error) { return m.by(ctx, "variant_set", "product_id") },
	} {
		held, err := hold()
		if err != nil {
			return err
		}
		defer m.release(held)
		parts[i] = held
	}
	components := func(r *row) (ids []int64) {
		backup.Inner("product.combo_items", r.fields["combo_items"], func(table string, id int64) {
			if table == "product" {
				ids = append(ids, id)
			}
		})
		return ids
	}
	return m.nested(ctx, "product", m.stream(ctx, "product"), components, func(ctx context.Context, r *row) error {
		item := r.pick(
			"kind", "name", "description", "sku", "gtin", "brand", "country_of_origin", "tags", "is_published", "is_shared", "catalog_hidden", "comments_enabled",
			"questions_enabled", "published_at", "configurable", "tax_class", "weight_g", "stock_by")
		item["category_id"], item["seo"] = r.ref("category_id", "category"), r.seo()
		item["price"] = r.pick("price", "old_price")
		pictures := []object{}
		list, _ := r.fields["gallery"].([]any)
		for _, old := range list {
			if id := r.fileOf("gallery", old); id != nil {
				pictures = append(pictures, object{"id": id})
			}
		}
		item["gallery"] = pictures
		if id := r.file("preview_id"); id != nil && !r.flag("preview_auto") {
			item["preview"] = object{"id": id}
		}
		if set, _ := r.fields["combo_items"].([]any); len(set) > 0 {
			set, _ := clone(set).([]any)
			m.ids.Inside("product.combo_items", set)
			item["combo_items"], item["combo_discount"] = set, object{"percent": float64(r.num("combo_percent")) / 100}
		} else if r.text("stock_by") != string(shop.StockByVariant) {
			item["stock"] = r.stock()
		}
		var err error
		if item["gallery_ids"], err = m.linked(parts[0][r.id()]); err != nil {
			return err
		}
		if item["attributes"], err = m.values(parts[1][r.id()]); err != nil {
			return err
		}
		also := []int64{}
		err = m.parts("product_extra_category", parts[2][r.id()], func(c *row) error {
			if id := c.ref("category_id", "category"); id != 0 {
				also = append(also, id)
			}
			return nil
		})
		if err != nil {
			return err
		}
		item["categories"] = also
		old, sets, err := m.variants(r, parts[3][r.id()])
		if err != nil {
			return err
		}
		if len(sets) > 0 {
			item["variants"] = sets
		}
		made, err := r.create(ctx, "/products", object{"item": item})
		if err != nil {
			return err
		}
		if len(sets) > 0 {
			if err := m.pair("variant_set", old, made["variants"]); err != nil {
				return err
			}
		}
		if r.text("ad_mode") == "exclude" {
			return r.put(ctx, "PUT", "/products/{id}/ad-participation", object{"mode": "exclude"})
		}
		return nil
	})
}

// stock returns the numbers of what is counted.
func (r *row) stock() object {
	return object{"quantity": r.fields["stock_quantity"], "low_threshold": r.fields["stock_low_threshold"]}
}

func (m *filling) variants(product *row, held []line) (old []int64, sets []object, err error) {
	err = m.parts("variant_set", held, func(v *row) error {
		set := v.pick("sku", "gtin", "title", "price", "old_price", "options", "swatch", "is_active", "weight_g")
		set["gallery_id"] = v.ref("gallery_id", "gallery")
		if id := v.file("image_id"); id != nil {
			set["image_id"] = id
		}
		if product.text("stock_by") == string(shop.StockByVariant) {
			set["stock"] = v.stock()
		}
		old, sets = append(old, v.id()), append(sets, set)
		return nil
	})
	return old, sets, err
}

// values returns the attributes of a product.
func (m *filling) values(held []line) ([]object, error) {
	list, at := []object{}, map[int64]object{}
	err := m.parts("product_attribute", held, func(v *row) error {
		attribute := v.ref("attribute_id", "attribute")
		if attribute == 0 {
			return nil
		}
		value := at[attribute]
		if value == nil {
			value = object{"attribute_id": attribute}
			at[attribute] = value
			list = append(list, value)
		}
		switch option := v.ref("option_id", "attribute_option"); {
		case option != 0:
			chosen, _ := value["option_ids"].([]int64)
			value["option_ids"] = append(chosen, option)
		case !v.null("number"):
			value["number"] = v.fields["number"]
		case v.text("text") != "":
			value["text"] = v.val("text")
		}
		return nil
	})
	return list, err
}

func (m *filling) articles(ctx context.Context) error {
	galleries, err := m.galleryLinks(ctx, ofArticle)
	if err != nil {
		return err
	}
	defer m.release(galleries)
	err = m.archive.Members(func(fields map[string]any) error {
		if len(m.authors) == maxRows {
			return ErrLarge.With("too many members")
		}
		id, _ := backup.Int(fields["id"])
		m.authors[id], _ = fields["name"].(string)
		return nil
	})
	if err != nil {
		return err
	}
	err = m.each(ctx, "article", func(ctx context.Context, r *row) error {
		item := r.pick("title", "announce", "badge", "is_published", "published_at")
		item["category_id"], item["seo"], item["author"] = r.ref("category_id", "category"), r.seo(), r.author()
		if id := r.file("cover_id"); id != nil {
			item["cover_id"] = id
		}
		if item["gallery_ids"], err = m.linked(galleries[r.id()]); err != nil {
			return err
		}
		if _, err := r.create(ctx, "/articles", object{"item": item}); err != nil {
			return err
		}
		return r.dropBody(ctx)
	})
	if err != nil {
		return err
	}
	return m.each(ctx, "article", func(ctx context.Context, r *row) error {
		m.report.Rows-- // counted above
		if ids := r.refs("related", "article"); len(ids) > 0 {
			return r.put(ctx, "PUT", "/articles/{id}/related", object{"ids": ids})
		}
		return nil
	})
}

// dropBody deletes the blocks that a new article begins with: the file has its own.
func (r *row) dropBody(ctx context.Context) error {
	made, err := r.send(ctx, "GET", "/articles/{id}", id(r.ids.New(r.table, r.id())), object{})
	if err != nil {
		return err
	}
	blocks, _ := made["content_blocks"].([]any)
	for _, b := range blocks {
		b, _ := b.(object)
		of, _ := backup.Int(b["id"])
		if _, err := r.send(ctx, "DELETE", "/content-blocks/{id}", id(of), object{}); err != nil {
			return err
		}
	}
	return nil
}

// author returns the author of an article. A member becomes a name: the members are not imported.
func (r *row) author() any {
	author, _ := r.val("author").(object)
	if author == nil || author["mode"] != "member" {
		return author
	}
	id, _ := backup.Int(author["user_id"])
	name := r.authors[id]
	if name == "" {
		return object{"mode": "none"}
	}
	author["mode"], author["name"] = "manual", name
	delete(author, "user_id")
	return author
}

func (m *filling) productGroups(ctx context.Context) error {
	return m.each(ctx, "product_group", func(ctx context.Context, r *row) error {
		item := r.pick("name")
		item["product_ids"] = r.refs("products", "product")
		_, err := r.create(ctx, "/product-groups", object{"item": item})
		return err
	})
}

// pages are the tables of pages by the number that links have for them, with their calls.
var pages = map[int64]struct{ table, path string }{
	ofCategory: {"category", "/categories/{id}"}, ofProduct: {"product", "/products/{id}"}, ofArticle: {"article", "/articles/{id}"},
}

// slugJournal gives pages the slugs of the journal and then the present ones again, so that their old
// addresses lead to them.
func (m *filling) slugJournal(ctx context.Context) error {
	return m.each(ctx, "slug_journal", func(ctx context.Context, r *row) error {
		of := pages[r.num("entity")]
		to := r.ref("entity_id", of.table)
		if to == 0 {
			return r.without("its page was left out")
		}
		page, err := m.send(ctx, "GET", of.path, id(to), object{})
		if err != nil {
			return err
		}
		shown, _ := page["result"].(object)
		seo, _ := shown["seo"].(object)
		present := seo["slug"]
		for _, slug := range []any{r.text("slug"), present} {
			seo["slug"] = slug
			_, err := m.send(ctx, "PUT", of.path, id(to), object{"item": object{"seo": seo}})
			if refusal, ok := shop.AsRefusal(err); ok && refusal.Class == shop.AlreadyExists {
				return r.without("another page has the slug")
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
