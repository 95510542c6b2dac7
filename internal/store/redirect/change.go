package redirect

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// RulesEdit is the kind of a change of the redirect set.
type RulesEdit string

// The changes that create versions. Changes of settings create none (document 3, section
// 3).
const (
	RulesCreate   RulesEdit = "create"
	RulesUpdate   RulesEdit = "edit"
	RulesDelete   RulesEdit = "delete"
	RulesOrder    RulesEdit = "order"
	RulesImport   RulesEdit = "import"
	RulesMove     RulesEdit = "move" // caused by the move of a category
	RulesRollback RulesEdit = "rollback"
)

// Values lists the changes as texts.
func (RulesEdit) Values() []string {
	return shop.Texts([]RulesEdit{RulesCreate, RulesUpdate, RulesDelete, RulesOrder, RulesImport, RulesMove, RulesRollback})
}

// RuleChange is the change of one rule: Was is nil for an added rule, Now for a removed
// one.
type RuleChange struct{ Old, New *Rule }

// RulesChange is one change of the set.
type RulesChange struct {
	Kind   RulesEdit
	Target int64 // the version to which a rollback returns
	Rules  []RuleChange
}

// NewRuleIDs reserves ids for rules that are about to be added. Unused ids are never given
// out again.
func NewRuleIDs(ctx context.Context, tx *store.Tx, n int) ([]shop.RuleID, error) {
	rows, err := tx.DB.Query(ctx, `SELECT nextval(pg_get_serial_sequence('redirect_rule', 'id')) FROM generate_series(1, $1)`, n)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.RuleID])
}

// ChangeRules writes a change of the set, of any size, in a handful of statements, and
// makes it the next version in the same transaction (document 3, section 3). The caller
// holds LockRules. It returns ErrRuleDuplicate, or ErrRuleNotFound when a rule is missing.
func ChangeRules(ctx context.Context, tx *store.Tx, c RulesChange) (version int64, err error) {
	var added, removed, moved, edited []*Rule
	for _, r := range c.Rules {
		switch {
		case r.Old == nil:
			added = append(added, r.New)
		case r.New == nil:
			removed = append(removed, r.Old)
		case onlyMoved(r):
			moved = append(moved, r.New)
		default:
			edited = append(edited, r.New)
		}
	}
	for _, step := range []struct {
		rules []*Rule
		write func(context.Context, *store.Tx, []*Rule) error
	}{{removed, removeRules}, {moved, placeRules}, {edited, editRules}, {added, addRules}} {
		if len(step.rules) == 0 {
			continue
		}
		if err := step.write(ctx, tx, step.rules); err != nil {
			return 0, err
		}
	}
	tx.Changed(shop.Key{Kind: shop.KeyRules})
	return storeRuleVersion(ctx, tx, c, len(added), len(removed))
}

func onlyMoved(c RuleChange) bool {
	old := *c.Old
	old.SortOrder = c.New.SortOrder
	return old.Equal(*c.New)
}

// removeRules deletes rules and reads their counters, which the version keeps for a
// rollback.
func removeRules(ctx context.Context, tx *store.Tx, rules []*Rule) error {
	byID := make(map[shop.RuleID]*Rule, len(rules))
	for _, r := range rules {
		byID[r.ID] = r
	}
	rows, err := tx.DB.Query(
		ctx, `DELETE FROM redirect_rule WHERE company_id = $1 AND id = ANY($2) RETURNING id, hits, last_hit_at`, tx.Company,
		ruleIDsOf(rules),
	)
	if err != nil {
		return err
	}
	var id shop.RuleID
	var hits int64
	var last *time.Time
	tag, err := pgx.ForEachRow(rows, []any{&id, &hits, &last}, func() error {
		byID[id].Hits, byID[id].LastHitAt = hits, last
		return nil
	})
	if err == nil && int(tag.RowsAffected()) != len(rules) {
		return ErrRuleNotFound
	}
	return err
}

func placeRules(ctx context.Context, tx *store.Tx, rules []*Rule) error {
	places := make([]int32, len(rules))
	for i, r := range rules {
		places[i] = int32(r.SortOrder)
	}
	tag, err := tx.DB.Exec(ctx, `
		UPDATE redirect_rule r SET sort_order = o.place FROM unnest($2::bigint[], $3::integer[]) AS o(id, place)
		WHERE r.company_id = $1 AND r.id = o.id`, tx.Company, ruleIDsOf(rules), places)
	return checkWritten(err, tag.RowsAffected(), rules)
}

