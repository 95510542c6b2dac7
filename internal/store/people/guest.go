package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/remark"
)

// joinStatements move a guest's data to an account, one statement each. $1 is the guest, $2 the
// account. Data of both is merged: quantities add up to the maximum of a line, and the
// guest's choices win because they are later.
var joinStatements = [...]string{
	`INSERT INTO cart (company_id, person_id, promo_code, typed, reminder_email, agreed, opened_cart)
		SELECT company_id, $2, promo_code, typed, reminder_email, agreed, id FROM cart WHERE person_id = $1
		ON CONFLICT (company_id, person_id) DO UPDATE SET version = cart.version + 1, updated_at = now(), remind_at = '-infinity',
			reminder_email = coalesce(nullif(excluded.reminder_email, ''), cart.reminder_email), opened_cart = excluded.opened_cart,
			agreed = CASE WHEN excluded.reminder_email = '' THEN cart.agreed ELSE excluded.agreed END,
			promo_code = coalesce(nullif(excluded.promo_code, ''), cart.promo_code),
			typed = CASE WHEN excluded.typed = '{}' THEN cart.typed ELSE excluded.typed END`,
	`INSERT INTO cart_line (company_id, person_id, product_id, key, quantity, data)
		SELECT company_id, $2, product_id, key, quantity, data FROM cart_line WHERE person_id = $1 ORDER BY position
		ON CONFLICT (company_id, person_id, product_id, key) DO UPDATE
			SET quantity = least(cart_line.quantity + excluded.quantity, 9999), data = coalesce(excluded.data, cart_line.data)`,
	`INSERT INTO wishlist_item (company_id, person_id, product_id, created_at)
		SELECT company_id, $2, product_id, created_at FROM wishlist_item WHERE person_id = $1 ON CONFLICT DO NOTHING`,
	`UPDATE person_address SET person_id = $2, is_default = false WHERE person_id = $1`,
	`UPDATE redemption d SET person_id = $2 FROM shop_order o WHERE o.person_id = $1 AND d.company_id = o.company_id AND d.order_id = o.id`,
	`UPDATE personal_code SET person_id = $2 WHERE person_id = $1`,
	`UPDATE shop_order SET person_id = $2 WHERE person_id = $1`,
	`UPDATE assist_session SET person_id = $2 WHERE person_id = $1`,
	`UPDATE order_message SET person_id = $2 WHERE person_id = $1`,
	`SELECT customer_named(c.company_id, $1, lower(a.email))
		FROM (SELECT company_id FROM customer WHERE person_id = $1 AND email = '' ORDER BY company_id) c, person a WHERE a.id = $2`,
	`UPDATE customer SET person_id = $2 WHERE person_id = $1`,
	`UPDATE media_file SET person_id = $2 WHERE person_id = $1`,
	`UPDATE letter SET person_id = $2 WHERE person_id = $1`,
	// One vote per person counts, and none for one's own review.
	`WITH moved AS (INSERT INTO remark_vote (company_id, remark_id, person_id, created_at)
			SELECT v.company_id, v.remark_id, $2, v.created_at FROM remark_vote v JOIN remark r ON r.company_id = v.company_id AND r.id = v.remark_id
			WHERE v.person_id = $1 AND r.person_id IS DISTINCT FROM $2 ON CONFLICT DO NOTHING RETURNING company_id, remark_id),
		gone AS (DELETE FROM remark_vote v WHERE v.person_id = $1 OR v.person_id = $2 AND EXISTS (
			SELECT FROM remark r WHERE r.company_id = v.company_id AND r.id = v.remark_id AND r.person_id = $1) RETURNING company_id, remark_id)
		UPDATE remark r SET helpful = helpful - 1 FROM (SELECT * FROM gone EXCEPT SELECT * FROM moved) x WHERE r.company_id = x.company_id AND r.id = x.remark_id`,
	`UPDATE remark SET person_id = $2 WHERE person_id = $1`,
}

