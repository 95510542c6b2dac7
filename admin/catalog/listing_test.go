package catalog_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// shelf is a catalogue with random writes, and plain SQL that computes the expected lists.
type shelf struct {
	bench
	second             *store.Store // the store of another process
	conns              map[string]*pgx.Conn
	sections, products []m
	colour, size, mass m
}

func openShelf(t *testing.T) *shelf {
	s := &shelf{bench: open(t), conns: map[string]*pgx.Conn{}}
	ctx := context.Background()
	var err error
	if s.second, err = store.Open(ctx, s.URL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.second.Close)
	for contour, path := range map[string]string{"prod": "public", "dev": "dev, public"} {
		conn, err := pgx.Connect(ctx, s.URL)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := conn.Close(ctx); err != nil {
				t.Error(err)
			}
		})
		if _, err := conn.Exec(ctx, `SET search_path = `+path); err != nil {
			t.Fatal(err)
		}
		s.conns[contour] = conn
	}
	root := s.section("product", "Root")
	s.sections = []m{root, s.add("categories", m{"name": "Below", "parent_id": root["id"]}), s.section("product", "Beside")}
	s.colour = s.attribute(m{"name": "Colour", "options": options("x", "y", "z")})
	s.size = s.attribute(m{"name": "Size", "options": options("x", "y", "z")})
	s.mass = s.attribute(m{"name": "Mass", "kind": "number"})
	return s
}

// fields draws some of the fields of a product.
func (s *shelf) fields(t *rapid.T) m {
	section := func(label string) any {
		return rapid.SampledFrom(append(s.sections, m{"id": 0.0})).Draw(t, label)["id"]
	}
	values := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"x", "y", "z"}), rapid.ID[string])
	out := m{
		"name":         rapid.SampledFrom([]string{"Teapot", "Tea cup", "Lamp", "Cup_1", "Cup%"}).Draw(t, "name"),
		"price":        m{"price": rapid.IntRange(0, 4).Draw(t, "price")},
		"is_published": rapid.Bool().Draw(t, "published"), "catalog_hidden": rapid.SampledFrom([]string{"", "true", "false"}).Draw(t, "hidden"),
		"category_id": section("section"),
		"attributes": l{
			m{"attribute_id": s.colour["id"], "values": values.Draw(t, "colour")}, m{"attribute_id": s.size["id"], "values": values.Draw(t, "size")},
			m{"attribute_id": s.mass["id"], "number": rapid.IntRange(0, 3).Draw(t, "mass")},
		},
	}
	if extra := section("extra"); extra != 0.0 {
		out["categories"] = l{extra}
	} else {
		out["categories"], out["categories_replace"] = l{}, true
	}
	if only := rapid.SampledFrom([]string{"", "", "attributes", "categories", "price"}).Draw(t, "only"); only != "" {
		return m{only: out[only], "categories_replace": only == "categories"}
	}
	return out
}

