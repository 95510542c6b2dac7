package sales

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// Refusals of a checkout and of a reopened order whose promotion ran out meanwhile
// (document 2, section 7).
var (
	ErrPromoCodeExhausted  = shop.Refuse(shop.FailedPrecondition, "PROMO_CODE_EXHAUSTED").When("the last use of the code or promotion was taken meanwhile")
	ErrCampaignBudgetSpent = shop.Refuse(shop.FailedPrecondition, "CAMPAIGN_BUDGET_SPENT").When("the promotion has less money left than it would take off")
)

// ErrPromotionEnded is returned when a promotion without a code ended, or was switched off,
// since the cart was priced: the price of the cart has changed.
var ErrPromotionEnded = errors.New("store: a promotion ended meanwhile")

// Redemption is one use of a promotion by an order.
type Redemption struct {
	Promotion shop.PromotionID `json:"promotion_id"`
	Code      string           `json:"code"`
	Amount    int64            `json:"amount"`
}

// movedPromotion is a promotion whose counters have changed.
type movedPromotion struct {
	ID     shop.PromotionID
	Kind   string
	Value  PromotionValue
	Total  *int64
	Budget *int64
	Used   int64 // after the change
	Spent  int64
	By     int64 // change of Used
	Amount int64 // change of Spent
}

// lockPromotions locks promotions in the order of their ids: counts read by a later
// statement stay true until the transaction ends. Transactions that only reference a
// promotion, like the issue of a code, do not wait for it.
const lockPromotions = `SELECT FROM promotion WHERE company_id = $1 AND id = ANY($2) ORDER BY id FOR NO KEY UPDATE`

// buyerOrdersCTE are CTEs of the orders of a buyer (mine): those of the person, of the person's
// verified address, and of the contact given now, as well as those of the account with that
// address. A guest who returns as another guest is the same buyer.
func buyerOrdersCTE(person, email, phone string) string {
	return `
		who AS (
			SELECT array_remove(ARRAY[email_key(` + email + `), (SELECT email_key(email) FROM person WHERE id = ` + person + ` AND proven_at IS NOT NULL)], '') AS emails,
				phone_key(` + phone + `) AS phone,
				ARRAY(SELECT id FROM person WHERE lower(email) = lower(btrim(` + email + `)) AND proven_at IS NOT NULL) || ` + person + `::integer AS people),
		mine AS MATERIALIZED (
			SELECT o.id, o.status FROM who, shop_order o WHERE o.company_id = $1 AND o.person_id = ANY(who.people)
			UNION SELECT o.id, o.status FROM who, shop_order o WHERE o.company_id = $1 AND o.contact_email <> '' AND email_key(o.contact_email) = ANY(who.emails)
			UNION SELECT o.id, o.status FROM who, shop_order o WHERE o.company_id = $1 AND who.phone <> '' AND phone_key(o.contact_phone) = who.phone)`
}

// usedBefore is an expression: how often a buyer has used promotion p.
const usedBefore = `(SELECT count(*) FROM mine JOIN redemption d ON d.company_id = $1 AND d.order_id = mine.id AND d.promotion_id = p.id AND NOT d.given_back)`

