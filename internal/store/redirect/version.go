package redirect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrRuleVersionNotFound is returned for a version that the redirect set never had, or that
// can no longer be reconstructed.
var ErrRuleVersionNotFound = shop.Refuse(shop.NotFound, "REDIRECT_VERSION_NOT_FOUND").
	When("the redirect set never had this version, or it can no longer be reconstructed")

// How much of the history of a redirect set is kept: always the newest 200 versions, and
// older ones up to 1000 while all together changed at most 20,000 rules.
const (
	minRuleVersions = 200
	maxRuleVersions = 1000
	maxRuleEdits    = 20_000
)

// RulesVersion is a version of the redirect set, with the change that made it.
type RulesVersion struct {
	Version int64
	At      time.Time
	Kind    RulesEdit
	Person  shop.UserID // 0: the operator
	Key     shop.KeyID  // 0: by a session, or the operator
	Target  int64       // of a rollback
	Added   int
	Removed int
	Changed int
}

// RuleEdit is the change of a rule in a version: the fields of Rule before and after. Was
// is nil for an added rule, Now for a removed one; for a changed rule both have only the
// fields that differ.
type RuleEdit struct {
	Rule shop.RuleID     `json:"id"`
	Was  json.RawMessage `json:"was,omitempty"`
	Now  json.RawMessage `json:"now,omitempty"`
}

// storeRuleVersion bumps the version of the set and stores its changes.
func storeRuleVersion(ctx context.Context, tx *store.Tx, c RulesChange, added, removed int) (version int64, err error) {
	edits := make([]RuleEdit, len(c.Rules))
	for i, r := range c.Rules {
		if edits[i], err = editOf(r); err != nil {
			return 0, err
		}
	}
	list, err := json.Marshal(edits)
	if err != nil {
		return 0, err
	}
	b := &pgx.Batch{}
	b.Queue(`
		WITH v AS (UPDATE company SET rules_version = rules_version + 1 WHERE id = $1 RETURNING rules_version)
		INSERT INTO redirect_version (company_id, version, kind, person_id, key_id, target, added, removed, changed, edits)
		SELECT $1, rules_version, $2, $3, $4, $5, $6, $7, $8, $9 FROM v RETURNING version`,
		tx.Company, c.Kind, tx.Author.Person, tx.Author.Key, c.Target, added, removed, len(edits)-added-removed, list).
		QueryRow(func(row pgx.Row) error { return row.Scan(&version) })
	b.Queue(`
		DELETE FROM redirect_version WHERE company_id = $1 AND version IN (
			SELECT version FROM (
				SELECT version, row_number() OVER newest AS n, sum(added + removed + changed) OVER newest AS rules
				FROM redirect_version WHERE company_id = $1 WINDOW newest AS (ORDER BY version DESC)) kept
			WHERE n > $2 OR n > $3 AND rules > $4)`, tx.Company, maxRuleVersions, minRuleVersions, maxRuleEdits)
	return version, tx.DB.SendBatch(ctx, b).Close()
}

// editOf converts a change for storage.
func editOf(c RuleChange) (e RuleEdit, err error) {
	was, now := map[string]any{}, map[string]any{}
	for _, f := range ruleFields {
		switch {
		case c.Old == nil:
			now[f.name] = f.of(c.New)
		case c.New == nil:
			was[f.name] = f.of(c.Old)
		default:
			if x, y := f.of(c.Old), f.of(c.New); x != y && !f.counts {
				was[f.name], now[f.name] = x, y
			}
		}
	}
	if c.New != nil {
		e.Rule = c.New.ID
		if e.Now, err = json.Marshal(now); err != nil {
			return e, err
		}
	}
	if c.Old != nil {
		e.Rule = c.Old.ID
		e.Was, err = json.Marshal(was)
	}
	return e, err
}

// ruleFields are the fields of a rule by their JSON names. A change of a counter is not a
// change of the rule, but counters are removed and restored with it.
var ruleFields = []struct {
	name   string
	of     func(*Rule) any
	counts bool
}{
	{"kind", func(r *Rule) any { return r.Kind }, false},
	{"from_path", func(r *Rule) any { return r.From }, false},
	{"dup_key", func(r *Rule) any { return r.DupKey }, false},
	{"to_target", func(r *Rule) any { return r.To }, false},
	{"external", func(r *Rule) any { return r.External }, false},
	{"code", func(r *Rule) any { return r.Code }, false},
	{"enabled", func(r *Rule) any { return r.Enabled }, false},
	{"override_live", func(r *Rule) any { return r.OverrideLive }, false},
	{"drop_query", func(r *Rule) any { return r.DropQuery }, false},
	{"query_match", func(r *Rule) any { return r.QueryMatch }, false},
	{"sort_order", func(r *Rule) any { return r.SortOrder }, false},
	{"note", func(r *Rule) any { return r.Note }, false},
	{"hits", func(r *Rule) any { return r.Hits }, true},
	{"last_hit_at", func(r *Rule) any { return r.LastHitAt }, true},
}

