package movein

import (
	"context"

	"slices"

	"vitrine/compile/movein"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	moveindb "vitrine/internal/store/movein"
)

// kind is what objects of one noun have in common: how they are written, and how that is undone.
type kind struct {
	name    string
	chunk   int  // of one transaction
	counted bool // a step of the progress each

	create func(ctx context.Context, c *chunk, list []thing) (ids []int64, err error) // 0: refused
	read   func(ctx context.Context, h hand, id int64) (now object, err error)        // as the calls of update take it
	update func(ctx context.Context, h hand, id int64, item, now object) error
	undo   func(ctx context.Context, h hand, id int64, before object) error // what update did
	remove func(ctx context.Context, h hand, id int64) error                // what create did

	shown string // the field of its pictures
}

// before returns the fields of an object that an undo needs if these change.
func (k *kind) before(changed []string) (names []string) {
	for _, name := range changed {
		switch name {
		case pictured:
			name = k.shown
		case "stock_quantity":
			name = "stock"
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// The kinds in the order in which they are undone: each before what it refers to.
var kinds = []*kind{&rules, &customers, &articles, &pages, &rubrics, &products, &attributes, &sections}

func kindOf(name string) *kind {
	i := slices.IndexFunc(kinds, func(k *kind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return kinds[i]
}

// route is a collection of objects that are written one at a time.
type route struct {
	all, one string
	bare     bool // a body is the fields themselves, not an item with them
}

func (p route) body(item object) object {
	if p.bare {
		return item
	}
	return object{"item": item}
}

func (p route) create(ctx context.Context, c *chunk, things []thing) ([]int64, error) {
	ids := make([]int64, len(things))
	for i, t := range things {
		err := c.retried(ctx, &t, t.item, func(item object) error {
			made, err := c.result(ctx, "POST", p.all, nil, p.body(item))
			if err == nil {
				ids[i] = id(made["id"])
			}
			return err
		})
		if refusal, ok := refused(err); ok {
			c.lose(t, movein.Skipped, refusal.Code, t.label()+": "+refusal.Message())
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (p route) read(ctx context.Context, h hand, id int64) (object, error) {
	return h.result(ctx, "GET", p.one, of(id), object{})
}

func (p route) put(ctx context.Context, h hand, id int64, item object) error {
	_, err := h.Do(ctx, h.who, "PUT", p.one, of(id), p.body(item))
	return err
}

func (p route) remove(ctx context.Context, h hand, id int64) error {
	_, err := h.Do(ctx, h.who, "DELETE", p.one, of(id), object{})
	return err
}

// maxTries bounds the slugs that are tried for an object.
const maxTries = 50

// retried writes an object, under another slug if its own is taken or none of ours, and without a
// sku or picture that is refused.
func (c *chunk) retried(_ context.Context, t *thing, item object, write func(object) error) error {
	for n := 1; ; n++ {
		err := write(slugged(item, t.slug, n))
		refusal, ok := refused(err)
		if !ok || n == maxTries {
			return err
		}
		switch {
		case refusal.Code == shop.ErrSlugTaken.Code && t.slug != "":
		case refusal.Code == shop.ErrSlugInvalid.Code && t.slug != "":
			t.slug = "" // the name makes one
		case refusal.Code == catalog.ErrSKUTaken.Code && item["sku"] != nil && item["sku"] != "":
			c.lose(*t, movein.Changed, "SKU_TAKEN", t.label()+": "+text(item["sku"]))
			item["sku"] = ""
		default:
			return err
		}
	}
}

// slugged returns an item with the nth form of a slug.
func slugged(item object, slug string, n int) object {
	if slug == "" {
		return item
	}
	out, seo := object{}, object{}
	for name, value := range item {
		out[name] = value
	}
	if given, ok := item["seo"].(object); ok {
		for name, value := range given {
			seo[name] = value
		}
	}
	seo["slug"] = shop.WithSuffix(slug, n)
	out["seo"] = seo
	return out
}

// seoOf returns the texts of a page for search engines.
func seoOf(s movein.Seo) object {
	return object{"meta_title": shop.Clip(s.Title, 1000), "meta_description": shop.Clip(s.Description, 1000)}
}

// onto lays the texts for search engines of an item over those of the page now: a call replaces all
// of them.
func onto(item, now object) object {
	seo, ok := item["seo"].(object)
	if !ok {
		return item
	}
	all, _ := now["seo"].(object)
	out, merged := object{}, object{}
	for name, value := range item {
		out[name] = value
	}
	for name, value := range all {
		merged[name] = value
	}
	for name, value := range seo {
		merged[name] = value
	}
	out["seo"] = merged
	return out
}

var sectionPath = route{all: "/categories", one: "/categories/{id}"}

// ofSections is a kind whose objects are sections of ours.
func ofSections(name string, counted bool) kind {
	return kind{
		name: name, chunk: 50, counted: counted, shown: "preview_id", create: sectionPath.create, read: sectionPath.read,
		update: func(ctx context.Context, h hand, id int64, item, now object) error {
			return sectionPath.put(ctx, h, id, onto(item, now))
		},
		undo: sectionPath.put,
		remove: func(ctx context.Context, h hand, id int64) error {
			used, err := moveindb.SectionUsed(ctx, h.Store.Shop(h.who.Company), id)
			if err != nil || used {
				return err // the owner has put something there
			}
			return sectionPath.remove(ctx, h, id)
		},
	}
}

var (
	sections = ofSections("section", true)
	rubrics  = ofSections("rubric", false)
	pages    = ofSections("page", true)
)

var attributePath = route{all: "/attributes", one: "/attributes/{id}"}

var attributes = kind{
	name: "attribute", chunk: 50, create: attributePath.create, read: attributePath.read, undo: attributePath.put,
	update: func(ctx context.Context, h hand, id int64, item, _ object) error {
		return attributePath.put(ctx, h, id, item)
	},
	remove: func(ctx context.Context, h hand, id int64) error {
		used, err := moveindb.AttributeUsed(ctx, h.Store.Shop(h.who.Company), id)
		if err != nil || used {
			return err
		}
		return attributePath.remove(ctx, h, id)
	},
}

var customerPath = route{all: "/customers", one: "/customers/{id}", bare: true}

var customers = kind{
	name: "customer", chunk: 100, counted: true, create: customerPath.create, read: customerPath.read, undo: customerPath.put,
	update: func(ctx context.Context, h hand, id int64, item, _ object) error {
		delete(item, "email")
		return customerPath.put(ctx, h, id, item)
	},
	remove: func(ctx context.Context, h hand, id int64) error {
		return h.Store.Write(ctx, h.who.Company, func(tx *store.Tx) error {
			_, err := moveindb.RemoveCustomer(ctx, tx, id)
			return err
		})
	},
}

// writeCustomers writes customers. One that the shop has is never changed.
func (w *writing) writeCustomers(ctx context.Context, p *movein.Plan) error {
	var things []thing
	for _, c := range p.Customers {
		name := c.FirstName
		if c.LastName != "" && name != "" {
			name += " "
		}
		name += c.LastName
		things = append(things, thing{key: hash([]byte(c.Key)) + "@", place: c.Place, item: object{
			"email": c.Email, "name": shop.Clip(name, 255), "phone": shop.Clip(c.Phone, 255), "note": shop.Clip(c.Note, 4000),
		}})
	}
	return w.write(ctx, &customers, things)
}

// writeSections writes sections level by level: each after the one that it is in.
func (w *writing) writeSections(ctx context.Context, p *movein.Plan) error {
	depth := map[string]int{}
	var levels [][]thing
	for _, s := range p.Sections {
		level := 0
		if s.Parent != "" {
			level = depth[s.Parent] + 1
		}
		depth[s.Key] = level
		for len(levels) <= level {
			levels = append(levels, nil)
		}
		levels[level] = append(levels[level], thing{
			key: s.Key, slug: s.Slug, shows: shows{Cover: s.Picture, Text: picturesIn(s.Description)},
			item: object{
				"name": s.Name, "type": "product", "description": s.Description, "seo": seoOf(s.Seo), "is_published": true, "parent_id": s.Parent,
			},
		})
	}
	for _, level := range levels {
		for _, t := range level {
			parent := w.made[sections.name][text(t.item["parent_id"])]
			t.item["parent_id"] = parent
			if parent == 0 {
				delete(t.item, "parent_id")
			}
		}
		if err := w.write(ctx, &sections, level); err != nil {
			return err
		}
	}
	return nil
}

// writeAttributes creates the attributes that products have. One of the shop's own with the same
// name is used as it is.
func (w *writing) writeAttributes(ctx context.Context, p *movein.Plan) error {
	var things []thing
	seen := map[string]bool{}
	for _, found := range p.Products {
		product := *found
		if err := product.Load(); err != nil {
			return err
		}
		for _, a := range product.Attributes {
			if !seen[a.Name] {
				seen[a.Name] = true
				things = append(things, thing{key: a.Name, place: product.Place, item: object{"name": a.Name, "kind": "text"}})
			}
		}
	}
	if len(things) == 0 {
		return nil
	}
	out, err := w.call(ctx, "GET", "/attributes", nil, object{})
	if err != nil {
		return err
	}
	known, err := moveindb.Origins(ctx, w.Store.Shop(w.who.Company), w.system, attributes.name, slices.Collect(keysOf(things)))
	if err != nil {
		return err
	}
	own := map[string]int64{}
	for _, entry := range list(out["result"]) {
		a, _ := entry.(object)
		if text(a["kind"]) == "text" {
			own[text(a["name"])] = id(a["id"])
		}
	}
	var fresh []thing
	made := map[string]int64{}
	w.made[attributes.name] = made
	for _, t := range things {
		if _, imported := known[keyOf(t.key)]; !imported && own[t.key] != 0 {
			made[t.key] = own[t.key]
			continue
		}
		fresh = append(fresh, t)
	}
	return w.write(ctx, &attributes, fresh)
}

func keysOf(things []thing) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, t := range things {
			if !yield(keyOf(t.key)) {
				return
			}
		}
	}
}