// write does one random write. A write that the API refuses has no effect, which is fine too.
func (s *shelf) write(t *rapid.T) {
	s.Clock.Advance(time.Minute)
	key := rapid.SampledFrom([]string{s.Owner, s.Dev}).Draw(t, "key")
	one := func() m { return rapid.SampledFrom(s.products).Draw(t, "product") }
	kind := rapid.SampledFrom([]string{
		"create", "create", "edit", "edit", "delete", "restore", "batch", "bulk", "import", "variants", "publish", "discard", "section", "definition", "publish one",
	}).Draw(t, "write")
	if len(s.products) == 0 {
		kind = "create"
	}
	switch kind {
	case "create":
		if status, answer := s.Call("POST", "/products", key, item(s.fields(t))); status == 200 {
			s.products = append(s.products, answer["result"].(m))
		}
	case "edit":
		s.Call("PUT", at("products", one()), key, item(s.fields(t)))
	case "delete":
		s.Call("DELETE", at("products", one()), key, nil)
	case "restore":
		s.Call("PUT", at("products", one()), key, item(m{"is_deleted": false}))
	case "batch":
		_, answer := s.Call("POST", "/products/batch", key, m{"items": l{s.fields(t), s.fields(t), m{"name": ""}}})
		for _, r := range answer["results"].(l) {
			if r.(m)["error"] == nil {
				s.products = append(s.products, r.(m))
			}
		}
	case "bulk":
		s.Call("PATCH", "/products/batch", key, m{"ids": l{one()["id"], one()["id"]}, "item": s.fields(t)})
	case "import":
		s.Call("POST", "/products/import", key, m{"text": fmt.Sprintf("id,name,price\n%s,Kettle,7\n", id(one()))})
	case "variants":
		s.Call("PUT", at("products", one())+"/variants", key, m{"items": l{m{"title": "a"}}})
	case "publish":
		s.Call("POST", "/drafts/publish", s.Owner, m{"all": true, "force": true})
	case "publish one":
		s.Call("POST", "/drafts/publish", s.Owner, m{"items": l{m{"kind": "product", "id": one()["id"]}}, "force": true})
	case "discard":
		s.Call("POST", "/drafts/discard", s.Owner, m{"all": true})
	case "section":
		s.Call(
			"PUT", at("categories", rapid.SampledFrom(s.sections).Draw(t, "moved")), key,
			item(m{"is_published": rapid.Bool().Draw(t, "shown")}),
		)
	case "definition":
		s.Call("PUT", at("attributes", s.size), s.Owner, item(m{"filterable": rapid.Bool().Draw(t, "filterable")}))
	}
}

// view is the contour of the reader, and whether the reader is a visitor.
type view struct {
	contour, key string
	visitor      bool
}

// asked is a random filter, as the query of a request and as SQL.
type asked struct {
	query      []string
	conditions []string          // SQL conditions on product p
	facets     map[string]string // SQL condition by attribute id
	sort       string
}

func (s *shelf) asked(t *rapid.T, v view) asked {
	a := asked{facets: map[string]string{}, query: []string{"filter.company_id=" + s.company()}}
	narrow := func(query, condition string) {
		a.query, a.conditions = append(a.query, query), append(a.conditions, condition)
	}
	if v.visitor {
		a.conditions = append(a.conditions, `p.is_published AND p.catalog_hidden <> 'true'`, `NOT EXISTS (
			WITH RECURSIVE up AS (
				SELECT c.id, c.parent_id, c.is_published FROM category c WHERE c.company_id = p.company_id AND c.id = p.category_id AND c.deleted_at IS NULL
				UNION SELECT c.id, c.parent_id, c.is_published FROM category c JOIN up ON c.company_id = p.company_id AND c.id = up.parent_id AND c.deleted_at IS NULL)
			SELECT FROM up WHERE NOT is_published)`)
	}
	sometimes := func(label string) bool { return rapid.IntRange(0, 2).Draw(t, label) == 0 }
	const inside = `(p.category_id IN (%[1]s) OR EXISTS (SELECT FROM product_extra_category e WHERE e.company_id = p.company_id AND e.product_id = p.id AND e.category_id IN (%[1]s)))`
	if sometimes("by section") {
		of := id(rapid.SampledFrom(s.sections).Draw(t, "of"))
		narrow("filter.category_id="+of, fmt.Sprintf(inside, of))
	} else if sometimes("by subtree") {
		of := id(rapid.SampledFrom(s.sections).Draw(t, "of"))
		narrow("filter.include_subtree=true&filter.category_id="+of, fmt.Sprintf(inside, `SELECT c.id FROM category c WHERE c.company_id = p.company_id AND (c.id = `+of+` OR c.parent_id = `+of+`)`))
	}
	if sometimes("by price") {
		n := fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "price"))
		narrow("filter.min_price="+n, "p.price >= "+n)
	}
	if sometimes("by name") {
		part := rapid.SampledFrom([]string{"TEA", "cup", "p_1", "p%", "t"}).Draw(t, "part")
		narrow("filter.query="+strings.ReplaceAll(part, "%", "%25"), `strpos(lower(p.name), lower('`+part+`')) > 0`)
	}
	if sometimes("published only") {
		narrow("filter.is_published=true", "p.is_published")
	}
	s.narrowByAttributes(t, &a)
	a.sort = rapid.SampledFrom([]string{"", "id", "price", "name", "rating", "created_at", "updated_at"}).Draw(t, "sort")
	a.query = append(a.query, "sort.field="+a.sort, "sort.order="+rapid.SampledFrom([]string{"asc", "desc"}).Draw(t, "order"))
	return a
}

