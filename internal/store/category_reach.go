package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
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

// reach is the extent of a section with everything below it.
type reach struct {
	Depth int // of the deepest section
	Path  int // in bytes, of the longest path with its slashes
}

// breaks reports whether a reach exceeds both the bounds and the previous reach.
func (r reach) breaks(previous reach) bool {
	return r.Depth > max(maxCategoryDepth, previous.Depth) || r.Path > max(maxCategoryPath, previous.Path)
}

func (r reach) refusal(where string) error {
	return ErrCategoryTooDeep.With(
		where + fmt.Sprintf("%d levels and a path of %d bytes; the limits are %d and %d", r.Depth, r.Path, maxCategoryDepth, maxCategoryPath),
	)
}

// farLevel ends the recursion, which a cycle would make endless.
const farLevel = 5000

const reaches = `
	WITH RECURSIVE up AS (
		SELECT id AS of, parent_id, 1 AS depth, octet_length(slug) + 1 AS path FROM category WHERE company_id = $1 AND id = ANY($2::integer[])
		UNION ALL SELECT up.of, p.parent_id, up.depth + 1, up.path + octet_length(p.slug) + 1
		FROM up JOIN category p ON p.company_id = $1 AND p.id = up.parent_id WHERE up.depth < $3),
	down AS (
		SELECT of, of AS id, max(depth) AS depth, max(path) AS path FROM up GROUP BY of
		UNION ALL SELECT down.of, c.id, down.depth + 1, down.path + octet_length(c.slug) + 1
		FROM down JOIN category c ON c.company_id = $1 AND c.parent_id = down.id AND c.deleted_at IS NULL WHERE down.depth < $3)
	SELECT of, max(depth), max(path) FROM down GROUP BY of`

// reaches returns the reach of those of the sections that exist.
func (r Reader) reaches(ctx context.Context, ids ...shop.CategoryID) (map[shop.CategoryID]reach, error) {
	rows, err := r.q.Query(ctx, reaches, r.Company, ids, farLevel)
	if err != nil {
		return nil, err
	}
	found := make(map[shop.CategoryID]reach, len(ids))
	var id shop.CategoryID
	var far reach
	_, err = pgx.ForEachRow(rows, []any{&id, &far.Depth, &far.Path}, func() error {
		found[id] = far
		return nil
	})
	return found, err
}

// inReach refuses a write after which the section, or one below it, exceeds the bounds and
// reaches farther than before. The caller holds LockTree.
func (tx *Tx) inReach(ctx context.Context, id shop.CategoryID, previous reach) error {
	now, err := tx.reaches(ctx, id)
	if err == nil && now[id].breaks(previous) {
		err = now[id].refusal("")
	}
	return err
}

// farPublished finds sections that a publish created or moved beyond the bounds; before
// holds their previous reach.
func farPublished(before, after map[shop.CategoryID]reach) (list []DraftConflict) {
	for id, now := range after {
		if now.breaks(before[id]) {
			list = append(
				list,
				DraftConflict{DraftRef: DraftRef{"category", strconv.Itoa(int(id))}, Field: "parent_id", Code: ErrCategoryTooDeep.Code},
			)
		}
	}
	return list
}

// placed returns the sections that a publish creates or moves.
func placed(things []*waiting) (ids []shop.CategoryID) {
	for _, text := range slices.Concat(moved(things, "category", "parent_id"), moved(things, "category", "slug")) {
		if id, err := strconv.ParseInt(text, 10, 32); err == nil {
			ids = append(ids, shop.CategoryID(id))
		}
	}
	return ids
}

// treeInReach refuses a whole restored tree in which a section exceeds the bounds.
func (r Reader) treeInReach(ctx context.Context) error {
	rows, err := r.q.Query(ctx, `SELECT id, slug FROM category WHERE company_id = $1 AND parent_id = 0 AND deleted_at IS NULL`, r.Company)
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
	found, err := r.reaches(ctx, slices.Collect(maps.Keys(slugs))...)
	for id, far := range found {
		if far.breaks(reach{}) {
			return far.refusal("below /" + slugs[id] + ": ")
		}
	}
	return err
}