// redeemSQL counts uses within the limits. $5: inactive promotions count too. The promotions
// are locked, so of two concurrent first orders only one is the first.
var redeemSQL = `
	WITH placed AS (SELECT contact_email, contact_phone FROM shop_order WHERE company_id = $1 AND id = $3),` +
	buyerOrdersCTE("$4", "(SELECT contact_email FROM placed)", "(SELECT contact_phone FROM placed)") + `,
	asked AS (SELECT * FROM json_to_recordset($2::json) AS (promotion_id bigint, code text, amount bigint)),
	taken AS (
		UPDATE promotion p SET used = p.used + 1, spent = p.spent + a.amount FROM asked a
		WHERE p.company_id = $1 AND p.id = a.promotion_id AND ($5 OR p.active AND p.deleted_at IS NULL)
			AND (p.limit_total IS NULL OR p.used < p.limit_total)
			AND (p.limit_budget IS NULL OR p.spent + a.amount <= p.limit_budget)
			AND (p.limit_buyer IS NULL OR p.limit_buyer > ` + usedBefore + `)
			AND ($5 OR p.conditions->>'first_order' IS DISTINCT FROM 'true' OR NOT EXISTS (SELECT FROM mine WHERE id <> $3 AND status <> 'cancelled'))
		RETURNING p.id, p.kind, p.value, p.limit_total, p.limit_budget, p.used, p.spent, 1::bigint AS step, a.amount, a.code),
	noted AS (
		INSERT INTO redemption (company_id, order_id, promotion_id, person_id, code, amount)
		SELECT $1, $3, id, $4, code, amount FROM taken
		ON CONFLICT (company_id, order_id, promotion_id) DO UPDATE SET given_back = false)
	SELECT id, kind, value, limit_total, limit_budget, used, spent, step, amount FROM taken`

// Redeem counts an order's uses of promotions, each within its limits, and uses up a
// personal code. It comes late in the transaction, between PlaceOrder and MoveStock,
// because all buyers with the same coupon wait for its row. It returns
// ErrPromoCodeExhausted, ErrCampaignBudgetSpent or ErrPromotionEnded.
func Redeem(ctx context.Context, tx *store.Tx, order shop.OrderID, person shop.UserID, list []Redemption) error {
	return redeem(ctx, tx, order, person, list, false)
}

// RedeemAgain restores the uses that a cancelled order gave back, also of promotions that
// have ended: the order was agreed with them.
func RedeemAgain(ctx context.Context, tx *store.Tx, order shop.OrderID, person shop.UserID) error {
	rows, err := tx.DB.Query(ctx, `
		SELECT promotion_id, code, amount FROM redemption WHERE company_id = $1 AND order_id = $2 AND given_back ORDER BY promotion_id`, tx.Company, order)
	if err != nil {
		return err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Redemption])
	if err != nil {
		return err
	}
	return redeem(ctx, tx, order, person, list, true)
}

func redeem(ctx context.Context, tx *store.Tx, order shop.OrderID, person shop.UserID, list []Redemption, again bool) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]shop.PromotionID, len(list))
	var codes []string
	for i, r := range list {
		if ids[i] = r.Promotion; r.Code != "" {
			codes = append(codes, r.Code)
		}
	}
	uses, err := json.Marshal(list)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(lockPromotions, tx.Company, ids)
	var moved []movedPromotion
	b.Queue(redeemSQL, tx.Company, uses, order, person, again).Query(func(rows pgx.Rows) (err error) {
		moved, err = pgx.CollectRows(rows, pgx.RowToStructByPos[movedPromotion])
		return err
	})
	codeTaken := false
	b.Queue(`
		WITH used AS (UPDATE personal_code SET used_order_id = $3 WHERE company_id = $1 AND code = ANY($2) AND used_order_id IS NULL RETURNING code)
		SELECT EXISTS (SELECT FROM personal_code c WHERE c.company_id = $1 AND c.code = ANY($2) AND c.promotion_id = ANY($4)
			AND c.used_order_id IS NOT NULL AND c.used_order_id <> $3)`, tx.Company, codes, order, ids).
		QueryRow(func(row pgx.Row) error { return row.Scan(&codeTaken) })
	if err := tx.DB.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	if codeTaken {
		return ErrPromoCodeExhausted
	}
	for _, r := range list {
		if !slices.ContainsFunc(moved, func(m movedPromotion) bool { return m.ID == r.Promotion }) {
			return refusedUse(ctx, tx, r, again)
		}
	}
	return recordRepricing(ctx, tx, moved)
}

