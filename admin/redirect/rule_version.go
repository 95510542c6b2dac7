package redirect

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	redirectdb "vitrine/internal/store/redirect"
)

// rulesVersion is a version of the redirect set and the mutation that created it.
type rulesVersion struct {
	Version  shop.Int64           `json:"version"`
	At       time.Time            `json:"at"`
	Kind     redirectdb.RulesEdit `json:"kind"`
	UserID   shop.UserID          `json:"user_id"`   // 0: the operator
	KeyID    shop.KeyID           `json:"key_id"`    // 0: a session, or the operator
	RolledTo shop.Int64           `json:"rolled_to"` // version that a rollback restored, otherwise 0
	Added    int                  `json:"added"`
	Removed  int                  `json:"removed"`
	Changed  int                  `json:"changed"`
}

func viewVersion(v redirectdb.RulesVersion) rulesVersion {
	return rulesVersion{
		Version: shop.Int64(v.Version), At: v.At.UTC(), Kind: v.Kind, UserID: v.Person, KeyID: v.Key, RolledTo: shop.Int64(v.Target),
		Added: v.Added, Removed: v.Removed, Changed: v.Changed,
	}
}

// rulesVersions lists the stored versions of the set.
func (rs *Redirects) rulesVersions(ctx context.Context, c *api.Call, in api.Paging) (api.List[rulesVersion], error) {
	number, limit, err := in.Page(20)
	if err != nil {
		return api.List[rulesVersion]{}, err
	}
	out := api.List[rulesVersion]{Result: []rulesVersion{}, CurrentPage: number}
	list, total, err := redirectdb.RulesVersions(ctx, rs.store.Shop(c.Company), number, limit)
	for _, v := range list {
		out.Result = append(out.Result, viewVersion(v))
	}
	out.Total = total
	return out, err
}

type versionRequest struct {
	Version shop.Int64 `path:"version" json:"-" doc:"a version of the redirect set"`
	api.Paging
}

// versionView is a version with a page of its edits.
type versionView struct {
	rulesVersion
	Edits []editView `json:"edits"`
}

// editView is the edit of a rule by a version. An added rule has only new fields, a removed one
// only old ones, a changed one those that differ.
type editView struct {
	RuleID shop.RuleID    `json:"rule_id"`
	Edit   string         `json:"edit"` // added, removed, changed
	Old    map[string]any `json:"old,omitempty"`
	New    map[string]any `json:"new,omitempty"`
}

type versionAnswer struct {
	Result      versionView `json:"result"`
	Total       int         `json:"total"` // number of edits of the version
	CurrentPage int         `json:"current_page"`
}

func (rs *Redirects) rulesVersion(ctx context.Context, c *api.Call, in versionRequest) (versionAnswer, error) {
	number, limit, err := in.Page(100)
	if err != nil {
		return versionAnswer{}, err
	}
	v, edits, err := redirectdb.GetRulesVersion(ctx, rs.store.Shop(c.Company), int64(in.Version))
	if err != nil {
		return versionAnswer{}, err
	}
	out := versionAnswer{Result: versionView{rulesVersion: viewVersion(v), Edits: []editView{}}, Total: len(edits), CurrentPage: number}
	from := min((number-1)*limit, len(edits))
	for _, e := range edits[from:min(from+limit, len(edits))] {
		view, err := viewEdit(e)
		if err != nil {
			return out, err
		}
		out.Result.Edits = append(out.Result.Edits, view)
	}
	return out, nil
}

func viewEdit(e redirectdb.RuleEdit) (view editView, err error) {
	view = editView{RuleID: e.Rule, Edit: "changed"}
	switch {
	case e.Was == nil:
		view.Edit = "added"
	case e.Now == nil:
		view.Edit = "removed"
	}
	if view.Old, err = fieldsOf(e.Was); err == nil {
		view.New, err = fieldsOf(e.Now)
	}
	return view, err
}

// fieldsOf decodes one side of an edit, without the fields that only the database needs.
func fieldsOf(side json.RawMessage) (fields map[string]any, err error) {
	if side == nil {
		return nil, nil
	}
	err = json.Unmarshal(side, &fields)
	delete(fields, "dup_key")
	delete(fields, "hits")
	delete(fields, "last_hit_at")
	return fields, err
}

type rollbackRules struct {
	Version shop.Int64 `json:"version" required:"always" doc:"the version to restore"`
	DryRun  bool       `json:"dry_run" doc:"store nothing and return the result that the call would have, with replay"`
}

type rolledBack struct {
	RolledTo shop.Int64 `json:"rolled_to"`
	Added    int        `json:"added"`
	Removed  int        `json:"removed"`
	Changed  int        `json:"changed"`
}

type rollbackAnswer struct {
	Result  rolledBack `json:"result"`
	Version shop.Int64 `json:"version"` // of the set afterwards
	Replay  *replay    `json:"replay,omitempty" doc:"for a dry run: the changes that visitors would see"`
}

// rollbackRules restores the set of an earlier version, as a new version. Rules keep their ids
// and their counters.
func (rs *Redirects) rollbackRules(ctx context.Context, c *api.Call, in rollbackRules) (rollbackAnswer, error) {
	out := rollbackAnswer{Result: rolledBack{RolledTo: in.Version}}
	m := mutation{kind: redirectdb.RulesRollback, target: int64(in.Version), dry: in.DryRun}
	done, err := rs.changeRules(ctx, c.Company, m, func(set *ruleSet) error {
		if err := set.restoreVersion(int64(in.Version)); err != nil {
			return err
		}
		for _, change := range set.changes() {
			switch {
			case change.Old == nil:
				out.Result.Added++
			case change.New == nil:
				out.Result.Removed++
			default:
				out.Result.Changed++
			}
		}
		return set.check()
	})
	out.Version, out.Replay = done.version, done.replay
	return out, err
}

// restoreVersion undoes the versions after one. Restored rules must be allowed today.
func (s *ruleSet) restoreVersion(version int64) error {
	current := s.cached.Company.RulesVersion
	if version < 1 || version > current {
		return redirectdb.ErrRuleVersionNotFound.With("the set has versions up to " + strconv.FormatInt(current, 10))
	}
	past, complete, err := s.past(version)
	if err != nil {
		return err
	}
	if !complete {
		oldest := current - int64(len(past))
		return redirectdb.ErrRuleVersionNotFound.With("the oldest version that can be restored is "+strconv.FormatInt(oldest, 10)).
			WithField("oldest_version", shop.Int64(oldest))
	}
	rows, err := redirectdb.UndoRules(s.rows, past)
	if err != nil {
		return err
	}
	more, moreMasks := len(rows)-len(s.rows), masks(rows)-s.masks
	if err := s.checkLimits(max(more, 0), max(moreMasks, 0)); err != nil {
		return err
	}
	s.setRows(rows)
	for _, change := range s.changes() {
		if change.New != nil && compile.Reserved(load.Rule(*change.New).Key()) {
			return compile.ErrReservedPath.With(change.New.From + " is a path of the platform")
		}
	}
	return nil
}

// masks counts the rules that have a separate limit in plans and ceilings.
func masks(rows []redirectdb.Rule) (n int) {
	for _, r := range rows {
		if r.Kind == string(redirect.Pattern) {
			n++
		}
	}
	return n
}
