package sales

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// codeLetters is the alphabet of personal codes, without characters that look alike.
const codeLetters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

// newCode returns an unguessable code: 50 random bits after a prefix.
func newCode(prefix string) string {
	bits := make([]byte, 10)
	rand.Read(bits) //nolint:errcheck // it never fails
	for i := range bits {
		bits[i] = codeLetters[int(bits[i])%len(codeLetters)]
	}
	return prefix + string(bits)
}

// IssueCodes gives the buyer of an order that is about to be completed for the first time a
// code of each running campaign, with a key.issued event. The caller holds the order.
func IssueCodes(ctx context.Context, tx *store.Tx, o *Order) error {
	rows, err := tx.DB.Query(ctx, `
		SELECT `+promotionColumns+` FROM promotion
		WHERE company_id = $1 AND kind = 'personal_coupon' AND active AND deleted_at IS NULL AND issue->>'on' = 'order_completed'
			AND (starts_at IS NULL OR starts_at <= now()) AND (ends_at IS NULL OR ends_at > now()) AND (issue->>'min_total')::bigint <= $3
			AND NOT (SELECT completed_once FROM shop_order WHERE company_id = $1 AND id = $2)
		ORDER BY id`, tx.Company, o.ID, o.ItemsTotal)
	if err != nil {
		return err
	}
	campaigns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Promotion])
	for _, p := range campaigns {
		if _, err := IssueCode(ctx, tx, p, o.Person, &o.ID); err != nil {
			return err
		}
	}
	return err
}

// IssueCode gives a person a code of a campaign, because of an order or manually. Manually
// only the shop's customers get one; for anybody else, and for people who no longer exist,
// it returns an empty code.
func IssueCode(ctx context.Context, tx *store.Tx, p Promotion, person shop.UserID, order *shop.OrderID) (PersonalCode, error) {
	c, email, err := issueCode(ctx, tx, p, person, order, order != nil)
	if err != nil || c.Code == "" {
		return c, err
	}
	return c, tx.RecordLetters(ctx, store.NewLetter{
		Name: "personal_coupon" + store.ToBuyer, Object: c.Code, Order: order, Person: person, To: email, Facts: store.LetterData{Code: c.Code},
	})
}

// issueCode stores a code with its event, and returns the email of the person. Unless anybody may get
// one, only customers of the shop do.
func issueCode(
	ctx context.Context, tx *store.Tx, p Promotion, person shop.UserID, order *shop.OrderID, anybody bool,
) (c PersonalCode, email string, err error) {
	prefix, days := "", 0
	if p.Issue != nil {
		prefix, days = p.Issue.Prefix, p.Issue.Days
	}
	c = PersonalCode{Promotion: p.ID, Person: person}
	err = tx.DB.QueryRow(ctx, `
		INSERT INTO personal_code (company_id, code, promotion_id, person_id, expires_at, order_id)
		SELECT $1, $2, $3, id, CASE WHEN $5 > 0 THEN now() + make_interval(days => $5) END, $6 FROM person WHERE id = $4
			AND ($7 OR EXISTS (SELECT FROM customer c WHERE c.company_id = $1 AND c.person_id = $4 AND c.erased_at IS NULL)
				OR EXISTS (SELECT FROM shop_order o WHERE o.company_id = $1 AND o.person_id = $4 AND o.customer_id IS NOT NULL))
		ON CONFLICT (company_id, promotion_id, order_id) WHERE order_id IS NOT NULL DO NOTHING
		RETURNING code, expires_at, (SELECT email FROM person WHERE id = $4)`,
		tx.Company, newCode(prefix), p.ID, person, days, order, anybody).Scan(&c.Code, &c.ExpiresAt, &email)
	if store.NoRow(err) {
		return PersonalCode{}, "", nil
	}
	if err != nil {
		return c, "", err
	}
	event := map[string]any{
		"order_id": order, "company_id": tx.Company, "user_id": person, "promotion_id": p.ID, "code": c.Code, "expires_at": nil,
	}
	if c.ExpiresAt != nil {
		event["expires_at"] = c.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return c, email, tx.RecordEvent(ctx, "key.issued", event)
}

// gives reports whether a campaign of personal coupons runs at a moment.
func (p *Promotion) gives(at time.Time) bool {
	return p.Kind == "personal_coupon" && p.Active && (p.StartsAt == nil || !at.Before(*p.StartsAt)) && (p.EndsAt == nil || at.Before(*p.EndsAt))
}

// IssuedCodes returns the codes of a campaign, newest first, and their total.
func IssuedCodes(ctx context.Context, r store.Reader, id shop.PromotionID, limit, offset int) (list []PersonalCode, total int, err error) {
	if err = r.DB.QueryRow(ctx, `SELECT count(*) FROM personal_code WHERE company_id = $1 AND promotion_id = $2`, r.Company, id).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := r.DB.Query(ctx, `
		SELECT code, promotion_id, '', person_id, expires_at, used_order_id FROM personal_code
		WHERE company_id = $1 AND promotion_id = $2 ORDER BY created_at DESC, code LIMIT $3 OFFSET $4`, r.Company, id, limit, offset)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[PersonalCode])
	return list, total, err
}

// maxCoupons is how many codes of one person a shop shows.
const maxCoupons = 100

// PersonalCodesOf returns the codes of a person in the shop that can be used at a moment, those
// that expire first in front.
func PersonalCodesOf(ctx context.Context, r store.Reader, person shop.UserID, at time.Time) ([]PersonalCode, []Promotion, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT c.code, c.promotion_id, p.name, c.person_id, c.expires_at, c.used_order_id
		FROM personal_code c JOIN promotion p ON p.company_id = $1 AND p.id = c.promotion_id AND p.active AND p.deleted_at IS NULL
			AND (p.ends_at IS NULL OR p.ends_at > $3)
		WHERE c.company_id = $1 AND c.person_id = $2 AND c.used_order_id IS NULL AND (c.expires_at IS NULL OR c.expires_at > $3)
		ORDER BY c.expires_at NULLS LAST, c.code LIMIT $4`, r.Company, person, at, maxCoupons)
	if err != nil {
		return nil, nil, err
	}
	codes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[PersonalCode])
	if err != nil || len(codes) == 0 {
		return nil, nil, err
	}
	ids := make([]shop.PromotionID, len(codes))
	for i, c := range codes {
		ids[i] = c.Promotion
	}
	rows, err = r.DB.Query(ctx, `SELECT `+promotionColumns+` FROM promotion WHERE company_id = $1 AND id = ANY($2)`, r.Company, ids)
	if err != nil {
		return nil, nil, err
	}
	campaigns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Promotion])
	return codes, campaigns, err
}