// refusedUse returns the reason why a use was not counted. The promotion is locked.
func refusedUse(ctx context.Context, tx *store.Tx, r Redemption, again bool) error {
	var on, budget bool
	err := tx.DB.QueryRow(ctx, `
		SELECT active AND deleted_at IS NULL, coalesce(spent + $3 > limit_budget, false) AND (limit_total IS NULL OR used < limit_total)
		FROM promotion WHERE company_id = $1 AND id = $2`, tx.Company, r.Promotion, r.Amount).Scan(&on, &budget)
	switch {
	case store.NoRow(err), err == nil && !again && (!on || r.Code == ""):
		return ErrPromotionEnded
	case err != nil:
		return err
	case budget:
		return ErrCampaignBudgetSpent
	}
	return ErrPromoCodeExhausted
}

// ReturnRedemptions returns a cancelled order's uses of promotions.
func ReturnRedemptions(ctx context.Context, tx *store.Tx, order shop.OrderID) error {
	b := &pgx.Batch{}
	b.Queue(`
		SELECT FROM promotion p JOIN redemption d ON d.company_id = $1 AND d.order_id = $2 AND d.promotion_id = p.id
		WHERE p.company_id = $1 ORDER BY p.id FOR NO KEY UPDATE OF p`, tx.Company, order)
	b.Queue(`UPDATE personal_code SET used_order_id = NULL WHERE company_id = $1 AND used_order_id = $2`, tx.Company, order)
	var moved []movedPromotion
	b.Queue(`
		WITH back AS (
			UPDATE redemption SET given_back = true WHERE company_id = $1 AND order_id = $2 AND NOT given_back RETURNING promotion_id, amount)
		UPDATE promotion p SET used = p.used - 1, spent = p.spent - back.amount FROM back WHERE p.company_id = $1 AND p.id = back.promotion_id
		RETURNING p.id, p.kind, p.value, p.limit_total, p.limit_budget, p.used, p.spent, -1::bigint, -back.amount`, tx.Company, order).
		Query(func(rows pgx.Rows) (err error) {
			moved, err = pgx.CollectRows(rows, pgx.RowToStructByPos[movedPromotion])
			return err
		})
	if err := tx.DB.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return recordRepricing(ctx, tx, moved)
}

// recordRepricing causes pages to be rendered again when a discount became unavailable, or
// available again, for some product: a limit was reached, or the budget no longer covers
// one unit of it.
func recordRepricing(ctx context.Context, tx *store.Tx, moved []movedPromotion) error {
	for _, m := range moved {
		if m.Kind != "discount" {
			continue
		}
		if m.Total != nil && max(m.Used, m.Used-m.By) == *m.Total {
			tx.Changed(shop.Key{Kind: shop.KeyOffers})
		}
		if m.Budget == nil {
			continue
		}
		budgetLeft := *m.Budget - max(m.Spent, m.Spent-m.Amount) // the smaller budget, before or after the change
		minPrice := budgetLeft + 1                               // from this price on the discount may exceed the budget
		switch {
		case m.Value.Points > 0:
			minPrice = max(budgetLeft*10_000/m.Value.Points-10_000/m.Value.Points, 0)
		case m.Value.Amount <= budgetLeft:
			continue
		}
		var affected bool
		err := tx.DB.QueryRow(ctx, `
			SELECT EXISTS (SELECT FROM product WHERE company_id = $1 AND price >= $2 AND deleted_at IS NULL AND is_published)
				OR EXISTS (SELECT FROM variant_set WHERE company_id = $1 AND price >= $2 AND is_active)`, tx.Company, minPrice).Scan(&affected)
		if err != nil {
			return err
		}
		if affected {
			tx.Changed(shop.Key{Kind: shop.KeyOffers})
		}
	}
	return nil
}

// PersonalCode is one buyer's personal code of a campaign.
type PersonalCode struct {
	Code      string
	Promotion shop.PromotionID
	Name      string // of the campaign
	Person    shop.UserID
	ExpiresAt *time.Time    // nil: never
	UsedOrder *shop.OrderID // nil: not used
}

