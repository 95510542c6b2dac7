package store

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Refusals of redirect rules (document 3, section 7).
var (
	ErrRuleNotFound  = shop.Refuse(shop.NotFound, "REDIRECT_NOT_FOUND").When("no redirect rule of the shop has this id")
	ErrRuleDuplicate = shop.Refuse(shop.AlreadyExists, "REDIRECT_DUPLICATE").When("another rule has the same source and condition")
)

// Rule is the row of a redirect rule (document 3, 2.6).
type Rule struct {
	ID           shop.RuleID
	Kind         string
	From         string
	DupKey       string // equal for rules that may not stand in one set; a hash, since keys are long and hold any bytes
	To           string
	External     bool
	Code         int
	Enabled      bool
	OverrideLive bool
	DropQuery    bool
	QueryMatch   string
	SortOrder    int
	Note         string
	Hits         int64
	LastHitAt    *time.Time
}

// Rules lists the shop's rules in their order.
func (r Reader) Rules(ctx context.Context) ([]Rule, error) {
	rows, err := r.q.Query(ctx, `
		SELECT id, kind, from_path, dup_key, to_target, external, code, enabled, override_live, drop_query, query_match, sort_order, note, hits, last_hit_at
		FROM redirect_rule WHERE company_id = $1 ORDER BY sort_order, id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Rule])
}

// rulesChanged bumps the version of the set in the same transaction
// (document 3, section 3), once however much is written.
func (tx *Tx) rulesChanged(ctx context.Context) error {
	key := shop.Key{Kind: shop.KeyRules}
	if slices.Contains(tx.changes, key) {
		return nil
	}
	tx.Changed(key)
	_, err := tx.q.Exec(ctx, `UPDATE company SET rules_version = rules_version + 1 WHERE id = $1`, tx.Company)
	return err
}

// InsertRules adds rules behind all others and fills in their ids and order.
func (tx *Tx) InsertRules(ctx context.Context, rules []*Rule) error {
	var last int
	err := tx.q.QueryRow(ctx, `SELECT coalesce(max(sort_order), 0) FROM redirect_rule WHERE company_id = $1`, tx.Company).Scan(&last)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	for i, r := range rules {
		r.SortOrder = last + 1 + i
		b.Queue(`
			INSERT INTO redirect_rule (company_id, kind, from_path, dup_key, to_target, external, code, enabled, override_live, drop_query,
				query_match, note, sort_order) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id`,
			tx.Company, r.Kind, r.From, r.DupKey, r.To, r.External, r.Code, r.Enabled, r.OverrideLive, r.DropQuery, r.QueryMatch, r.Note, r.SortOrder).
			QueryRow(func(row pgx.Row) error { return duplicate(row.Scan(&r.ID), r.From) })
	}
	if err := tx.q.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return tx.rulesChanged(ctx)
}

// UpdateRules writes rules whole, their place in the order apart.
func (tx *Tx) UpdateRules(ctx context.Context, rules []Rule) error {
	b := &pgx.Batch{}
	for _, r := range rules {
		b.Queue(`
			UPDATE redirect_rule SET kind = $3, from_path = $4, dup_key = $5, to_target = $6, external = $7, code = $8, enabled = $9,
				override_live = $10, drop_query = $11, query_match = $12, note = $13, updated_at = now()
			WHERE company_id = $1 AND id = $2 RETURNING id`,
			tx.Company, r.ID, r.Kind, r.From, r.DupKey, r.To, r.External, r.Code, r.Enabled, r.OverrideLive, r.DropQuery, r.QueryMatch, r.Note).
			QueryRow(func(row pgx.Row) error { return duplicate(row.Scan(&r.ID), r.From) })
	}
	if err := tx.q.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return tx.rulesChanged(ctx)
}

// duplicate names what the database says of the row of a rule.
func duplicate(err error, from string) error {
	switch {
	case uniqueViolation(err, "redirect_rule_key"):
		return ErrRuleDuplicate.With(from)
	case noRow(err):
		return ErrRuleNotFound
	}
	return err
}

// DeleteRules removes rules; all must be the shop's.
func (tx *Tx) DeleteRules(ctx context.Context, ids []shop.RuleID) error {
	tag, err := tx.q.Exec(ctx, `DELETE FROM redirect_rule WHERE company_id = $1 AND id = ANY($2)`, tx.Company, ids)
	if err != nil {
		return err
	}
	if int(tag.RowsAffected()) != len(ids) {
		return ErrRuleNotFound
	}
	return tx.rulesChanged(ctx)
}

// OrderRules puts the rules in the order given.
func (tx *Tx) OrderRules(ctx context.Context, ids []shop.RuleID) error {
	_, err := tx.q.Exec(ctx, `
		UPDATE redirect_rule r SET sort_order = o.n FROM unnest($2::bigint[]) WITH ORDINALITY AS o(id, n)
		WHERE r.company_id = $1 AND r.id = o.id`, tx.Company, ids)
	if err != nil {
		return err
	}
	return tx.rulesChanged(ctx)
}

// RuleHit is what a rule answered since the last flush.
type RuleHit struct {
	Company shop.CompanyID
	Rule    shop.RuleID
	Hits    int64
	Last    time.Time
}

// AddHits adds to the counters of rules; rules that are gone are left out.
func (s *Store) AddHits(ctx context.Context, batch []RuleHit) error {
	b := &pgx.Batch{}
	for _, h := range batch {
		b.Queue(`UPDATE redirect_rule SET hits = hits + $3, last_hit_at = greatest(last_hit_at, $4) WHERE company_id = $1 AND id = $2`,
			h.Company, h.Rule, h.Hits, h.Last)
	}
	return s.pool.SendBatch(ctx, b).Close()
}
