package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ErrWishlistFull refuses a product beyond the limit.
var ErrWishlistFull = shop.Refuse(shop.FailedPrecondition, "WISHLIST_FULL").When("the wishlist has 500 products already")

// maxWishes is how many products the wishlist of a person in a shop may have.
const maxWishes = 500

// Wishlist lists the products on a person's wishlist, newest first. Products that are
// deleted, unpublished or hidden from the reader are left out.
func (r Reader) Wishlist(ctx context.Context, person shop.UserID) ([]shop.ProductID, error) {
	s := &statement{args: []any{r.Company, person}}
	s.add(`
		SELECT w.product_id FROM wishlist_item w
		JOIN product p ON p.company_id = $1 AND p.id = w.product_id AND p.deleted_at IS NULL AND p.is_published
		WHERE w.company_id = $1 AND w.person_id = $2`)
	r.hideProducts(s)
	s.add(` ORDER BY w.created_at DESC, w.product_id DESC`)
	rows, err := r.q.Query(ctx, s.String(), s.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.ProductID])
}

// Wish adds products to the wishlist, if they are published in the shop; those already on
// it keep their place. It returns how many of them the shop has.
func (tx *Tx) Wish(ctx context.Context, person shop.UserID, products []shop.ProductID) (count int, err error) {
	if _, err := tx.q.Exec(ctx, `SELECT FROM person WHERE id = $1 FOR NO KEY UPDATE`, person); err != nil {
		return 0, err
	}
	s := &statement{args: []any{tx.Company, person, products}}
	s.add(`
		INSERT INTO wishlist_item (company_id, person_id, product_id)
		SELECT $1, $2, p.id FROM product p WHERE p.company_id = $1 AND p.id = ANY($3::integer[]) AND p.deleted_at IS NULL AND p.is_published`)
	tx.hideProducts(s)
	s.add(` ON CONFLICT DO NOTHING`)
	if _, err := tx.q.Exec(ctx, s.String(), s.args...); err != nil {
		return 0, err
	}
	var total int
	err = tx.q.QueryRow(ctx, `
		SELECT count(*), count(*) FILTER (WHERE product_id = ANY($3::integer[])) FROM wishlist_item
		WHERE company_id = $1 AND person_id = $2`, tx.Company, person, products).Scan(&total, &count)
	if err == nil && total > maxWishes {
		err = ErrWishlistFull
	}
	return count, err
}

// Unwish removes a product.
func (tx *Tx) Unwish(ctx context.Context, person shop.UserID, product shop.ProductID) error {
	_, err := tx.q.Exec(ctx, `DELETE FROM wishlist_item WHERE company_id = $1 AND person_id = $2 AND product_id = $3`, tx.Company, person, product)
	return err
}
