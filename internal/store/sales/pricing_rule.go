package sales

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of prices by quantity.
var (
	ErrPricingRuleNotFound = shop.Refuse(shop.NotFound, "PRICING_RULE_NOT_FOUND").When("no rule of the shop has this id")
	ErrPricingRuleConflict = shop.Refuse(shop.AlreadyExists, "PRICING_RULE_CONFLICT").When("another active rule names one of the products; the detail has its id")
	ErrPricingRuleLimit    = shop.Refuse(shop.FailedPrecondition, "PRICING_RULE_LIMIT").When("the shop has 1000 rules already")
)

// MaxPricingRules is how many rules a shop may have.
const MaxPricingRules = 1000

// PricingRule is a price by quantity (CONTRACT-COMMERCE, "Quantity pricing").
type PricingRule struct {
	ID         shop.PricingRuleID
	Name       string
	Active     bool
	Version    int64 // incremented by each edit
	Products   []shop.ProductID
	Categories []shop.CategoryID
	Count      string // line, product or rule
	Tiers      []PricingTier
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// PricingTier is the price of a unit from a quantity on.
type PricingTier struct {
	From   int64  `json:"from"`
	Points int64  `json:"points,omitempty"` // discount in basis points
	Price  *int64 `json:"price,omitempty"`  // unit price, instead of a discount
}

const pricingRuleColumns = `id, name, active, version, product_ids, category_ids, count, tiers, created_at, updated_at`

// PricingRules lists the rules of the shop, newest first, and counts them.
func PricingRules(ctx context.Context, r store.Reader, limit, offset int) (list []PricingRule, total int, err error) {
	const living = `FROM pricing_rule WHERE company_id = $1 AND deleted_at IS NULL`
	if err := r.DB.QueryRow(ctx, `SELECT count(*) `+living, r.Company).Scan(&total); err != nil || total <= offset {
		return nil, total, err
	}
	rows, err := r.DB.Query(ctx, `SELECT `+pricingRuleColumns+` `+living+fmt.Sprintf(` ORDER BY id DESC LIMIT %d OFFSET %d`, limit, offset), r.Company)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[PricingRule])
	return list, total, err
}

// GetPricingRule reads one rule of the shop.
func GetPricingRule(ctx context.Context, r store.Reader, id shop.PricingRuleID) (PricingRule, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+pricingRuleColumns+` FROM pricing_rule WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, r.Company, id)
	return collectPricingRule(rows, err)
}

func collectPricingRule(rows pgx.Rows, err error) (p PricingRule, _ error) {
	if err != nil {
		return p, err
	}
	p, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[PricingRule])
	if store.NoRow(err) {
		err = ErrPricingRuleNotFound
	}
	return p, err
}

// SavePricingRule inserts a rule without an id and updates one that has an id. action is
// the event's description of the change. The caller holds LockPricing.
func SavePricingRule(ctx context.Context, tx *store.Tx, p PricingRule, event, action string) (saved PricingRule, err error) {
	if p.Active {
		var other shop.PricingRuleID
		err := tx.DB.QueryRow(ctx, `
			SELECT id FROM pricing_rule WHERE company_id = $1 AND id <> $2 AND deleted_at IS NULL AND active AND product_ids && $3::integer[]
			ORDER BY id LIMIT 1`, tx.Company, p.ID, p.Products).Scan(&other)
		switch {
		case err == nil:
			return p, ErrPricingRuleConflict.With("rule " + other.String())
		case !store.NoRow(err):
			return p, err
		}
	}
	args := []any{tx.Company, p.Name, p.Active, p.Products, p.Categories, p.Count, p.Tiers}
	sql := `INSERT INTO pricing_rule (company_id, name, active, product_ids, category_ids, count, tiers)
		SELECT $1, $2, $3, $4, $5, $6, $7
		WHERE (SELECT count(*) FROM pricing_rule WHERE company_id = $1 AND deleted_at IS NULL) < $8 RETURNING ` + pricingRuleColumns
	if p.ID == 0 {
		args = append(args, MaxPricingRules)
	} else {
		sql = `UPDATE pricing_rule SET name = $2, active = $3, product_ids = $4, category_ids = $5, count = $6, tiers = $7,
			version = version + 1, updated_at = now() WHERE company_id = $1 AND id = $8 AND deleted_at IS NULL RETURNING ` + pricingRuleColumns
		args = append(args, p.ID)
	}
	rows, err := tx.DB.Query(ctx, sql, args...)
	if saved, err = collectPricingRule(rows, err); err != nil {
		return saved, err
	}
	return saved, pricingRuleChanged(ctx, tx, saved, event, action)
}

// DeletePricingRule deletes a rule permanently.
func DeletePricingRule(ctx context.Context, tx *store.Tx, id shop.PricingRuleID) error {
	rows, err := tx.DB.Query(ctx, `
		UPDATE pricing_rule SET deleted_at = now(), active = false WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL
		RETURNING `+pricingRuleColumns, tx.Company, id)
	p, err := collectPricingRule(rows, err)
	if err != nil {
		return err
	}
	return pricingRuleChanged(ctx, tx, p, "pricing_rule.changed", "deleted")
}

func pricingRuleChanged(ctx context.Context, tx *store.Tx, p PricingRule, event, action string) error {
	tx.Changed(shop.Key{Kind: shop.KeyOffers})
	return tx.RecordEvent(ctx, event, map[string]any{
		"company_id": tx.Company, "action": action, "pricing_rule_id": p.ID, "version": shop.Int64(p.Version),
	})
}
