package catalog

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrCategoryType is returned when the type of a section does not fit its contents: a
// website holds no products, articles belong in rubrics (document 1, 2.3 and 2.7).
var ErrCategoryType = shop.Refuse(shop.InvalidArgument, "CATEGORY_TYPE_MISMATCH").When("the section is of a type that cannot hold this")

// checkType refuses a new type that contradicts the contents of the section. The row is
// locked against transactions that add to the section (LockCategoryTypes).
func checkType(ctx context.Context, tx *store.Tx, id shop.CategoryID, kind string) error {
	if _, err := tx.DB.Exec(ctx, `SELECT FROM category WHERE company_id = $1 AND id = $2 FOR UPDATE`, tx.Company, id); err != nil {
		return err
	}
	var products, articles, folder bool
	err := tx.DB.QueryRow(ctx, `SELECT
		EXISTS (SELECT FROM product p WHERE p.company_id = $1 AND p.deleted_at IS NULL AND (p.category_id = $2
			OR p.id IN (SELECT e.product_id FROM product_extra_category e WHERE e.company_id = $1 AND e.category_id = $2))),
		EXISTS (SELECT FROM article a WHERE a.company_id = $1 AND a.deleted_at IS NULL AND a.category_id = $2),
		EXISTS (SELECT FROM document d WHERE d.company_id = $1 AND d.deleted_at IS NULL AND d.kind = 'folder' AND d.owner_id = $2)`,
		tx.Company, id).Scan(&products, &articles, &folder)
	switch {
	case err != nil:
		return err
	case products && (kind == "site" || kind == "news"):
		return ErrCategoryType.With("it has products, which a section of type " + kind + " does not hold")
	case articles && kind != "news":
		return ErrCategoryType.With("it has articles, which need a section of type news")
	case folder && kind != "site":
		return ErrCategoryType.With("it has a website, which needs a section of type site")
	}
	return nil
}

// LockCategoryTypes returns the types of those of the categories that are not deleted. The types
// cannot change until the end of the transaction; all other fields may.
func LockCategoryTypes(ctx context.Context, tx *store.Tx, ids []shop.CategoryID) (map[shop.CategoryID]string, error) {
	rows, err := tx.DB.Query(ctx, `
		SELECT id, type FROM category WHERE company_id = $1 AND id = ANY($2) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`, tx.Company, ids)
	if err != nil {
		return nil, err
	}
	types := map[shop.CategoryID]string{}
	var id shop.CategoryID
	var kind string
	_, err = pgx.ForEachRow(rows, []any{&id, &kind}, func() error {
		types[id] = kind
		return nil
	})
	return types, err
}

// LockCategory reads a category for update, a deleted one too: an owner may restore it. The
// tree is locked until the transaction ends.
func LockCategory(ctx context.Context, tx *store.Tx, id shop.CategoryID) (Category, error) {
	if err := tx.LockTree(ctx); err != nil {
		return Category{}, err
	}
	s := selectCategory(tx.Reader, false, rootOfOne, ` AND c.id = ?`, id)
	return scanCategory(tx.DB.QueryRow(ctx, s.String(), s.Args...))
}

// restoreBelow restores what was deleted together with a category.
func restoreBelow(ctx context.Context, tx *store.Tx, id shop.CategoryID, deleted time.Time) error {
	_, err := tx.DB.Exec(ctx, `
		WITH RECURSIVE gone AS (
			SELECT id FROM category WHERE company_id = $1 AND id = $2
			UNION SELECT c.id FROM category c JOIN gone ON c.company_id = $1 AND c.parent_id = gone.id WHERE c.deleted_at = $3
		) UPDATE category SET deleted_at = NULL WHERE company_id = $1 AND id IN (SELECT id FROM gone) AND deleted_at IS NOT NULL`,
		tx.Company, id, deleted)
	if store.UniqueViolation(err, "category_slug") {
		return shop.ErrSlugTaken.At("seo.slug").With("the slug of a section below it")
	}
	tx.Changed(shop.Key{Kind: shop.KeyProducts})
	return err
}

// DeleteCategory soft-deletes a category with all below it. Until it is restored, its
// products and articles stay in it unseen and its site files are orphans (document 1,
// section 3). A restored home page is the home page again, unless another section has
// become it.
func DeleteCategory(ctx context.Context, tx *store.Tx, id shop.CategoryID) error {
	if err := tx.LockTree(ctx); err != nil {
		return err
	}
	tag, err := tx.DB.Exec(ctx, subtreeCTE+`
		UPDATE category SET deleted_at = now() WHERE company_id = $1 AND id IN (SELECT id FROM tree)`, tx.Company, id)
	if err == nil && tag.RowsAffected() == 0 {
		return ErrCategoryNotFound
	}
	tx.Changed(shop.Key{Kind: shop.KeyCategories}, shop.Key{Kind: shop.KeyProducts}, shop.Key{Kind: shop.KeyCategory, ID: int64(id)})
	return err
}

// moveFilesToRoot moves the files of the section that became the home page to the root
// (document 3, 2.5). A file whose name exists in the root stays in the section.
func moveFilesToRoot(ctx context.Context, tx *store.Tx, home shop.CategoryID) error {
	if tx.Draft() {
		return nil
	}
	tag, err := tx.DB.Exec(ctx, `
		UPDATE site_file f SET category_id = 0, row_version = row_version + 1, updated_at = now()
		WHERE company_id = $1 AND category_id = $2 AND deleted_at IS NULL AND NOT EXISTS (
			SELECT FROM site_file r WHERE r.company_id = $1 AND r.category_id = 0 AND lower(r.name) = lower(f.name) AND r.deleted_at IS NULL)`,
		tx.Company, home)
	if err == nil && tag.RowsAffected() > 0 {
		tx.Changed(shop.Key{Kind: shop.KeyFiles})
	}
	return err
}
