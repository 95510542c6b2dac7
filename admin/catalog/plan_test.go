package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/storetest"
)

// crowded is a shop of 300 products among a thousand others.
type crowded struct {
	bench
	conn    *pgx.Conn
	facets  string // a query with three facets
	product m
}

func openCrowded(t *testing.T) crowded {
	t.Parallel()
	c := crowded{bench: bench{apitest.On(t, storetest.ManyShops(t, store.Migrate)), t}}
	storetest.Large(t, c.URL, int(c.Shop.ID), 300)
	ctx := context.Background()
	var err error
	if c.conn, err = pgx.Connect(ctx, c.URL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.conn.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	first := c.Result("GET", "/products", c.Owner, nil)
	c.facets, c.product = threeFacets(first["filterable_attributes"]), first["items"].(l)[0].(m)
	return c
}

// threeFacets selects a quarter of the options of three attributes.
func threeFacets(attributes any) string {
	var query []string
	for i, a := range attributes.(l)[:3] {
		query = append(query, fmt.Sprintf("attribute_filters[%d].attribute_id=%v", i, a.(m)["attribute_id"]))
		for option := range storetest.LargeOptions / 4 {
			query = append(query, fmt.Sprintf("attribute_filters[%d].values=o%d", i, 1+(i+option)%storetest.LargeOptions))
		}
	}
	return strings.Join(query, "&")
}

func (c crowded) statements(method, path, key string, body any) []storetest.Statement {
	c.Clock.Advance(time.Minute)
	c.Sent.Take()
	c.OK(method, path, key, body)
	return c.Sent.Take()
}

func TestAmongAThousandShops(t *testing.T) {
	c := openCrowded(t)
	t.Run("the number of queries is independent of the length of a list", c.countQueries)
	t.Run("every plan starts with the shop", c.explainPlans)
}

func (c crowded) countQueries(t *testing.T) {
	c.statements("GET", "/products", c.Dev, nil) // run one-time work first
	for name, query := range map[string]string{
		"plain": "", "facets": c.facets, "sorted": "sort.field=name", "searched": "filter.query=teapot", "mistyped": "filter.query=porcelian",
		"of a tree": "filter.include_subtree=true&filter.category_id=" + fmt.Sprint(c.product["category_id"]),
	} {
		counts := map[int]int{}
		for _, limit := range []int{1, 24, 100} {
			path := fmt.Sprintf("/products?page.number=1&page.limit=%d&%s", limit, query)
			for _, key := range []string{c.Owner, c.Dev} {
				counts[limit] += len(c.statements("GET", path, key, nil))
			}
		}
		t.Logf("%s: %d statements in both contours", name, counts[1])
		if counts[1] != counts[24] || counts[24] != counts[100] || counts[1] > 40 {
			t.Errorf("%s: statements by length %v", name, counts)
		}
	}
	if n := len(c.statements("GET", "/products/by-slug/"+c.product["slug"].(string), c.Owner, nil)); n > 8 {
		t.Errorf("reading a product needs %d statements", n)
	}
}

// tenantTables are the tables of the catalogue, of which only the shop's own rows may be read.
var tenantTables = []string{
	"product", "product_attribute", "product_extra_category", "category", "attribute", "attribute_option", "variant_set", "media_file", "slug_journal",
}

// explainPlans checks the query plans of the catalogue's requests: custom plans, generic plans,
// and plans with small tables, which the planner prefers to scan sequentially.
func (c crowded) explainPlans(t *testing.T) {
	section := fmt.Sprint("filter.category_id=", c.product["category_id"])
	company := "filter.company_id=" + c.company()
	new := func(n int) m {
		return m{
			"name": fmt.Sprint("New ", n), "sku": fmt.Sprint("N", n), "category_id": c.product["category_id"],
			"attributes": c.product["attributes"],
		}
	}
	for _, r := range []struct {
		method, path string
		body         any
	}{
		{"GET", "/products?" + c.facets, nil},
		{"GET", "/products?" + c.facets + "&sort.field=name&" + section, nil},
		{"GET", "/products?sort.field=price&filter.min_price=10&" + section, nil},
		{"GET", "/products?sort.field=updated_at&filter.include_subtree=true&" + section, nil},
		{"GET", "/products?filter.query=teapot", nil},
		{"GET", "/products?filter.query=porcelian", nil},
		{"GET", at("products", c.product), nil},
		{"GET", "/products/by-slug/" + c.product["slug"].(string), nil},
		{"POST", "/products/batch", m{"items": l{new(1), new(2), new(2)}}},
		{"PATCH", "/products/batch", m{"ids": l{c.product["id"]}, "item": m{"price": m{"price": 3}, "seo": m{"slug": "other"}}}},
		{"PUT", at("products", c.product), item(m{"name": "Renamed", "attributes": c.product["attributes"]})},
	} {
		for _, key := range []string{c.Owner, c.Dev} {
			for _, s := range c.statements(r.method, r.path, key, r.body) {
				c.explain(t, r.method+" "+r.path, s)
			}
		}
		if r.method == "GET" && strings.HasPrefix(r.path, "/products?") {
			for _, s := range c.statements("GET", r.path+"&"+company, "", nil) {
				c.explain(t, "anonymous "+r.path, s)
			}
		}
	}
}

var explainable = regexp.MustCompile(`(?i)^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b`)

func (c crowded) explain(t *testing.T, request string, s storetest.Statement) {
	t.Helper()
	if !explainable.MatchString(s.SQL) {
		return
	}
	ctx, path := context.Background(), "public"
	if s.Draft {
		path = "dev, public"
	}
	for _, seqscan := range []string{"on", "off"} {
		for _, generic := range []bool{false, true} {
			var text string
			err := pgx.BeginFunc(ctx, c.conn, func(tx pgx.Tx) (err error) {
				if _, err := tx.Exec(ctx, `SET LOCAL search_path = `+path+`; SET LOCAL enable_seqscan = `+seqscan+`; SET LOCAL plan_cache_mode = force_generic_plan`); err != nil {
					return err
				}
				if !generic {
					return tx.QueryRow(ctx, "EXPLAIN (FORMAT JSON) "+s.SQL, s.Args...).Scan(&text)
				}
				if _, err := tx.Exec(ctx, "PREPARE explained AS "+s.SQL); err != nil {
					return err
				}
				execute := "EXECUTE explained"
				if n := len(s.Args); n > 0 {
					execute += "(NULL" + strings.Repeat(", NULL", n-1) + ")"
				}
				if err := tx.QueryRow(ctx, "EXPLAIN (FORMAT JSON) "+execute, pgx.QueryExecModeSimpleProtocol).Scan(&text); err != nil {
					return err
				}
				_, err = tx.Exec(ctx, "DEALLOCATE explained")
				return err
			})
			if err != nil {
				t.Fatalf("%s: %v\n%s", request, err, s.SQL)
			}
			var plans []struct{ Plan plan }
			if err := json.Unmarshal([]byte(text), &plans); err != nil {
				t.Fatal(err)
			}
			for _, fault := range plans[0].Plan.faults(seqscan == "off") {
				t.Errorf("%s (generic %v, draft %v): %s\n%s", request, generic, s.Draft, fault, s.SQL)
			}
		}
	}
}

// plan is a node of a PostgreSQL query plan.
type plan struct {
	Node      string `json:"Node Type"`
	Relation  string `json:"Relation Name"`
	Index     string `json:"Index Name"`
	Condition string `json:"Index Cond"`
	Plans     []plan
}

// faults returns the scans that are not restricted to one shop. With strict, tables that fit
// into one page must be read by an index too.
func (p plan) faults(strict bool) (found []string) {
	switch tenant := slices.Contains(tenantTables, p.Relation); {
	case p.Node == "Seq Scan" && tenant && (strict || !slices.Contains([]string{"variant_set", "media_file", "slug_journal"}, p.Relation)):
		found = append(found, "reads all of "+p.Relation)
	case (strings.HasPrefix(p.Node, "Index") && tenant || p.Node == "Bitmap Index Scan") && !strings.Contains(p.Condition, "company_id") && p.Index != "":
		found = append(found, p.Node+" of "+p.Index+" by "+p.Condition)
	}
	for _, child := range p.Plans {
		found = append(found, child.faults(strict)...)
	}
	return found
}

// The server has statistics of few products when many are new, and takes a minute or more to gather
// others. Until then too, a list reads each product a few times at most.
func TestListsOfNewProductsReadEachAFewTimes(t *testing.T) {
	t.Parallel()
	const products = 3000
	a := apitest.New(t)
	section := a.Result("POST", "/categories", a.Owner, item(m{"name": "Many", "type": "product", "is_published": true}))["id"].(float64)
	a.OK("POST", "/products", a.Owner, item(m{"name": "One", "category_id": section, "is_published": true}))
	for _, sql := range []string{
		`ALTER TABLE product SET (autovacuum_enabled = false)`,
		`ANALYZE`,
		fmt.Sprintf(`INSERT INTO product (company_id, category_id, kind, name, slug, sku, brand, price, is_published)
			SELECT %d, %v, 'standard', 'Tea ' || n, 'tea-' || n, 'T-' || n, 'Acme', n, true FROM generate_series(1, %d) n`, a.Shop.ID, section, products),
	} {
		if _, err := a.Store.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	in := catalog.ProductFilter{Number: 1, Limit: 24, Category: shop.CategoryID(section), PublishedOnly: true}
	for name, change := range map[string]func(f *catalog.ProductFilter){
		"a section":                     func(*catalog.ProductFilter) {},
		"a section by name":             func(f *catalog.ProductFilter) { f.Sort = "name" },
		"a tree":                        func(f *catalog.ProductFilter) { f.Subtree = true },
		"the newest of a tree":          func(f *catalog.ProductFilter) { f.Subtree, f.Sort, f.Descending = true, "created_at", true },
		"a tree without its first":      func(f *catalog.ProductFilter) { f.Subtree, f.Below = true, true },
		"an item number":                func(f *catalog.ProductFilter) { f.Category, f.SKU = 0, "T-7" },
		"item numbers that begin alike": func(f *catalog.ProductFilter) { f.Category, f.Query, f.SKUPrefix = 0, "T-7", true },
		"a brand":                       func(f *catalog.ProductFilter) { f.Brand = "acme" },
	} {
		f := in
		change(&f)
		a.Sent.Take()
		err := a.Store.Snapshot(t.Context(), a.Shop.ID, func(r store.Reader) error {
			_, err := catalog.Products(t.Context(), r, f)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range a.Sent.Take() {
			if !explainable.MatchString(s.SQL) {
				continue
			}
			rows, plan := storetest.RowsRead(t, a.Store.Pool, s.SQL, s.Args...)
			if rows["product"] > 4*products {
				t.Errorf("%s reads %.0f rows of %d products:\n%s\n%s", name, rows["product"], products, s.SQL, plan)
			}
		}
	}
}
