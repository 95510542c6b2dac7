package sales

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Bounds of carts.
const (
	MaxLineQuantity = 9999 // document 2, section 8
	maxCartLines    = 300
)

// ErrCartFull is returned when a cart would have more than 300 different lines.
var ErrCartFull = shop.Refuse(shop.FailedPrecondition, "CART_FULL").When("the cart has 300 lines already")

// Cart is the cart of a buyer in a shop.
type Cart struct {
	PromoCode string
	Contact   Contact // of a checkout whose total was higher than shown, without the name
	Version   int64
	Lines     []CartLine // in the order in which they were added
}

// CartLine is one product in a cart with one choice of its options.
type CartLine struct {
	Product  shop.ProductID
	Key      string
	Quantity int64
	Data     json.RawMessage // as it was sent; nil: nothing was sent
	Agreed   *int64          // unit price agreed with the buyer of a manual order; nil: that of the shop
}

// GetCart reads the cart of a buyer; one that was never filled is empty. Lines of products
// deleted meanwhile are left out (document 2, 4.1.7).
func GetCart(ctx context.Context, r store.Reader, person shop.UserID) (c Cart, err error) {
	rows, err := r.DB.Query(ctx, `
		SELECT c.promo_code, c.contact_email, c.contact_phone, c.version, l.product_id, l.key, l.quantity, l.data
		FROM cart c LEFT JOIN (cart_line l JOIN product p ON p.company_id = l.company_id AND p.id = l.product_id AND p.deleted_at IS NULL)
			ON l.company_id = c.company_id AND l.person_id = c.person_id
		WHERE c.company_id = $1 AND c.person_id = $2 ORDER BY l.position`, r.Company, person)
	if err != nil {
		return c, err
	}
	var product *shop.ProductID
	var key *string
	var quantity *int64
	var data []byte
	_, err = pgx.ForEachRow(rows, []any{&c.PromoCode, &c.Contact.Email, &c.Contact.Phone, &c.Version, &product, &key, &quantity, &data}, func() error {
		if product != nil {
			c.Lines = append(c.Lines, CartLine{Product: *product, Key: *key, Quantity: *quantity, Data: data})
			data = nil
		}
		return nil
	})
	return c, err
}