func (s *shelf) narrowByAttributes(t *rapid.T, a *asked) {
	n := 0
	add := func(attribute m, query, condition string) {
		of := id(attribute)
		a.query = append(a.query, fmt.Sprintf("attribute_filters[%d].attribute_id=%s", n, of))
		if query != "" {
			a.query = append(a.query, strings.ReplaceAll(query, "[i]", fmt.Sprintf("[%d]", n)))
		}
		a.facets[of] = `EXISTS (SELECT FROM product_attribute v LEFT JOIN attribute_option o ON o.company_id = v.company_id AND o.id = v.option_id
			WHERE v.company_id = p.company_id AND v.product_id = p.id AND v.attribute_id = ` + of + ` AND ` + condition + `)`
		n++
	}
	for _, attribute := range []m{s.colour, s.size} {
		switch rapid.IntRange(0, 4).Draw(t, "facet") {
		case 0:
			add(attribute, "attribute_filters[i].values=x&attribute_filters[i].values=y", "o.value IN ('x', 'y')")
		case 1:
			add(attribute, "attribute_filters[i].values=nothing", "false")
		case 2:
			add(attribute, "", "true")
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "range") == 0 {
		add(s.mass, "attribute_filters[i].min=1&attribute_filters[i].max=2", "v.number BETWEEN 1 AND 2")
	}
}

// where returns the condition of the filter without the facet of one attribute.
func (a asked) where(company, except string) string {
	all := append([]string{"p.company_id = " + company, "p.deleted_at IS NULL"}, a.conditions...)
	for of, condition := range a.facets {
		if of != except {
			all = append(all, condition)
		}
	}
	return strings.Join(all, " AND ")
}

// want computes the list with plain SQL: the ids of the first page in their order, and the
// counts with the total.
func (s *shelf) want(t *rapid.T, v view, a asked) (ids, counts []string) {
	read := func(sql string) (out []string) {
		rows, err := s.conns[v.contour].Query(context.Background(), sql)
		if err != nil {
			t.Fatal(err)
		}
		if out, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			t.Fatal(err)
		}
		return out
	}
	field, direction := "p.id", " ASC"
	if a.sort != "" {
		field = "p." + a.sort
	}
	if slices.Contains(a.query, "sort.order=desc") {
		direction = " DESC"
	}
	all := read(`SELECT p.id::text FROM product p WHERE ` + a.where(s.company(), "") + ` ORDER BY ` + field + direction + `, p.id` + direction)
	ids = append([]string{fmt.Sprint(len(all))}, all[:min(len(all), 100)]...)
	for _, attribute := range []m{s.colour, s.size, s.mass} {
		of := id(attribute)
		counts = append(counts, read(`
			SELECT a.id || ' ' || coalesce(o.value, '') || ' ' || count(*) || coalesce(' ' || min(v.number) || ' ' || max(v.number), '')
			FROM product p JOIN product_attribute v ON v.company_id = p.company_id AND v.product_id = p.id AND v.attribute_id = `+of+`
			JOIN attribute a ON a.company_id = p.company_id AND a.id = v.attribute_id AND a.filterable
			LEFT JOIN attribute_option o ON o.company_id = p.company_id AND o.id = v.option_id
			WHERE `+a.where(s.company(), of)+` GROUP BY a.id, o.value ORDER BY o.value`)...)
	}
	return ids, counts
}

