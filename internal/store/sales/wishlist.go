package sales

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// ErrWishlistFull refuses a product beyond the limit.
var ErrWishlistFull = shop.Refuse(shop.FailedPrecondition, "WISHLIST_FULL").When("the wishlist has 500 products already")

// maxWishes is how many products the wishlist of a person in a shop may have.
const maxWishes = 500

// Wishlist lists the products on a person's wishlist, newest first. Products that are
// deleted, unpublished or hidden from the reader are left out.
func Wishlist(ctx context.Context, r store.Reader, person shop.UserID) ([]shop.ProductID, error) {
	s := &store.Statement{Args: []any{r.Company, person}}
	s.Add(`
		SELECT w.product_id FROM wishlist_item w
		JOIN product p ON p.company_id = $1 AND p.id = w.product_id AND p.deleted_at IS NULL AND p.is_published
		WHERE w.company_id = $1 AND w.person_id = $2`)
	catalog.HideProducts(r, s)
	s.Add(` ORDER BY w.created_at DESC, w.product_id DESC`)
	rows, err := r.DB.Query(ctx, s.String(), s.Args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.ProductID])
}

// AddToWishlist adds products to the wishlist, if they are published in the shop; those already on
// it keep their place. It returns how many of them the shop has.
func AddToWishlist(ctx context.Context, tx *store.Tx, person shop.UserID, products []shop.ProductID) (count int, err error) {
	if _, err := tx.DB.Exec(ctx, `SELECT FROM person WHERE id = $1 FOR NO KEY UPDATE`, person); err != nil {
		return 0, err
	}
	s := &store.Statement{Args: []any{tx.Company, person, products}}
	s.Add(`
		INSERT INTO wishlist_item (company_id, person_id, product_id)
		SELECT $1, $2, p.id FROM product p WHERE p.company_id = $1 AND p.id = ANY($3::integer[]) AND p.deleted_at IS NULL AND p.is_published`)
	catalog.HideProducts(tx.Reader, s)
	s.Add(` ON CONFLICT DO NOTHING`)
	if _, err := tx.DB.Exec(ctx, s.String(), s.Args...); err != nil {
		return 0, err
	}
	var total int
	err = tx.DB.QueryRow(ctx, `
		SELECT count(*), count(*) FILTER (WHERE product_id = ANY($3::integer[])) FROM wishlist_item
		WHERE company_id = $1 AND person_id = $2`, tx.Company, person, products).Scan(&total, &count)
	if err == nil && total > maxWishes {
		err = ErrWishlistFull
	}
	return count, err
}

// RemoveFromWishlist removes a product.
func RemoveFromWishlist(ctx context.Context, tx *store.Tx, person shop.UserID, product shop.ProductID) error {
	_, err := tx.DB.Exec(ctx, `DELETE FROM wishlist_item WHERE company_id = $1 AND person_id = $2 AND product_id = $3`, tx.Company, person, product)
	return err
}