// JoinGuest merges a guest into an account and ends the guest, once: it reports false when
// there is no such guest any more. The rows of both people are locked in the order of their
// ids. Where both have reviewed a product, the account's review stays.
func JoinGuest(ctx context.Context, s *store.Store, guest, account shop.UserID) (joined bool, err error) {
	if guest == account {
		return false, nil
	}
	err = WriteShops(ctx, s, func(tx pgx.Tx) (touched []*store.Tx, err error) {
		var both int
		err = tx.QueryRow(ctx, `
			SELECT count(*) FILTER (WHERE id = $1 AND email = '' OR id = $2 AND email <> '')
			FROM (SELECT id, email FROM person WHERE id IN ($1, $2) ORDER BY id FOR UPDATE) AS p`, guest, account).Scan(&both)
		if joined = err == nil && both == 2; !joined {
			return nil, err
		}
		if touched, err = dropDuplicateReviews(ctx, tx, guest, account); err != nil {
			return nil, err
		}
		var b pgx.Batch
		for _, sql := range joinStatements {
			b.Queue(sql, guest, account)
		}
		b.Queue(saveOrderAddress(), account)
		b.Queue(`DELETE FROM person WHERE id = $1`, guest)
		return touched, tx.SendBatch(ctx, &b).Close()
	})
	return joined && err == nil, err
}

