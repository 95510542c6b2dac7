package store_test

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/media"
	"vitrine/internal/store/overview"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/redirect"
	"vitrine/internal/store/release"
	salesdb "vitrine/internal/store/sales"
	"vitrine/internal/store/sitefile"
	"vitrine/internal/store/storetest"
)

// textComparison matches text comparisons, in a statement and in a plan.
var textComparison = regexp.MustCompile(`(?i)\bI?LIKE\b|~~|<%|%>|\w*similarity\(|strpos\(| ~\*? |regexp_|starts_with\(`)

// recordedSearches records the statements that compare texts.
type recordedSearches struct{ list []pgx.TraceQueryStartData }

func (h *recordedSearches) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if textComparison.MatchString(q.SQL) {
		h.list = append(h.list, q)
	}
	return ctx
}

func (h *recordedSearches) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (h *recordedSearches) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (h *recordedSearches) TraceBatchQuery(ctx context.Context, conn *pgx.Conn, q pgx.TraceBatchQueryData) {
	h.TraceQueryStart(ctx, conn, pgx.TraceQueryStartData{SQL: q.SQL, Args: q.Args})
}

func (h *recordedSearches) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// runAllSearches runs every search of the package.
func runAllSearches(t *testing.T, s *store.Store, id shop.CompanyID) {
	t.Helper()
	ctx, r := t.Context(), s.Shop(id)
	_, err := catalog.ListProducts(ctx, s, s.Shop(id), catalog.ProductFilter{Query: "oolongtea", Number: 1, Limit: 10})
	check(t, err)
	_, err = catalog.ListProducts(ctx, s, s.Shop(id), catalog.ProductFilter{Query: "Grean", Number: 1, Limit: 10}) // mistyped
	check(t, err)
	_, err = catalog.ListProducts(ctx, s, s.Shop(id), catalog.ProductFilter{Query: "tea", Sort: catalog.SortMatch, InStock: true, Number: 1, Limit: 10})
	check(t, err)
	_, err = catalog.Products(ctx, r, catalog.ProductFilter{Query: "oolong", Number: 1, Limit: 10})
	check(t, err)
	_, _, err = catalog.Articles(ctx, r, catalog.ArticleFilter{Query: "oolong", Number: 1, Limit: 10})
	check(t, err)
	_, _, err = media.Files(ctx, r, media.FileFilter{Query: "oolong", Number: 1, Limit: 10})
	check(t, err)
	_, _, err = redirect.Misses(ctx, r, redirect.MissFilter{Text: "oolong"}, 1, 10)
	check(t, err)
	_, _, err = salesdb.Orders(ctx, s, salesdb.OrderFilter{Company: id, Query: "oolong"}, salesdb.OrderSort{}, 10, 0)
	check(t, err)
	_, _, err = salesdb.Orders(ctx, s, salesdb.OrderFilter{Company: id, Query: "+49 30 555"}, salesdb.OrderSort{}, 10, 0)
	check(t, err)
	_, _, err = salesdb.Promotions(ctx, r, salesdb.PromotionFilter{Query: "oolong"}, 10, 0)
	check(t, err)
	_, _, err = peopledb.Customers(ctx, r, peopledb.CustomerFilter{Query: "tea"}, peopledb.CustomerSort{}, 10, 0)
	check(t, err)
	_, _, err = peopledb.Customers(ctx, r, peopledb.CustomerFilter{Query: "+49 30 5550 1140"}, peopledb.CustomerSort{}, 10, 0)
	check(t, err)
	_, err = overview.Search(ctx, s, r, "oolong", overview.Kinds, 10)
	check(t, err)
	_, _, err = media.FileUses(ctx, r, media.File{Path: "oolong.webp"}, 10)
	check(t, err)
	_, err = sitefile.List(ctx, r)
	check(t, err)
	_, err = release.UsesOfDocuments(ctx, r, 1, 3)
	check(t, err)
	_, err = release.PagesMounting(ctx, r, 1)
	check(t, err)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestSearchesCompareOnlyTextsOfTheirShop(t *testing.T) {
	t.Parallel()
	var cfg *pgxpool.Config
	recorded := &recordedSearches{}
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate), store.Traced(recorded), func(c *pgxpool.Config) { cfg = c })
	check(t, err)
	t.Cleanup(s.Close)
	id, other := newShop(t, s, "first"), newShop(t, s, "second")
	for name, company := range map[string]shop.CompanyID{"Green tea": id, strings.Repeat("tea ", 60): other} {
		write(t, s, company, func(ctx context.Context, tx *store.Tx) error {
			return catalog.InsertProduct(ctx, tx, &catalog.Product{Kind: "standard", Name: name, SEO: catalog.SEO{Slug: "p"}, Tags: []string{}}, false, 0)
		})
	}
	runAllSearches(t, s, id)
	checkAllSearchesRun(t, recorded)
	untraced := cfg.ConnConfig.Copy()
	untraced.Tracer = nil
	conn, err := pgx.ConnectConfig(t.Context(), untraced)
	check(t, err)
	defer conn.Close(context.Background())
	for _, state := range []string{
		"SELECT", // like a new shop: small tables without statistics
		"ANALYZE",
		"SET enable_bitmapscan = off", "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = on",
	} {
		_, err := conn.Exec(t.Context(), state)
		check(t, err)
		for _, q := range recorded.list {
			var text string
			check(t, conn.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+q.SQL, q.Args...).Scan(&text))
			var plans []struct{ Plan plan }
			check(t, json.Unmarshal([]byte(text), &plans))
			plans[0].Plan.check(t, state+": "+q.SQL)
		}
	}
}

