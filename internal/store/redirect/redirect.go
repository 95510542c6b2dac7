package redirect

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of redirect rules (document 3, section 7).
var (
	ErrRuleNotFound  = shop.Refuse(shop.NotFound, "REDIRECT_NOT_FOUND").When("no redirect rule of the shop has this id")
	ErrRuleDuplicate = shop.Refuse(shop.AlreadyExists, "REDIRECT_DUPLICATE").When("another rule has the same source and condition")
)

// Rule is the row of a redirect rule (document 3, 2.6). Its JSON is that of the edits of a
// version.
type Rule struct {
	ID           shop.RuleID `json:"-"`
	Kind         string      `json:"kind"`
	From         string      `json:"from_path"`
	DupKey       string      `json:"dup_key"` // equal for rules that may not be in the same set; a hash, since keys are long and may hold any bytes
	To           string      `json:"to_target"`
	External     bool        `json:"external"`
	Code         int         `json:"code"`
	Enabled      bool        `json:"enabled"`
	OverrideLive bool        `json:"override_live"`
	DropQuery    bool        `json:"drop_query"`
	QueryMatch   string      `json:"query_match"`
	SortOrder    int         `json:"sort_order"`
	Note         string      `json:"note"`
	Hits         int64       `json:"hits"`
	LastHitAt    *time.Time  `json:"last_hit_at"`
	UpdatedAt    time.Time   `json:"-"` // by an edit of the rule, read only; its place in the order is not part of it
}

// Equal compares rules, ignoring their counters and when they were edited.
func (r Rule) Equal(other Rule) bool {
	r.Hits, r.LastHitAt, r.UpdatedAt = other.Hits, other.LastHitAt, other.UpdatedAt
	return r == other
}

// Rules lists the shop's rules in their order.
func Rules(ctx context.Context, r store.Reader) ([]Rule, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+ruleColumns+` FROM redirect_rule WHERE company_id = $1 ORDER BY sort_order, id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Rule])
}

const ruleColumns = `id, kind, from_path, dup_key, to_target, external, code, enabled, override_live, drop_query, query_match, sort_order, note,
	hits, last_hit_at, updated_at`

// GetRule reads one rule of the shop.
func GetRule(ctx context.Context, r store.Reader, id shop.RuleID) (rule Rule, err error) {
	rows, err := r.DB.Query(ctx, `SELECT `+ruleColumns+` FROM redirect_rule WHERE company_id = $1 AND id = $2`, r.Company, id)
	if err != nil {
		return rule, err
	}
	rule, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Rule])
	if store.NoRow(err) {
		err = ErrRuleNotFound
	}
	return rule, err
}

// HasRules reports whether the shop has an enabled rule.
func HasRules(ctx context.Context, r store.Reader) (has bool, err error) {
	err = r.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM redirect_rule WHERE company_id = $1 AND enabled)`, r.Company).Scan(&has)
	return has, err
}

// RuleHit is how often a rule answered since the last flush.
type RuleHit struct {
	Company shop.CompanyID
	Rule    shop.RuleID
	Hits    int64
	Last    time.Time
}

// AddHits adds to the counters of rules; deleted rules are skipped. The counters of each
// shop wait for the writers of its set, because these lock rules in a different order.
func AddHits(ctx context.Context, s *store.Store, batch []RuleHit) error {
	shops := map[shop.CompanyID][]RuleHit{}
	for _, h := range batch {
		shops[h.Company] = append(shops[h.Company], h)
	}
	var failed error
	for company, hits := range shops {
		rules, counts, last := make([]shop.RuleID, len(hits)), make([]int64, len(hits)), make([]time.Time, len(hits))
		for i, h := range hits {
			rules[i], counts[i], last[i] = h.Rule, h.Hits, h.Last
		}
		b := &pgx.Batch{} // one transaction
		b.Queue(store.RulesLock, company)
		b.Queue(`
			UPDATE redirect_rule r SET hits = r.hits + h.n, last_hit_at = greatest(r.last_hit_at, h.at)
			FROM (SELECT id, sum(n) AS n, max(at) AS at FROM unnest($2::bigint[], $3::bigint[], $4::timestamptz[]) AS h(id, n, at) GROUP BY id) h
			WHERE r.company_id = $1 AND r.id = h.id`, company, rules, counts, last)
		failed = errors.Join(failed, s.Pool.SendBatch(ctx, b).Close())
	}
	return failed
}
