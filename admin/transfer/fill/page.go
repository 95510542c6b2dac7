package fill

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"vitrine/internal/backup"
	"vitrine/internal/shop"
)

const widgets = "content_block.sections"

// blocks creates the blocks of pages, each after those inside of it.
func (m *filling) blocks(ctx context.Context) error {
	inside := func(r *row) (ids []int64) {
		backup.Inner(widgets, r.fields["sections"], func(table string, id int64) {
			if table == "content_block" && id != r.id() {
				ids = append(ids, id)
			}
		})
		return ids
	}
	return m.nested(ctx, "content_block", m.stream(ctx, "content_block"), inside, func(ctx context.Context, r *row) error {
		item, sections := r.pick("name", "group_type"), r.val("sections")
		m.ids.Inside(widgets, sections)
		item["sections"] = sections
		_, err := r.create(ctx, "/content-blocks", object{"item": item})
		return err
	})
}

// blockLinks puts blocks on pages.
func (m *filling) blockLinks(ctx context.Context) error {
	for _, owner := range []int64{ofCategory, ofProduct, ofArticle} {
		held, err := m.hold(ctx, "block_link", func(r *row) (int64, bool) { return r.num("owner_id"), r.num("owner") == owner })
		if err != nil {
			return err
		}
		for _, of := range keys(held) {
			if owner == ofProduct {
				m.leave("block_link", noCall, len(held[of]))
				continue
			}
			m.titled[fmt.Sprint(pages[owner].table, " ", of)] = true
			var page int64
			items := []object{}
			err := m.parts("block_link", held[of], func(l *row) error {
				page = l.ref("owner_id", pages[owner].table)
				if block := l.ref("block_id", "content_block"); block != 0 {
					items = append(items, object{"block_id": block, "sort_order": l.num("sort_order")})
				}
				return l.err
			})
			if err != nil {
				return err
			}
			if page == 0 || len(items) == 0 {
				continue
			}
			if _, err := m.send(ctx, "PUT", pages[owner].path+"/content-blocks", id(page), object{"items": items}); err != nil {
				return at(err, "block_link", held[of][0].n)
			}
		}
		m.release(held)
	}
	return nil
}

