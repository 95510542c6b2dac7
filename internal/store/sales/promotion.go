package sales

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Refusals of promotions.
var (
	ErrPromotionNotFound = shop.Refuse(shop.NotFound, "PROMOTION_NOT_FOUND").When("no promotion of the shop has this id")
	ErrPromoCodeTaken    = shop.Refuse(shop.AlreadyExists, "PROMO_CODE_TAKEN").When("another promotion of the shop has this code")
	ErrPromotionLimit    = shop.Refuse(shop.FailedPrecondition, "PROMOTION_LIMIT").When("the shop has 1000 promotions already")
)

// MaxPromotions is how many promotions a shop may have.
const MaxPromotions = 1000

// Promotion is a price reduction of a shop (CONTRACT-COMMERCE, "Promotions").
type Promotion struct {
	ID         shop.PromotionID
	Name       string
	Kind       string
	Active     bool
	StartsAt   *time.Time // nil: no start
	EndsAt     *time.Time // nil: no end
	Priority   int
	Stacking   string // stack or exclusive
	Code       string // of a coupon, in capitals
	Conditions PromotionConditions
	Value      PromotionValue
	Issue      *PromotionIssue // of a personal coupon
	Total      *int64          // how often it may be used; nil: no limit
	PerBuyer   *int64
	Budget     *int64
	Used       int64
	Spent      int64
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// PromotionConditions restrict a promotion; empty fields don't restrict.
type PromotionConditions struct {
	MinTotal   int64                  `json:"min_total,omitempty"`
	MinUnits   int64                  `json:"min_quantity,omitempty"`
	Categories []shop.CategoryID      `json:"category_ids,omitempty"` // including all categories below them
	Products   []shop.ProductID       `json:"product_ids,omitempty"`
	Exclude    []shop.ProductID       `json:"exclude_product_ids,omitempty"`
	FirstOrder bool                   `json:"first_order,omitempty"`
	Groups     []shop.CustomerGroupID `json:"customer_group_ids,omitempty"` // the buyer must be in one of them
}

// PromotionValue is the benefit of a promotion: a percentage, an amount, or a gift.
type PromotionValue struct {
	Points   int64             `json:"points,omitempty"` // basis points
	Amount   int64             `json:"amount,omitempty"`
	Product  shop.ProductID    `json:"product_id,omitempty"`
	Variant  catalog.VariantID `json:"variant_id,omitempty"`
	Quantity int64             `json:"quantity,omitempty"`
	Per      int64             `json:"per_quantity,omitempty"`
}

// PromotionIssue defines when a campaign gives a buyer a personal code.
type PromotionIssue struct {
	On       string `json:"on"` // trigger: order_completed
	MinTotal int64  `json:"min_total"`
	Days     int    `json:"days"` // validity of the code; 0: unlimited
	Prefix   string `json:"prefix"`
}

const promotionColumns = `id, name, kind, active, starts_at, ends_at, priority, stacking, code, conditions, value, issue,
	limit_total, limit_buyer, limit_budget, used, spent, created_at, updated_at`

// PromotionFilter restricts a list of promotions; zero fields don't restrict.
type PromotionFilter struct {
	Active *bool
	Kind   string
	Query  string // in names and codes
}

// Promotions lists the matching promotions, newest first, and counts them.
func Promotions(ctx context.Context, r store.Reader, f PromotionFilter, limit, offset int) (list []Promotion, total int, err error) {
	where, args := "company_id = $1 AND deleted_at IS NULL", []any{r.Company}
	add := func(condition string, arg any) {
		args = append(args, arg)
		where += " AND " + strings.ReplaceAll(condition, "?", fmt.Sprintf("$%d", len(args)))
	}
	if f.Active != nil {
		add("active = ?", *f.Active)
	}
	if f.Kind != "" {
		add("kind = ?", f.Kind)
	}
	if f.Query != "" {
		add("CASE WHEN company_id = $1 THEN strpos(lower(name), lower(?)) > 0 OR strpos(code, upper(?)) > 0 END", f.Query)
	}
	if err := r.DB.QueryRow(ctx, `SELECT count(*) FROM promotion WHERE `+where, args...).Scan(&total); err != nil || total <= offset {
		return nil, total, err
	}
	rows, err := r.DB.Query(ctx, `SELECT `+promotionColumns+` FROM promotion WHERE `+where+
		fmt.Sprintf(` ORDER BY id DESC LIMIT %d OFFSET %d`, limit, offset), args...)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Promotion])
	return list, total, err
}

