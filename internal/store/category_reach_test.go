package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/storetest"
)

// A tree from before the bound may be edited and made less deep at any level, but never
// deeper.
func TestTreesDeeperThanTheBoundStayEditable(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	company := newShop(t, s, "old")
	level := oldTree(t, url, company, 130)
	edit := func(id shop.CategoryID, change func(*catalog.Category)) error {
		return s.Write(t.Context(), company, func(tx *store.Tx) error {
			old, err := catalog.LockCategory(t.Context(), tx, id)
			if err != nil {
				return err
			}
			row := old
			change(&row)
			return catalog.UpdateCategory(t.Context(), tx, old, row)
		})
	}
	below := func(parent shop.CategoryID) func(*catalog.Category) {
		return func(c *catalog.Category) { c.Parent = parent }
	}
	slug := func(text string) func(*catalog.Category) {
		return func(c *catalog.Category) { c.SEO.Slug = text }
	}
	for _, c := range []struct {
		name string
		err  error
		want error
	}{
		{"a new name", edit(level[20], func(c *catalog.Category) { c.Name = "New" }), nil},
		{"a shorter slug", edit(level[20], slug("s")), nil},
		{"less deep, still too deep", edit(level[110], below(level[90])), nil},
		{"a leaf at the bound", edit(level[12], below(level[10])), nil}, // with all below it one level up
		{"deeper than it was", edit(level[12], below(level[11])), catalog.ErrCategoryTooDeep},
		{"to the root", edit(level[100], below(0)), nil},
		{"back again", edit(level[100], below(level[99])), catalog.ErrCategoryTooDeep},
		{"a longer slug", edit(level[5], slug(strings.Repeat("s", 200))), catalog.ErrCategoryTooDeep},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
		}
	}
}

// oldTree creates sections inside each other, as no endpoint would allow; level 1 is the
// root.
func oldTree(t *testing.T, url string, company shop.CompanyID, levels int) []shop.CategoryID {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	level := make([]shop.CategoryID, levels+1)
	for n := 1; n <= levels; n++ {
		if err := conn.QueryRow(t.Context(), `INSERT INTO category (company_id, parent_id, type, name, slug, is_published) VALUES ($1, $2, 'product', $3, $3, true) RETURNING id`,
			company, level[n-1], fmt.Sprintf("level%d", n)).Scan(&level[n]); err != nil {
			t.Fatal(err)
		}
	}
	return level
}