// AdoptOrders gives an account with a verified address the orders that guests made with
// that address in a shop, or in all shops where company is 0.
func AdoptOrders(ctx context.Context, s *store.Store, company shop.CompanyID, account shop.UserID) error {
	return pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT o.company_id, o.id FROM person a JOIN customer c ON c.email = lower(a.email) AND ($2 = 0 OR c.company_id = $2)
				JOIN shop_order o ON o.company_id = c.company_id AND o.contact_email <> '' AND email_key(o.contact_email) = email_key(a.email)
			WHERE a.id = $1 AND a.email <> '' AND a.proven_at IS NOT NULL AND lower(btrim(o.contact_email)) = lower(a.email)
				AND o.person_id <> $1 AND NOT EXISTS (SELECT FROM person p WHERE p.id = o.person_id AND p.email <> '')
			ORDER BY o.company_id, o.id FOR NO KEY UPDATE OF o`, account, company)
		if err != nil {
			return err
		}
		var shops []shop.CompanyID
		var orders []shop.OrderID
		var orderShop shop.CompanyID
		var id shop.OrderID
		_, err = pgx.ForEachRow(rows, []any{&orderShop, &id}, func() error { shops, orders = append(shops, orderShop), append(orders, id); return nil })
		if err != nil || len(orders) == 0 {
			return err
		}
		var b pgx.Batch
		for _, sql := range adoptStatements {
			b.Queue(sql, account, shops, orders)
		}
		b.Queue(saveOrderAddress(), account)
		return tx.SendBatch(ctx, &b).Close()
	})
}

// adoptStatements move orders of guests to the account $1: those of the shops $2 with the ids $3.
var adoptStatements = [...]string{
	`UPDATE redemption SET person_id = $1 WHERE (company_id, order_id) IN (SELECT * FROM unnest($2::integer[], $3::bigint[]))`,
	`UPDATE order_message SET person_id = $1 WHERE by_buyer AND (company_id, order_id) IN (SELECT * FROM unnest($2::integer[], $3::bigint[]))`,
	`UPDATE letter SET person_id = $1 WHERE person_id <> 0 AND (company_id, order_id) IN (SELECT * FROM unnest($2::integer[], $3::bigint[]))`,
	`UPDATE customer c SET person_id = $1 FROM person a WHERE a.id = $1 AND c.company_id = ANY($2) AND c.email = lower(a.email)
		AND cardinality($3::bigint[]) > 0 AND NOT EXISTS (SELECT FROM person p WHERE p.id = c.person_id AND p.email <> '')`,
	`UPDATE shop_order SET person_id = $1 WHERE (company_id, id) IN (SELECT * FROM unnest($2::integer[], $3::bigint[]))`,
}

// saveOrderAddress copies the address of an account's latest order in a shop into its address
// book, if that is empty. $1 is the account.
func saveOrderAddress() string {
	field := func(name string) string { return "left(coalesce(o.address ->> '" + name + "', ''), 255)" }
	return `
		INSERT INTO person_address (company_id, person_id, name, phone, country, region, city, street, postcode, comment, is_default)
		SELECT DISTINCT ON (o.company_id) o.company_id, o.person_id, o.contact_name, o.contact_phone, ` + field("country") + `, ` + field("region") + `, ` +
		field("city") + `, ` + field("street") + `, ` + field("postcode") + `, ` + field("comment") + `, true
		FROM shop_order o WHERE o.person_id = $1 AND json_typeof(o.address) = 'object' AND btrim(o.address ->> 'street' || coalesce(o.address ->> 'city', '')) <> ''
			AND NOT EXISTS (SELECT FROM person_address a WHERE a.company_id = o.company_id AND a.person_id = o.person_id)
		ORDER BY o.company_id, o.id DESC`
}

// dropDuplicateReviews deletes a guest's reviews of products that the account has reviewed, and
// returns the shops that this changes.
func dropDuplicateReviews(ctx context.Context, in pgx.Tx, guest, account shop.UserID) (touched []*store.Tx, err error) {
	rows, err := in.Query(ctx, `
		SELECT company_id, `+remark.Columns+` FROM remark g WHERE person_id = $1 AND kind = 'review' AND EXISTS (SELECT FROM remark a
			WHERE a.company_id = g.company_id AND a.product_id = g.product_id AND a.kind = 'review' AND a.person_id = $2) ORDER BY company_id, id FOR UPDATE`,
		guest, account)
	if err != nil {
		return nil, err
	}
	twice, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Company shop.CompanyID
		remark.Remark
	}])
	if err != nil {
		return nil, err
	}
	for _, r := range twice {
		if len(touched) == 0 || touched[len(touched)-1].Company != r.Company {
			touched = append(touched, &store.Tx{Reader: store.Reader{DB: in, Company: r.Company}, PG: in})
		}
		if err := remark.Drop(ctx, touched[len(touched)-1], r.Remark); err != nil {
			return nil, err
		}
	}
	return touched, nil
}

// Profile is a change of what a person says about themselves; nil stays.
type Profile struct {
	Name      *string
	Phone     *string
	Language  *string
	NextEmail *string // empty cancels the change of the address
}

// SaveProfile changes the profile of a person, if basis accepts its present version.
func SaveProfile(ctx context.Context, s *store.Store, id shop.UserID, change Profile, basis func(updatedAt time.Time) error) (p Person, err error) {
	err = pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		p, err = scanPerson(tx.QueryRow(ctx, `SELECT `+personColumns+` FROM person WHERE id = $1 FOR NO KEY UPDATE`, id))
		if store.NoRow(err) {
			return shop.ErrNotFound
		}
		if err == nil {
			err = basis(p.UpdatedAt)
		}
		if err != nil {
			return err
		}
		p, err = scanPerson(tx.QueryRow(ctx, `
			UPDATE person SET name = coalesce($2, name), phone = coalesce($3, phone), language = coalesce($4, language), next_email = coalesce($5, next_email)
			WHERE id = $1 RETURNING `+personColumns, id, change.Name, change.Phone, change.Language, change.NextEmail))
		return err
	})
	return p, err
}

// WriteShops runs work in one transaction that belongs to no shop. work returns what it
// changed in each shop: after the commit their pages are rendered again, and released bytes
// are deleted.
func WriteShops(ctx context.Context, s *store.Store, work func(pgx.Tx) ([]*store.Tx, error)) error {
	var touched []*store.Tx
	var versions []int64
	err := pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) (err error) {
		if touched, err = work(tx); err != nil {
			return err
		}
		versions = make([]int64, len(touched))
		for i, one := range touched {
			if versions[i], err = one.Bump(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, tx := range touched {
		s.Committed(context.WithoutCancel(ctx), tx, versions[i])
	}
	return nil
}