// LockCart locks a buyer's cart for update: concurrent changes wait until the transaction
// ends. It is the first lock of every transaction that touches a cart.
func LockCart(ctx context.Context, tx *store.Tx, person shop.UserID) error {
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO cart AS c (company_id, person_id) VALUES ($1, $2)
		ON CONFLICT (company_id, person_id) DO UPDATE SET version = c.version + 1, updated_at = now(), remind_at = '-infinity'`, tx.Company, person)
	return err
}

// lineVariant returns an expression: the variant that a cart line names by its data or, if that names
// none, by its key (see price.KeyVariant).
func lineVariant(data, key string) string {
	return `CASE WHEN coalesce(` + data + ` ->> 'variant_id', '') <> '' THEN named_variant(` + data + `)
		WHEN ` + key + ` ~ '^v[1-9][0-9]{0,17}$' THEN substr(` + key + `, 2)::bigint END`
}

// variantNamed returns an expression: a cart line of product p of the shop $1 names a variant that
// can be bought, or need not name one.
func variantNamed(data, key string) string {
	return `(p.stock_by = 'product' OR EXISTS (
		SELECT FROM variant_set v WHERE v.company_id = $1 AND v.product_id = p.id AND v.is_active AND v.id = ` + lineVariant(data, key) + `))`
}

// AddToCart adds to the line of a product or creates it, keeps the latest data, and returns
// how many lines it wrote. The caller holds LockCart. Products that do not exist, and lines
// that would have to name a variant, are skipped.
func AddToCart(ctx context.Context, tx *store.Tx, person shop.UserID, lines ...CartLine) (written int64, err error) {
	b := &pgx.Batch{}
	for _, l := range lines {
		b.Queue(`
			INSERT INTO cart_line AS l (company_id, person_id, product_id, key, quantity, data)
			SELECT $1, $2, p.id, $4, least($5::bigint, $7), $6 FROM product p
			LEFT JOIN cart_line o ON o.company_id = $1 AND o.person_id = $2 AND o.product_id = $3 AND o.key = $4
			WHERE p.company_id = $1 AND p.id = $3 AND p.deleted_at IS NULL AND p.is_published AND `+variantNamed("coalesce($6::json, o.data)", "$4::text")+`
			ON CONFLICT (company_id, person_id, product_id, key) DO UPDATE
				SET quantity = least(l.quantity + excluded.quantity, $7), data = coalesce(excluded.data, l.data)`,
			tx.Company, person, l.Product, l.Key, l.Quantity, nullJSON(l.Data), MaxLineQuantity).Exec(func(tag pgconn.CommandTag) error {
			written += tag.RowsAffected()
			return nil
		})
	}
	if err := tx.DB.SendBatch(ctx, b).Close(); err != nil {
		return written, err
	}
	var n int
	err = tx.DB.QueryRow(ctx, `SELECT count(*) FROM cart_line WHERE company_id = $1 AND person_id = $2`, tx.Company, person).Scan(&n)
	if err == nil && n > maxCartLines {
		err = ErrCartFull
	}
	return written, err
}

// CartContent is what a cart holds.
type CartContent struct {
	Lines    []CartLine // each product and key once, without data
	Code     string     // of a promotion; empty: none
	Reminder string     // the address of a buyer who agreed to a reminder; empty: none
}

// ReplaceCart makes this the content of a buyer's cart, which it locks like LockCart. Lines are skipped as
// by AddToCart. The caller keeps others from changing the cart meanwhile.
func ReplaceCart(ctx context.Context, tx *store.Tx, person shop.UserID, c CartContent) error {
	products, keys, quantities := make([]shop.ProductID, len(c.Lines)), make([]string, len(c.Lines)), make([]int64, len(c.Lines))
	for i, l := range c.Lines {
		products[i], keys[i], quantities[i] = l.Product, l.Key, l.Quantity
	}
	_, err := tx.DB.Exec(ctx, `
		WITH head AS (
			INSERT INTO cart AS c (company_id, person_id, promo_code, reminder_email, agreed) VALUES ($1, $2, $7, $8, $8 <> '')
			ON CONFLICT (company_id, person_id) DO UPDATE SET version = c.version + 1, updated_at = now(), remind_at = '-infinity',
				promo_code = excluded.promo_code, contact_email = '', contact_phone = '', typed = '{}', reminder_email = excluded.reminder_email, agreed = excluded.agreed
			RETURNING 1),
		wanted AS (
			SELECT w.* FROM unnest($3::integer[], $4::text[], $5::bigint[]) WITH ORDINALITY w(product, key, quantity, n)
			JOIN product p ON p.company_id = $1 AND p.id = w.product AND p.deleted_at IS NULL AND p.is_published AND `+variantNamed("NULL::json", "w.key")+`),
		gone AS (
			DELETE FROM cart_line l WHERE company_id = $1 AND person_id = $2 AND NOT EXISTS (SELECT FROM wanted w WHERE w.product = l.product_id AND w.key = l.key))
		INSERT INTO cart_line (company_id, person_id, product_id, key, quantity)
		SELECT $1, $2, w.product, w.key, least(w.quantity, $6) FROM wanted w, head ORDER BY w.n
		ON CONFLICT (company_id, person_id, product_id, key) DO UPDATE SET quantity = excluded.quantity, data = NULL, position = DEFAULT`,
		tx.Company, person, products, keys, quantities, MaxLineQuantity, c.Code, c.Reminder)
	return err
}

// SetCartQuantity sets the quantity of a line. It reports whether the line exists, and whether it
// names a variant or need not name one.
func SetCartQuantity(ctx context.Context, tx *store.Tx, person shop.UserID, product shop.ProductID, key string, quantity int64) (found, named bool, err error) {
	err = tx.DB.QueryRow(ctx, `
		UPDATE cart_line l SET quantity = least($5::bigint, $6) FROM product p
		WHERE l.company_id = $1 AND l.person_id = $2 AND l.product_id = $3 AND l.key = $4 AND p.company_id = $1 AND p.id = $3
		RETURNING `+variantNamed("l.data", "l.key"),
		tx.Company, person, product, key, quantity, MaxLineQuantity).Scan(&named)
	if store.NoRow(err) {
		return false, false, nil
	}
	return err == nil, named, err
}

// RemoveFromCart removes a line, if it exists.
func RemoveFromCart(ctx context.Context, tx *store.Tx, person shop.UserID, product shop.ProductID, key string) error {
	_, err := tx.DB.Exec(ctx, `
		DELETE FROM cart_line WHERE company_id = $1 AND person_id = $2 AND product_id = $3 AND key = $4`, tx.Company, person, product, key)
	return err
}

// CheckoutInput returns what a buyer has entered at the checkout of their cart, {} for
// nothing.
func CheckoutInput(ctx context.Context, r store.Reader, person shop.UserID) (typed json.RawMessage, err error) {
	err = r.DB.QueryRow(ctx, `SELECT typed FROM cart WHERE company_id = $1 AND person_id = $2`, r.Company, person).Scan(&typed)
	if store.NoRow(err) {
		return json.RawMessage("{}"), nil
	}
	return typed, err
}

// SaveCheckoutInput stores what a buyer has entered at the checkout. It does nothing for an empty
// cart: a call in flight while the order was made would restore the data.
func SaveCheckoutInput(ctx context.Context, tx *store.Tx, person shop.UserID, typed json.RawMessage) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE cart SET typed = $3 WHERE company_id = $1 AND person_id = $2
			AND EXISTS (SELECT FROM cart_line l WHERE l.company_id = $1 AND l.person_id = $2)`, tx.Company, person, typed)
	return err
}

