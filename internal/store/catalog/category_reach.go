package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Bounds of the tree (CONTRACT, "Answers"): the number of levels, and the bytes of the
// longest path with its slashes. Sections made before these bounds existed and beyond them
// still open. They may be edited in place and moved to where they exceed the bounds no
// further.
const (
	maxCategoryDepth = 12
	maxCategoryPath  = 1024
)

// ErrCategoryTooDeep is returned when a section, or one below it, would exceed the bounds.
var ErrCategoryTooDeep = shop.Refuse(shop.InvalidArgument, "CATEGORY_TOO_DEEP").
	When(fmt.Sprintf("a section would be more than %d levels deep or have a path of more than %d bytes", maxCategoryDepth, maxCategoryPath))

// Extent is the extent of a section with everything below it.
type Extent struct {
	Depth int // of the deepest section
	Path  int // in bytes, of the longest path with its slashes
}

// Exceeds reports whether a reach exceeds both the bounds and the previous reach.
func (r Extent) Exceeds(previous Extent) bool {
	return r.Depth > max(maxCategoryDepth, previous.Depth) || r.Path > max(maxCategoryPath, previous.Path)
}

func (r Extent) refusal(where string) error {
	return ErrCategoryTooDeep.With(
		where + fmt.Sprintf("%d levels and a path of %d bytes; the limits are %d and %d", r.Depth, r.Path, maxCategoryDepth, maxCategoryPath),
	)
}

// maxRecursion ends the recursion, which a cycle would make endless.
const maxRecursion = 5000

const extentsQuery = `
	WITH RECURSIVE up AS (
		SELECT id AS of, parent_id, 1 AS depth, octet_length(slug) + 1 AS path FROM category WHERE company_id = $1 AND id = ANY($2::integer[])
		UNION ALL SELECT up.of, p.parent_id, up.depth + 1, up.path + octet_length(p.slug) + 1
		FROM up JOIN category p ON p.company_id = $1 AND p.id = up.parent_id WHERE up.depth < $3),
	down AS (
		SELECT of, of AS id, max(depth) AS depth, max(path) AS path FROM up GROUP BY of
		UNION ALL SELECT down.of, c.id, down.depth + 1, down.path + octet_length(c.slug) + 1
		FROM down JOIN category c ON c.company_id = $1 AND c.parent_id = down.id AND c.deleted_at IS NULL WHERE down.depth < $3)
	SELECT of, max(depth), max(path) FROM down GROUP BY of`

// Extents returns the reach of those of the sections that exist.
func Extents(ctx context.Context, r store.Reader, ids ...shop.CategoryID) (map[shop.CategoryID]Extent, error) {
	rows, err := r.DB.Query(ctx, extentsQuery, r.Company, ids, maxRecursion)
	if err != nil {
		return nil, err
	}
	found := make(map[shop.CategoryID]Extent, len(ids))
	var id shop.CategoryID
	var far Extent
	_, err = pgx.ForEachRow(rows, []any{&id, &far.Depth, &far.Path}, func() error {
		found[id] = far
		return nil
	})
	return found, err
}

// checkExtent refuses a write after which the section, or one below it, exceeds the bounds and
// reaches farther than before. The caller holds LockTree.
func checkExtent(ctx context.Context, tx *store.Tx, id shop.CategoryID, previous Extent) error {
	now, err := Extents(ctx, tx.Reader, id)
	if err == nil && now[id].Exceeds(previous) {
		err = now[id].refusal("")
	}
	return err
}

// CheckTreeExtent refuses a whole restored tree in which a section exceeds the bounds.
func CheckTreeExtent(ctx context.Context, r store.Reader) error {
	rows, err := r.DB.Query(ctx, `SELECT id, slug FROM category WHERE company_id = $1 AND parent_id = 0 AND deleted_at IS NULL`, r.Company)
	if err != nil {
		return err
	}
	slugs := map[shop.CategoryID]string{}
	var id shop.CategoryID
	var slug string
	if _, err := pgx.ForEachRow(rows, []any{&id, &slug}, func() error {
		slugs[id] = slug
		return nil
	}); err != nil {
		return err
	}
	found, err := Extents(ctx, r, slices.Collect(maps.Keys(slugs))...)
	for id, far := range found {
		if far.Exceeds(Extent{}) {
			return far.refusal("below /" + slugs[id] + ": ")
		}
	}
	return err
}