// editRules writes whole rules. Where several change, two may swap keys, so all their keys
// are first removed from the unique index.
func editRules(ctx context.Context, tx *store.Tx, rules []*Rule) error {
	if len(rules) > 1 {
		_, err := tx.DB.Exec(
			ctx, `UPDATE redirect_rule SET dup_key = 'between ' || id WHERE company_id = $1 AND id = ANY($2)`, tx.Company,
			ruleIDsOf(rules),
		)
		if err != nil {
			return err
		}
	}
	tag, err := tx.DB.Exec(ctx, `
		UPDATE redirect_rule r SET kind = n.kind, from_path = n.from_path, dup_key = n.dup_key, to_target = n.to_target, external = n.external,
			code = n.code, enabled = n.enabled, override_live = n.override_live, drop_query = n.drop_query, query_match = n.query_match,
			sort_order = n.sort_order, note = n.note, updated_at = now()
		FROM `+rulesTable+` WHERE r.company_id = $1 AND r.id = n.id`, columns(tx, rules)...)
	return checkWritten(err, tag.RowsAffected(), rules)
}

// addRules inserts rules; those without an id get one.
func addRules(ctx context.Context, tx *store.Tx, rules []*Rule) error {
	withoutID := slices.DeleteFunc(slices.Clone(rules), func(r *Rule) bool { return r.ID != 0 })
	if len(withoutID) > 0 {
		ids, err := NewRuleIDs(ctx, tx, len(withoutID))
		if err != nil {
			return err
		}
		for i, r := range withoutID {
			r.ID = ids[i]
		}
	}
	tag, err := tx.DB.Exec(ctx, `
		INSERT INTO redirect_rule (company_id, id, kind, from_path, dup_key, to_target, external, code, enabled, override_live, drop_query,
			query_match, sort_order, note, hits, last_hit_at) OVERRIDING SYSTEM VALUE
		SELECT $1, n.* FROM `+rulesTable, columns(tx, rules)...)
	return checkWritten(err, tag.RowsAffected(), rules)
}

// rulesTable is the table of the rules passed by columns.
const rulesTable = `unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::smallint[], $9::boolean[],
	$10::boolean[], $11::boolean[], $12::text[], $13::integer[], $14::text[], $15::bigint[], $16::timestamptz[]) AS n(id, kind, from_path, dup_key,
	to_target, external, code, enabled, override_live, drop_query, query_match, sort_order, note, hits, last_hit_at)`

func columns(tx *store.Tx, rules []*Rule) []any {
	return []any{
		tx.Company, ruleIDsOf(rules), column(rules, func(r *Rule) string { return r.Kind }), column(rules, func(r *Rule) string { return r.From }),
		column(rules, func(r *Rule) string { return r.DupKey }), column(rules, func(r *Rule) string { return r.To }),
		column(rules, func(r *Rule) bool { return r.External }), column(rules, func(r *Rule) int16 { return int16(r.Code) }),
		column(rules, func(r *Rule) bool { return r.Enabled }), column(rules, func(r *Rule) bool { return r.OverrideLive }),
		column(rules, func(r *Rule) bool { return r.DropQuery }), column(rules, func(r *Rule) string { return r.QueryMatch }),
		column(rules, func(r *Rule) int32 { return int32(r.SortOrder) }), column(rules, func(r *Rule) string { return r.Note }),
		column(rules, func(r *Rule) int64 { return r.Hits }), column(rules, func(r *Rule) *time.Time { return r.LastHitAt }),
	}
}

func column[T any](rules []*Rule, of func(*Rule) T) []T {
	list := make([]T, len(rules))
	for i, r := range rules {
		list[i] = of(r)
	}
	return list
}

func ruleIDsOf(rules []*Rule) []shop.RuleID {
	return column(rules, func(r *Rule) shop.RuleID { return r.ID })
}

// checkWritten converts the result of writing rules into an error.
func checkWritten(err error, rows int64, rules []*Rule) error {
	switch {
	case store.UniqueViolation(err, "redirect_rule_key") && len(rules) == 1:
		return ErrRuleDuplicate.At("from_path").With(rules[0].From)
	case store.UniqueViolation(err, "redirect_rule_key"):
		return ErrRuleDuplicate
	case err == nil && int(rows) != len(rules):
		return ErrRuleNotFound
	}
	return err
}