// plan is a node of the output of EXPLAIN.
type plan struct {
	Type    string `json:"Node Type"`
	Table   string `json:"Relation Name"`
	Index   string `json:"Index Cond"`
	Recheck string `json:"Recheck Cond"`
	Filter  string `json:"Filter"`
	Join    string `json:"Join Filter"`
	Plans   []plan
}

// companyFirst matches the beginning of a condition whose order PostgreSQL guarantees: a CASE
// computes the part after THEN only where its test holds.
var companyFirst = regexp.MustCompile(`CASE WHEN \((\w+\.)?company_id = \d+\) THEN `)

// check requires each comparison to follow a test of the company: an index finds the
// company's rows before a filter sees them.
func (p plan) check(t *testing.T, sql string) {
	t.Helper()
	for _, condition := range []string{p.Filter, p.Join, p.Recheck, p.Index} {
		if textComparison.MatchString(condition) && !p.restrictedToShop() && !companyFirst.MatchString(condition) {
			t.Errorf("%s compares foreign texts: %s\n%s", p.Type, condition, sql)
		}
	}
	for _, below := range p.Plans {
		below.check(t, sql)
	}
}

func (p plan) restrictedToShop() bool {
	if p.Type == "Function Scan" || strings.Contains(p.Index+p.Recheck, "company_id = ") {
		return true // a function's result belongs to its input row
	}
	if p.Table == "company" && strings.HasPrefix(p.Index+p.Recheck, "(id = ") {
		return true
	}
	return p.Type == "Bitmap Heap Scan" && len(p.Plans) == 1 && p.Plans[0].restrictedToShop()
}

var parameter = regexp.MustCompile(`\$\d+|\?`)

// checkAllSearchesRun finds text comparisons in the statements of the catalogue and its neighbours
// that searches does not run, so that new ones are added there.
func checkAllSearchesRun(t *testing.T, recorded *recordedSearches) {
	t.Helper()
	var all strings.Builder
	for _, q := range recorded.list {
		all.WriteString(parameter.ReplaceAllString(q.SQL, "?") + "\n")
	}
	kernel, err := filepath.Glob("*.go")
	check(t, err)
	files, err := filepath.Glob("*/*.go")
	check(t, err)
	files = slices.DeleteFunc(append(kernel, files...), func(name string) bool {
		return strings.HasPrefix(name, "storetest/") || strings.HasPrefix(name, "cluster/")
	})
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		check(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		check(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			sql, err := strconv.Unquote(literal.Value)
			check(t, err)
			for line := range strings.Lines(parameter.ReplaceAllString(sql, "?")) {
				if line = strings.TrimSpace(line); textComparison.MatchString(line) && !strings.Contains(all.String(), line) {
					t.Errorf("%s: no search of this test runs %q", name, line)
				}
			}
			return true
		})
	}
}