const selectRulesVersion = `SELECT version, at, kind, person_id, key_id, target, added, removed, changed`

// RulesVersions returns one page of the kept versions, newest first.
func RulesVersions(ctx context.Context, r store.Reader, number, limit int) (list []RulesVersion, total int, err error) {
	if err := r.DB.QueryRow(ctx, `SELECT count(*) FROM redirect_version WHERE company_id = $1`, r.Company).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := r.DB.Query(ctx, selectRulesVersion+` FROM redirect_version WHERE company_id = $1 ORDER BY version DESC LIMIT $2 OFFSET $3`,
		r.Company, limit, (number-1)*limit)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[RulesVersion])
	return list, total, err
}

// GetRulesVersion returns one version with its edits, or ErrRuleVersionNotFound.
func GetRulesVersion(ctx context.Context, r store.Reader, version int64) (v RulesVersion, edits []RuleEdit, err error) {
	err = r.DB.QueryRow(ctx, selectRulesVersion+`, edits FROM redirect_version WHERE company_id = $1 AND version = $2`, r.Company, version).
		Scan(&v.Version, &v.At, &v.Kind, &v.Person, &v.Key, &v.Target, &v.Added, &v.Removed, &v.Changed, &edits)
	if store.NoRow(err) {
		err = ErrRuleVersionNotFound
	}
	return v, edits, err
}

// RulesSince returns the edits of the versions after one, oldest first. whole is false when
// some of them are no longer kept.
func RulesSince(ctx context.Context, r store.Reader, since, current int64) (edits [][]RuleEdit, whole bool, err error) {
	rows, err := r.DB.Query(ctx, `SELECT edits FROM redirect_version WHERE company_id = $1 AND version > $2 AND version <= $3 ORDER BY version`,
		r.Company, since, current)
	if err != nil {
		return nil, false, err
	}
	edits, err = pgx.CollectRows(rows, pgx.RowTo[[]RuleEdit])
	return edits, int64(len(edits)) == current-since, err
}

// RedoRules returns a set after the edits of later versions, oldest first.
func RedoRules(rows []Rule, versions [][]RuleEdit) ([]Rule, error) {
	return replayRules(rows, versions, func(e RuleEdit) json.RawMessage { return e.Now })
}

// UndoRules returns a set before the edits of versions, oldest first.
func UndoRules(rows []Rule, versions [][]RuleEdit) ([]Rule, error) {
	versions = slices.Clone(versions)
	slices.Reverse(versions)
	return replayRules(rows, versions, func(e RuleEdit) json.RawMessage { return e.Was })
}

// Standing lists the edits of a version whose rules are still as it left them, wherever they stand in
// the order.
func Standing(rows []Rule, edits []RuleEdit) (list []RuleEdit, err error) {
	byID := make(map[shop.RuleID]Rule, len(rows))
	for _, row := range rows {
		byID[row.ID] = row
	}
	for _, e := range edits {
		now, there := byID[e.Rule]
		if !there || e.Now == nil {
			continue
		}
		left := now
		if err := json.Unmarshal(e.Now, &left); err != nil {
			return nil, errors.Join(errors.New("a version of the redirect set cannot be read"), err)
		}
		if left.SortOrder = now.SortOrder; left.Equal(now) {
			list = append(list, e)
		}
	}
	return list, nil
}

// replayRules replaces each edited rule by one side of its edit, and sorts the set again.
func replayRules(rows []Rule, versions [][]RuleEdit, side func(RuleEdit) json.RawMessage) ([]Rule, error) {
	touched := map[shop.RuleID]*Rule{}
	for _, edits := range versions {
		for _, e := range edits {
			touched[e.Rule] = nil
		}
	}
	next := make([]Rule, 0, len(rows))
	for _, row := range rows {
		if _, edited := touched[row.ID]; edited {
			touched[row.ID] = &row
		} else {
			next = append(next, row)
		}
	}
	for _, edits := range versions {
		for _, e := range edits {
			fields, row := side(e), touched[e.Rule]
			if fields == nil {
				touched[e.Rule] = nil
				continue
			}
			if row == nil {
				row = &Rule{ID: e.Rule}
			}
			if err := json.Unmarshal(fields, row); err != nil {
				return nil, errors.Join(errors.New("a version of the redirect set cannot be read"), err)
			}
			touched[e.Rule] = row
		}
	}
	for _, row := range touched {
		if row != nil {
			next = append(next, *row)
		}
	}
	slices.SortFunc(next, func(a, b Rule) int { return cmp.Or(cmp.Compare(a.SortOrder, b.SortOrder), cmp.Compare(a.ID, b.ID)) })
	return next, nil
}
