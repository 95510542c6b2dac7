package site

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of the set as a whole (document 3, section 7).
var (
	errRulesForbidden = shop.Refuse(shop.PermissionDenied, "REDIRECTS_FORBIDDEN").When("the person is neither owner nor admin")
	errRuleLimit      = shop.Refuse(shop.ResourceExhausted, "REDIRECT_LIMIT_REACHED").When("the plan allows no more redirect rules").WithField("limit_code", store.LimitRedirects)
	errMaskLimit      = shop.Refuse(shop.ResourceExhausted, "REDIRECT_PATTERN_LIMIT_REACHED").When("the plan allows no more masks and prefixes").WithField("limit_code", store.LimitMasks)
	errRuleCeiling    = shop.Refuse(shop.ResourceExhausted, "REDIRECT_CEILING_REACHED").When("no shop may have more redirect rules")
	errMaskCeiling    = shop.Refuse(shop.ResourceExhausted, "REDIRECT_PATTERN_CEILING_REACHED").When("no shop may have more masks and prefixes")
)

// The ceilings that no plan lifts (document 3, section 8).
const (
	rulesCeiling = 20000
	masksCeiling = 200
)

// unsaved is the first id of rules that have none yet; they compare behind all
// that have.
const unsaved shop.RuleID = 1 << 62

// ruleSet is the redirect set of a shop on its way to what a mutation makes of
// it. Its methods change the rows in memory; check says whether they may stand.
type ruleSet struct {
	rows   []store.Rule
	limits store.Limits
	before *compile.Site
	added  int // rules with an unsaved id
}

// dupKey is equal for two rules that may not stand in one set. It is a hash,
// because the key has any bytes and any length.
func dupKey(r redirect.Rule) string {
	sum := sha256.Sum256([]byte(r.DuplicateKey()))
	return hex.EncodeToString(sum[:])
}

// rowOf is a checked rule as it is stored.
func rowOf(r redirect.Rule) store.Rule {
	return store.Rule{
		ID: r.ID, Kind: string(r.Kind), From: r.From, DupKey: dupKey(r), To: r.To, External: r.External, Code: r.Code, Enabled: r.Enabled,
		OverrideLive: r.OverrideLive, DropQuery: r.DropQuery, QueryMatch: r.QueryMatch, SortOrder: r.SortOrder, Note: r.Note,
	}
}

// add puts a rule behind all others. Its row has no id before it is stored.
func (s *ruleSet) add(rule redirect.Rule) (store.Rule, error) {
	if compile.Reserved(rule.Key()) {
		return store.Rule{}, compile.ErrReservedPath.With(rule.From + " is a path of the platform")
	}
	row := rowOf(rule)
	if i := s.byKey(row.DupKey); i >= 0 {
		return row, duplicateOf(s.rows[i])
	}
	masks := 0
	if rule.Kind == redirect.Pattern {
		masks = 1
	}
	if err := s.room(1, masks); err != nil {
		return row, err
	}
	row.ID = unsaved + shop.RuleID(s.added)
	for _, other := range s.rows {
		row.SortOrder = max(row.SortOrder, other.SortOrder+1)
	}
	s.added++
	s.rows = append(s.rows, row)
	return row, nil
}

// replace puts a rule in the place of another.
func (s *ruleSet) replace(id shop.RuleID, rule redirect.Rule) (store.Rule, error) {
	at := s.byID(id)
	if at < 0 {
		return store.Rule{}, store.ErrRuleNotFound
	}
	if compile.Reserved(rule.Key()) {
		return store.Rule{}, compile.ErrReservedPath.With(rule.From + " is a path of the platform")
	}
	old, row := s.rows[at], rowOf(rule)
	row.ID, row.SortOrder = id, old.SortOrder
	if i := s.byKey(row.DupKey); i >= 0 && i != at {
		return row, duplicateOf(s.rows[i])
	}
	if rule.Kind == redirect.Pattern && old.Kind != string(redirect.Pattern) {
		if err := s.room(0, 1); err != nil {
			return row, err
		}
	}
	s.rows[at] = row
	return row, nil
}

// remove takes rules out: all of them, or none when one is not there. The ids
// are sorted and distinct.
func (s *ruleSet) remove(ids []shop.RuleID) error {
	left := slices.DeleteFunc(slices.Clone(s.rows), func(r store.Rule) bool {
		_, gone := slices.BinarySearch(ids, r.ID)
		return gone
	})
	if len(s.rows)-len(left) != len(ids) {
		return store.ErrRuleNotFound
	}
	s.rows = left
	return nil
}

// order sorts the set by a list that names every rule exactly once.
func (s *ruleSet) order(ids []shop.RuleID) error {
	place := make(map[shop.RuleID]int, len(ids))
	for i, id := range ids {
		place[id] = i + 1
	}
	if len(ids) != len(s.rows) || len(place) != len(ids) {
		return store.ErrRuleNotFound.With("the list names every rule exactly once")
	}
	for i := range s.rows {
		n, named := place[s.rows[i].ID]
		if !named {
			return store.ErrRuleNotFound.With("the list names every rule exactly once")
		}
		s.rows[i].SortOrder = n
	}
	return nil
}

// room refuses rules beyond the plan, or beyond what any plan may have.
func (s *ruleSet) room(rules, masks int) error {
	count, maskCount := len(s.rows), 0
	for _, r := range s.rows {
		if r.Kind == string(redirect.Pattern) {
			maskCount++
		}
	}
	over := func(more, count int, limit int64) bool { return more > 0 && limit > 0 && int64(count+more) > limit }
	switch {
	case over(rules, count, s.limits[store.LimitRedirects]):
		return errRuleLimit.With("the plan allows " + strconv.FormatInt(s.limits[store.LimitRedirects], 10) + " rules")
	case over(rules, count, rulesCeiling):
		return errRuleCeiling.With("a shop has at most 20000 rules")
	case over(masks, maskCount, s.limits[store.LimitMasks]):
		return errMaskLimit.With("the plan allows " + strconv.FormatInt(s.limits[store.LimitMasks], 10) + " masks")
	case over(masks, maskCount, masksCeiling):
		return errMaskCeiling.With("a shop has at most 200 masks")
	}
	return nil
}

// site is the shop with the set as it now is.
func (s *ruleSet) site() *compile.Site {
	rules := make([]redirect.Rule, len(s.rows))
	for i, row := range s.rows {
		rules[i] = load.Rule(row)
	}
	return s.before.With(compile.Delta{Rules: rules})
}

// check refuses a set whose redirects run in circles or in long chains, unless
// they did before (document 3, 4.5).
func (s *ruleSet) check() error { return s.site().CheckLoops(s.before) }

func (s *ruleSet) byID(id shop.RuleID) int {
	return slices.IndexFunc(s.rows, func(r store.Rule) bool { return r.ID == id })
}

func (s *ruleSet) byKey(key string) int {
	return slices.IndexFunc(s.rows, func(r store.Rule) bool { return r.DupKey == key })
}

func duplicateOf(r store.Rule) error {
	return store.ErrRuleDuplicate.With("rule " + r.ID.String() + " has the same source and condition")
}