// OfferQuery requests the facts, besides the goods, on which the price of a cart depends.
type OfferQuery struct {
	Person     shop.UserID        // 0: a visitor
	Contact    Contact            // given by the buyer; empty: none yet
	Promotions []shop.PromotionID // whose usage is requested
	Buyer      bool               // requests whether the buyer has ordered before
	Groups     bool               // requests the groups of the person
	Code       string             // a possible personal code; empty: none
}

// OfferFacts are the requested facts.
type OfferFacts struct {
	Usage   map[shop.PromotionID]PromotionUsage
	Ordered bool
	Groups  []shop.CustomerGroupID
	Code    *PersonalCode // nil: no buyer has it
}

// PromotionUsage is how much of a promotion is used up.
type PromotionUsage struct {
	ID              shop.PromotionID
	Used, Spent, By int64 // By: uses by the buyer
}

// offerFacts is a query of the facts about one buyer and code, given as expressions.
func offerFacts(person, promotions, buyer, code, groups, email, phone string) string {
	return `
		WITH ` + buyerOrdersCTE(person, email, phone) + `
		SELECT coalesce((SELECT json_agg(json_build_object('ID', p.id::text, 'Used', p.used, 'Spent', p.spent, 'By',
				CASE WHEN p.limit_buyer IS NULL THEN 0 ELSE ` + usedBefore + ` END))
				FROM promotion p WHERE p.company_id = $1 AND p.id = ANY(` + promotions + `)), '[]'),
			` + buyer + ` AND EXISTS (SELECT FROM mine WHERE status <> 'cancelled'),
			CASE WHEN ` + groups + ` THEN ` + people.GroupsOfPerson(person) + ` END, c.code, c.promotion_id, c.person_id, c.expires_at, c.used_order_id
		FROM (SELECT) AS one LEFT JOIN personal_code c ON c.company_id = $1 AND c.code = ` + code
}

// GetOfferFacts reads the facts for the prices of carts in one statement, in the order of the
// queries. That of a single cart, which every checkout sends, has plain parameters.
func GetOfferFacts(ctx context.Context, r store.Reader, asks []OfferQuery) (list []OfferFacts, err error) {
	var rows pgx.Rows
	switch len(asks) {
	case 0:
		return nil, nil
	case 1:
		ask := asks[0]
		rows, err = r.DB.Query(ctx, offerFacts("$2", "$3", "$4", "$5", "$6", "$7::text", "$8::text"),
			r.Company, ask.Person, ask.Promotions, ask.Buyer, ask.Code, ask.Groups, ask.Contact.Email, ask.Contact.Phone)
	default:
		text, wrong := json.Marshal(asks)
		if wrong != nil {
			return nil, wrong
		}
		rows, err = r.DB.Query(ctx, `
			SELECT f.* FROM json_array_elements($2::json) WITH ORDINALITY AS e(ask, n)
			CROSS JOIN LATERAL json_to_record(e.ask) AS a("Person" integer, "Promotions" bigint[], "Buyer" boolean, "Code" text, "Groups" boolean, "Contact" json)
			CROSS JOIN LATERAL (`+offerFacts(`a."Person"`, `a."Promotions"`, `a."Buyer"`, `a."Code"`, `a."Groups"`,
			`(a."Contact" ->> 'email')`, `(a."Contact" ->> 'phone')`)+`) f ORDER BY e.n`, r.Company, text)
	}
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanOfferFacts)
}

func scanOfferFacts(row pgx.CollectableRow) (f OfferFacts, err error) {
	var usage []PromotionUsage
	var code *string
	var c PersonalCode
	var promotion *shop.PromotionID
	var person *shop.UserID
	err = row.Scan(&usage, &f.Ordered, &f.Groups, &code, &promotion, &person, &c.ExpiresAt, &c.UsedOrder)
	f.Usage = make(map[shop.PromotionID]PromotionUsage, len(usage))
	for _, u := range usage {
		f.Usage[u.ID] = u
	}
	if code != nil {
		c.Code, c.Promotion, c.Person = *code, *promotion, *person
		f.Code = &c
	}
	return f, err
}