// GetPromotion reads one promotion of the shop.
func GetPromotion(ctx context.Context, r store.Reader, id shop.PromotionID) (Promotion, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+promotionColumns+` FROM promotion WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, r.Company, id)
	return collectPromotion(rows, err)
}

// LockPromotion reads and locks a promotion.
func LockPromotion(ctx context.Context, tx *store.Tx, id shop.PromotionID) (Promotion, error) {
	rows, err := tx.DB.Query(ctx, `
		SELECT `+promotionColumns+` FROM promotion WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL FOR UPDATE`, tx.Company, id)
	return collectPromotion(rows, err)
}

func collectPromotion(rows pgx.Rows, err error) (p Promotion, _ error) {
	if err != nil {
		return p, err
	}
	p, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Promotion])
	switch {
	case store.NoRow(err):
		err = ErrPromotionNotFound
	case store.UniqueViolation(err, "promotion_code"):
		err = ErrPromoCodeTaken.At("code").With(p.Code)
	}
	return p, err
}

// SavePromotion inserts a promotion without an id and updates one that has an id. The
// caller holds LockPricing. Pages that show prices are rendered again, and promotion.changed
// is emitted.
func SavePromotion(ctx context.Context, tx *store.Tx, p Promotion) (saved Promotion, err error) {
	var issue any
	if p.Issue != nil {
		if issue, err = json.Marshal(p.Issue); err != nil {
			return p, err
		}
	}
	args := []any{tx.Company, p.Name, p.Kind, p.Active, p.StartsAt, p.EndsAt, p.Priority, p.Stacking, p.Code, p.Conditions, p.Value, issue, p.Total, p.PerBuyer, p.Budget}
	sql := `INSERT INTO promotion (company_id, name, kind, active, starts_at, ends_at, priority, stacking, code, conditions, value, issue,
			limit_total, limit_buyer, limit_budget)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15
		WHERE (SELECT count(*) FROM promotion WHERE company_id = $1 AND deleted_at IS NULL) < $16 RETURNING ` + promotionColumns
	if p.ID == 0 {
		args = append(args, MaxPromotions)
	} else {
		sql = `UPDATE promotion SET name = $2, kind = $3, active = $4, starts_at = $5, ends_at = $6, priority = $7, stacking = $8, code = $9,
			conditions = $10, value = $11, issue = $12, limit_total = $13, limit_buyer = $14, limit_budget = $15, updated_at = now()
			WHERE company_id = $1 AND id = $16 AND deleted_at IS NULL RETURNING ` + promotionColumns
		args = append(args, p.ID)
	}
	rows, err := tx.DB.Query(ctx, sql, args...)
	saved, err = collectPromotion(rows, err)
	if p.ID == 0 && errors.Is(err, ErrPromotionNotFound) {
		err = ErrPromotionLimit
	}
	if err != nil {
		return saved, err
	}
	return saved, promotionChanged(ctx, tx, saved)
}

// DeletePromotion deletes a promotion permanently; orders keep its discounts.
func DeletePromotion(ctx context.Context, tx *store.Tx, id shop.PromotionID) error {
	rows, err := tx.DB.Query(ctx, `
		UPDATE promotion SET deleted_at = now(), active = false WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL
		RETURNING `+promotionColumns, tx.Company, id)
	p, err := collectPromotion(rows, err)
	if err != nil {
		return err
	}
	return promotionChanged(ctx, tx, p)
}

func promotionChanged(ctx context.Context, tx *store.Tx, p Promotion) error {
	tx.Changed(shop.Key{Kind: shop.KeyOffers})
	return tx.RecordEvent(ctx, "promotion.changed", map[string]any{
		"promotion_id": p.ID, "company_id": tx.Company, "kind": p.Kind, "active": p.Active, "name": p.Name,
	})
}