func keys(held map[int64][]line) (list []int64) {
	for k := range held {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// bindings puts blocks into the slots of pages, sections, layouts and the shop.
func (m *filling) bindings(ctx context.Context) error {
	of := map[string]string{
		"category": "category", "category_children": "category", "product": "product", "article": "article", "theme": "content_block",
	}
	type resource struct {
		kind string
		id   int64
	}
	slots, order := map[resource]map[string]int64{}, []resource{}
	first := map[resource]int{}
	err := m.each(ctx, "design_binding", func(_ context.Context, r *row) error {
		to := resource{r.text("resource_type"), r.num("resource_id")}
		if table := of[to.kind]; table != "" {
			m.titled[fmt.Sprint(table, " ", to.id)] = true
			if to.id = r.ref("resource_id", table); to.id == 0 && r.err == nil {
				return r.without("its page was left out")
			}
		}
		block := r.ref("group_id", "content_block")
		if block == 0 {
			return r.without("its block was left out")
		}
		if slots[to] == nil {
			slots[to], first[to] = map[string]int64{}, r.n
			order = append(order, to)
		}
		slots[to][r.text("slot")] = block
		return nil
	})
	if err != nil {
		return err
	}
	for _, to := range order {
		params := map[string]string{"type": to.kind, "id": fmt.Sprint(to.id)}
		if _, err := m.send(ctx, "PUT", "/design/bindings/{type}/{id}", params, object{"slots": slots[to]}); err != nil {
			return at(err, "design_binding", first[to])
		}
	}
	return nil
}

// redirects creates the rules in their order.
func (m *filling) redirects(ctx context.Context) error {
	rows, release, err := m.sorted(ctx, "redirect_rule")
	if err != nil {
		return err
	}
	defer release()
	return m.from(ctx, "redirect_rule", rows, func(ctx context.Context, r *row) error {
		_, err := m.send(ctx, "POST", "/storefront-redirects", nil, object{"item": r.pick(
			"kind", "from_path", "to_target", "external", "code", "enabled", "override_live", "drop_query", "query_match", "note")})
		return err
	})
}

// siteFiles creates the files for programs. A template that refers to a later file is written again.
func (m *filling) siteFiles(ctx context.Context) error {
	body := func(r *row) string { return m.fileText(m.ids.Template(r.text("body"))) }
	err := m.each(ctx, "site_file", func(ctx context.Context, r *row) error {
		file := r.pick("name", "is_published", "in_sitemap")
		file["category_id"], file["body"] = r.ref("category_id", "category"), body(r)
		_, err := r.create(ctx, "/site-files", file)
		return err
	})
	if err != nil {
		return err
	}
	return m.each(ctx, "site_file", func(ctx context.Context, r *row) error {
		m.report.Rows-- // counted above
		if fresh := body(r); fresh != r.text("body") {
			return r.put(ctx, "PATCH", "/site-files/{id}", object{"body": fresh})
		}
		return nil
	})
}

// again writes the texts that refer to rows which did not exist yet when they were written, and those
// of pages that got the title of a website as they were without one.
func (m *filling) again(ctx context.Context) error {
	items, err := m.by(ctx, "gallery_item", "gallery_id")
	if err != nil {
		return err
	}
	for _, t := range []struct {
		table, path string
		body        func(r *row) (object, error)
	}{
		{"category", "/categories/{id}", picked("description")},
		{"product", "/products/{id}", picked("description")},
		{"article", "/articles/{id}", picked("announce", "author")},
		{"form", "/forms/{id}", func(r *row) (object, error) { return object{"item": r.form()}, nil }},
		{"gallery", "/galleries/{id}", func(r *row) (object, error) {
			body, err := r.gallery(items[r.id()])
			body["items_replace"] = true
			return body, err
		}},
	} {
		err := m.lines(ctx, t.table, func(n int, text []byte) error {
			held := [][]byte{text}
			r, err := m.decode(t.table, n, text)
			if err != nil {
				return err
			}
			if t.table == "gallery" {
				for _, item := range items[r.id()] {
					held = append(held, item.text)
				}
			}
			if m.ids.New(t.table, r.id()) == 0 || !slices.ContainsFunc(held, refers) && !m.titled[fmt.Sprint(t.table, " ", r.id())] {
				return nil
			}
			rows := m.report.Rows
			body, err := t.body(r)
			m.report.Rows = rows // counted before
			if err == nil {
				err = r.put(ctx, "PUT", t.path, body)
			}
			if err != nil {
				return at(err, t.table, n)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	m.release(items)
	return nil
}

func picked(columns ...string) func(r *row) (object, error) {
	return func(r *row) (object, error) {
		item := r.pick(columns...)
		item["seo"] = r.seo()
		if item["author"] != nil {
			item["author"] = r.author()
		}
		return object{"item": item}, nil
	}
}

// refers reports whether a row may have addresses with ids in its texts.
func refers(row []byte) bool {
	row = bytes.ToLower(row)
	return bytes.Contains(row, []byte("svc")) || bytes.Contains(row, []byte("form:")) || bytes.Contains(row, []byte("/form/"))
}

// settings writes the settings of the shop.
func (m *filling) settings(ctx context.Context) error {
	fields, err := m.archive.Shop()
	if err != nil {
		return err
	}
	r := &row{filling: m, table: "shop", n: 1, fields: fields}
	kept, _ := r.val("settings").(object)
	body := object{"cancel_unpaid_after_hours": fields["cancel_unpaid_after_hours"]}
	for _, name := range []string{
		"language", "timezone", "logo_id", "favicon_id", "contacts", "socials", "legal", "look", "tax", "invoice_prefix", "sandbox", "comments", "questions",
		"buyer_cancel_minutes", "cancel_unpaid_manual", "client_prices", "letters", "seo", "notes",
	} {
		if value, ok := kept[name]; ok {
			body[name] = value
		}
	}
	if kept["cart_reminder"] != nil {
		m.leave("shop", "reminders of carts are off: who refused them is not imported", 1)
	}
	if list, _ := kept["members_need_second_factor"].([]any); len(list) > 0 {
		m.leave("shop", "which members need a second factor", 1)
	}
	if _, err := m.send(ctx, "PUT", "/v1/shop/settings", nil, body); err != nil {
		return at(err, "shop", 1)
	}
	_, err = m.send(ctx, "PUT", "/storefront-redirects/settings", nil, r.pick("miss_fallback"))
	return shop.At(err, "miss_fallback")
}