// EmptyCart removes all lines, the code, the contact, the address for reminders and the checkout input.
func EmptyCart(ctx context.Context, tx *store.Tx, person shop.UserID) error {
	_, err := tx.DB.Exec(ctx, `
		WITH emptied AS (DELETE FROM cart_line WHERE company_id = $1 AND person_id = $2)
		UPDATE cart SET promo_code = '', contact_email = '', contact_phone = '', typed = '{}', reminder_email = '', agreed = false WHERE company_id = $1 AND person_id = $2`, tx.Company, person)
	return err
}

// SetCartContact stores the contact whose prices the cart shows from now on. The caller holds
// LockCart.
func SetCartContact(ctx context.Context, tx *store.Tx, person shop.UserID, contact Contact) error {
	_, err := tx.DB.Exec(ctx, `UPDATE cart SET contact_email = $3, contact_phone = $4 WHERE company_id = $1 AND person_id = $2`,
		tx.Company, person, contact.Email, contact.Phone)
	return err
}

// SetReminderAddress stores the address that was entered at the checkout of a buyer's cart, and whether
// its owner agreed to a reminder. It does nothing without a cart.
func SetReminderAddress(ctx context.Context, tx *store.Tx, person shop.UserID, email string, agreed bool) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE cart SET reminder_email = $3, agreed = $4, remind_at = '-infinity', updated_at = now()
		WHERE company_id = $1 AND person_id = $2 AND (reminder_email <> $3 OR agreed <> $4)`, tx.Company, person, email, agreed)
	return err
}

// SetPromoCode stores the promo code of a cart; an empty code removes it.
func SetPromoCode(ctx context.Context, tx *store.Tx, person shop.UserID, code string) error {
	_, err := tx.DB.Exec(ctx, `UPDATE cart SET promo_code = $3 WHERE company_id = $1 AND person_id = $2`, tx.Company, person, code)
	return err
}

// RecordMerge records the id of a merge and reports whether it is new.
func RecordMerge(ctx context.Context, tx *store.Tx, person shop.UserID, id string) (bool, error) {
	tag, err := tx.DB.Exec(ctx, `
		INSERT INTO cart_merge (company_id, person_id, merge_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, tx.Company, person, id)
	return tag.RowsAffected() > 0, err
}

// SweepCarts deletes carts not touched since a moment, across shops.
func SweepCarts(ctx context.Context, s *store.Store, before time.Time) error {
	return s.SweepBatches(ctx, `
		DELETE FROM cart WHERE ctid = ANY(ARRAY(SELECT ctid FROM cart WHERE updated_at <= $1 LIMIT $2)) AND updated_at <= $1`, before)
}

// nullJSON returns NULL for JSON that was not sent.
func nullJSON(data json.RawMessage) any {
	if len(data) == 0 || string(data) == "null" {
		return nil
	}
	return string(data)
}

// CheckoutSettings holds the settings of the shop that a checkout needs.
type CheckoutSettings struct {
	Open     bool // neither closed by a PIN nor blocked by the operator
	Currency string
	Tax      *shop.Taxes
}

// GetCheckoutSettings reads whether and in which currency the shop sells.
func GetCheckoutSettings(ctx context.Context, r store.Reader) (t CheckoutSettings, err error) {
	err = r.DB.QueryRow(ctx, `SELECT NOT closed AND NOT blocked, currency, settings -> 'tax' FROM company WHERE id = $1 AND deleted_at IS NULL`, r.Company).Scan(&t.Open, &t.Currency, &t.Tax)
	if store.NoRow(err) {
		return CheckoutSettings{}, nil
	}
	return t, err
}

// OutOfStockInCart returns the products of a buyer's cart whose stock is less than the cart asks
// for at this moment, so that a checkout bound to fail need not begin.
func OutOfStockInCart(ctx context.Context, r store.Reader, person shop.UserID) ([]shop.ProductID, error) {
	s := &store.Statement{Args: []any{r.Company, person}}
	s.Add(`
		SELECT DISTINCT p.id FROM cart_line l JOIN product p ON p.company_id = $1 AND p.id = l.product_id AND p.deleted_at IS NULL
		LEFT JOIN variant_set v ON v.company_id = $1 AND v.product_id = p.id AND p.stock_by = 'variant'
			AND v.id = ` + lineVariant("l.data", "l.key") + `
		WHERE l.company_id = $1 AND l.person_id = $2 AND p.combo_items = '[]'`)
	catalog.HideProducts(r, s)
	s.Add(` GROUP BY p.company_id, p.id, v.company_id, v.id
		HAVING sum(l.quantity) > CASE WHEN p.stock_by = 'variant' THEN v.stock_quantity ELSE p.stock_quantity END ORDER BY p.id`)
	rows, err := r.DB.Query(ctx, s.String(), s.Args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.ProductID])
}