// got returns the list of the API; options with a count of 0 are selected ones.
func (s *shelf) got(v view, a asked) (ids, counts []string) {
	list := s.Result("GET", "/products?page.number=1&page.limit=100&"+strings.Join(a.query, "&"), v.key, nil)
	ids = append([]string{fmt.Sprint(list["total"])}, names(list["items"], "id")...)
	for _, attribute := range list["filterable_attributes"].(l) {
		attribute := attribute.(m)
		if n := attribute["count"].(float64); n > 0 {
			counts = append(counts, fmt.Sprintf("%v  %v %v %v", attribute["attribute_id"], n, attribute["min"], attribute["max"]))
		}
		for _, o := range attribute["options"].(l) {
			if o := o.(m); o["count"] != 0.0 {
				counts = append(counts, fmt.Sprintf("%v %v %v", attribute["attribute_id"], o["value"], o["count"]))
			}
		}
	}
	return ids, counts
}

// The index of a shop agrees with plain SQL: in each contour and for visitors, with every
// filter, after every kind of write, and also in a process that did not write.
func TestListsAgreeWithPlainSQL(t *testing.T) {
	s := openShelf(t)
	views := []view{{"prod", s.Owner, false}, {"dev", s.Dev, false}, {"prod", "", true}}
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 4).Draw(t, "writes") {
			s.write(t)
		}
		for _, v := range views {
			a := s.asked(t, v)
			wantIDs, wantCounts := s.want(t, v, a)
			gotIDs, gotCounts := s.got(v, a)
			found += len(gotIDs) - 1
			if !slices.Equal(gotIDs, wantIDs) || !slices.Equal(gotCounts, wantCounts) {
				t.Fatalf("%s: %v\n%v, want %v\n%q, want %q", v.contour, a.query, gotIDs, wantIDs, gotCounts, wantCounts)
			}
		}
		s.elsewhere(t)
	})
	if found == 0 {
		t.Error("all lists were empty")
	}
}

// elsewhere compares the list of the whole shop in another process, whose index only follows
// the recorded changes.
func (s *shelf) elsewhere(t *rapid.T) {
	for contour, ctx := range map[string]context.Context{"prod": s.t.Context(), "dev": store.InDraft(s.t.Context(), s.Shop.ID)} {
		list, err := catalog.ListProducts(ctx, s.second, s.second.Shop(s.Shop.ID), catalog.ProductFilter{Number: 1, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{fmt.Sprint(list.Total)}
		for _, p := range list.Products {
			ids = append(ids, p.ID.String())
		}
		want, _ := s.want(t, view{contour: contour}, asked{})
		if !slices.Equal(ids, want) {
			t.Fatalf("another process, %s: %v, want %v", contour, ids, want)
		}
	}
}

// Pending values of a draft are counted in the draft only, also if the product's own row has no
// draft.
func TestADraftOfValuesAloneIsListed(t *testing.T) {
	s := openShelf(t)
	for _, c := range []struct {
		fields m
		query  string
	}{
		{m{"categories": l{s.sections[2]["id"]}}, "filter.category_id=" + id(s.sections[2])},
		{m{"attributes": l{m{"attribute_id": s.colour["id"], "values": l{"x"}}}}, query(facet{attribute: s.colour, values: []string{"x"}})},
		{m{"price": m{"price": 9}}, "filter.min_price=9"},
	} {
		p := s.add("products", m{"name": "Lamp for " + c.query})
		s.OK("PUT", at("products", p), s.Dev, item(c.fields))
		for key, want := range map[string]int{s.Owner: 0, s.Dev: 1} {
			if total, _ := s.list(c.query, key); total != want {
				t.Errorf("%s: %d products, want %d", c.query, total, want)
			}
		}
		s.OK("DELETE", at("products", p), s.Owner, nil)
	}
}
