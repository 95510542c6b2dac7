package catalog

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type groupNoun struct{}

// GroupID identifies a group of linked products.
type GroupID = shop.Long[groupNoun]

// ErrGroupNotFound is returned for missing and deleted groups and for those of other shops.
var ErrGroupNotFound = shop.Refuse(shop.NotFound, "PRODUCT_GROUP_NOT_FOUND").When("no product group of the shop has this id")

// ProductGroup is a set of products that belong together, such as the same cup in several
// colours (document 1, 4.2).
type ProductGroup struct {
	ID        GroupID
	Name      string
	Products  []shop.ProductID // in their order; deleted ones are left out on reads
	CreatedAt time.Time
	UpdatedAt time.Time
}

const groupColumns = `
	g.id, g.name, ARRAY(SELECT p.id FROM unnest(g.products) WITH ORDINALITY AS u(id, n)
		JOIN product p ON p.company_id = $1 AND p.id = u.id AND p.deleted_at IS NULL ORDER BY u.n), g.created_at, g.updated_at`

func scanGroup(row pgx.Row) (g ProductGroup, err error) {
	err = row.Scan(&g.ID, &g.Name, &g.Products, &g.CreatedAt, &g.UpdatedAt)
	if store.NoRow(err) {
		err = ErrGroupNotFound
	}
	return g, err
}

// ProductGroups returns one page of the groups and the total of all pages. A product other
// than 0 restricts it to the groups that contain that product.
func ProductGroups(ctx context.Context, r store.Reader, product shop.ProductID, number, limit int) (list []ProductGroup, total int, err error) {
	err = r.Together(ctx,
		func(r store.Reader) error {
			rows, err := r.DB.Query(ctx, `
				SELECT`+groupColumns+` FROM product_group g
				WHERE g.company_id = $1 AND g.deleted_at IS NULL AND ($2::integer = 0 OR g.products @> ARRAY[$2::integer])
				ORDER BY g.id LIMIT $3 OFFSET $4`, r.Company, product, limit, (number-1)*limit)
			if err != nil {
				return err
			}
			list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (ProductGroup, error) { return scanGroup(row) })
			return err
		},
		func(r store.Reader) error {
			return r.DB.QueryRow(ctx, `
				SELECT count(*) FROM product_group
				WHERE company_id = $1 AND deleted_at IS NULL AND ($2::integer = 0 OR products @> ARRAY[$2::integer])`, r.Company, product).Scan(&total)
		},
	)
	return list, total, err
}

// GetProductGroup reads one group, or returns PRODUCT_GROUP_NOT_FOUND.
func GetProductGroup(ctx context.Context, r store.Reader, id GroupID) (ProductGroup, error) {
	return productGroup(ctx, r, id, "")
}

// LockProductGroup reads and locks one group for update.
func LockProductGroup(ctx context.Context, tx *store.Tx, id GroupID) (ProductGroup, error) {
	return productGroup(ctx, tx.Reader, id, " FOR UPDATE")
}

func productGroup(ctx context.Context, r store.Reader, id GroupID, lock string) (ProductGroup, error) {
	return scanGroup(r.DB.QueryRow(ctx, `
		SELECT`+groupColumns+` FROM product_group g WHERE g.company_id = $1 AND g.id = $2 AND g.deleted_at IS NULL`+lock, r.Company, id))
}

// CountExistingProducts counts how many of the ids are products of the shop that are not deleted.
func CountExistingProducts(ctx context.Context, r store.Reader, ids []shop.ProductID) (n int, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT count(*) FROM product WHERE company_id = $1 AND id = ANY($2) AND deleted_at IS NULL`, r.Company, ids).Scan(&n)
	return n, err
}

// InsertProductGroup adds a group.
func InsertProductGroup(ctx context.Context, tx *store.Tx, g *ProductGroup) error {
	recordGroupedProducts(tx, g.Products)
	return tx.DB.QueryRow(ctx, `
		INSERT INTO product_group (company_id, name, products) VALUES ($1, $2, $3) RETURNING id`, tx.Company, g.Name, g.Products).Scan(&g.ID)
}

// UpdateProductGroup writes a locked group; old is the group as it was read.
func UpdateProductGroup(ctx context.Context, tx *store.Tx, old, g ProductGroup) error {
	recordGroupedProducts(tx, old.Products)
	recordGroupedProducts(tx, g.Products)
	_, err := tx.DB.Exec(ctx, `
		UPDATE product_group SET name = $3, products = $4, updated_at = now() WHERE company_id = $1 AND id = $2`,
		tx.Company, g.ID, g.Name, g.Products)
	return err
}

// DeleteProductGroup soft-deletes a locked group; its products stay.
func DeleteProductGroup(ctx context.Context, tx *store.Tx, g ProductGroup) error {
	recordGroupedProducts(tx, g.Products)
	_, err := tx.DB.Exec(ctx, `UPDATE product_group SET deleted_at = now() WHERE company_id = $1 AND id = $2`, tx.Company, g.ID)
	return err
}

// recordGroupedProducts records a change of the products whose pages show their group.
func recordGroupedProducts(tx *store.Tx, ids []shop.ProductID) {
	tx.EditedProducts(ids...)
	for _, id := range ids {
		tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(id)})
	}
}
