package redirect

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
	"vitrine/internal/store/company"
	redirectdb "vitrine/internal/store/redirect"
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

// unsaved is the first id of rules that a dry run adds; they compare behind all
// that have one.
const unsaved shop.RuleID = 1 << 62

// ruleSet is the redirect set of a shop on its way to what a mutation makes of
// it. Its methods change the rows in memory; check says whether they may stand.
type ruleSet struct {
	rows    []redirectdb.Rule
	limits  company.Limits
	before  *compile.Site
	shop    *compile.Shop                                            // its settings after the mutation, when they change
	held    load.Held                                                // what rows and before were
	reserve func(n int) ([]shop.RuleID, error)                       // ids for rules to come
	past    func(since int64) ([][]redirectdb.RuleEdit, bool, error) // what later versions did; false: not all of it is kept

	ids   []shop.RuleID        // reserved
	fresh map[shop.RuleID]bool // ids of rules that were not there before
	masks int                  // among rows
	last  int                  // highest sort order among rows
	after *compile.Site        // of the rows as they are now; nil when they have changed
}

func newSet(held load.Held) *ruleSet {
	s := &ruleSet{limits: held.Company.Limits, before: held.Site, held: held, fresh: map[shop.RuleID]bool{}}
	s.reserve = s.pretend
	s.take(slices.Clone(held.Rules))
	return s
}

// pretend makes up ids of rules that are not kept.
func (s *ruleSet) pretend(n int) ([]shop.RuleID, error) {
	ids := make([]shop.RuleID, n)
	for i := range ids {
		ids[i] = unsaved + shop.RuleID(len(s.fresh)+i)
	}
	return ids, nil
}

// take makes the set of other rows.
func (s *ruleSet) take(rows []redirectdb.Rule) {
	s.rows, s.masks, s.last, s.after = rows, masks(rows), 0, nil
	for _, row := range rows {
		s.last = max(s.last, row.SortOrder)
	}
}

// put changes the row at a place, which may be the one behind the last.
func (s *ruleSet) put(at int, row redirectdb.Rule) {
	if at == len(s.rows) {
		s.rows = append(s.rows, redirectdb.Rule{})
	}
	s.masks += masks([]redirectdb.Rule{row}) - masks(s.rows[at:at+1])
	s.last = max(s.last, row.SortOrder)
	s.rows[at], s.after = row, nil
}

// cut takes a row out.
func (s *ruleSet) cut(at int) {
	s.masks -= masks(s.rows[at : at+1])
	s.rows, s.after = slices.Delete(s.rows, at, at+1), nil
}

// dupKey is equal for two rules that may not stand in one set. It is a hash,
// because the key has any bytes and any length.
func dupKey(r redirect.Rule) string {
	sum := sha256.Sum256([]byte(r.DuplicateKey()))
	return hex.EncodeToString(sum[:])
}

// rowOf is a checked rule as it is stored.
func rowOf(r redirect.Rule) redirectdb.Rule {
	return redirectdb.Rule{
		ID: r.ID, Kind: string(r.Kind), From: r.From, DupKey: dupKey(r), To: r.To, External: r.External, Code: r.Code, Enabled: r.Enabled,
		OverrideLive: r.OverrideLive, DropQuery: r.DropQuery, QueryMatch: r.QueryMatch, SortOrder: r.SortOrder, Note: r.Note,
	}
}

// add puts a rule behind all others. Its row has no id before it is stored.
func (s *ruleSet) add(rule redirect.Rule) (redirectdb.Rule, error) {
	if compile.Reserved(rule.Key()) {
		return redirectdb.Rule{}, compile.ErrReservedPath.At("from_path").With(rule.From + " is a path of the platform")
	}
	row := rowOf(rule)
	if i := s.byKey(row.DupKey); i >= 0 {
		return row, duplicateOf(s.rows[i])
	}
	return s.append(row)
}

// append puts a row behind all others if there is room.
func (s *ruleSet) append(row redirectdb.Rule) (redirectdb.Rule, error) {
	if err := s.room(1, masks([]redirectdb.Rule{row})); err != nil {
		return row, err
	}
	var err error
	if row.ID, err = s.newID(); err != nil {
		return row, err
	}
	row.SortOrder = s.last + 1
	s.put(len(s.rows), row)
	return row, nil
}

// newID is the next of the reserved ids, or one that is not kept.
func (s *ruleSet) newID() (id shop.RuleID, err error) {
	if len(s.ids) == 0 {
		if s.ids, err = s.reserve(1); err != nil {
			return 0, err
		}
	}
	id, s.ids = s.ids[0], s.ids[1:]
	s.fresh[id] = true
	return id, nil
}

// replace puts a rule in the place of another.
func (s *ruleSet) replace(id shop.RuleID, rule redirect.Rule) (redirectdb.Rule, error) {
	at := s.byID(id)
	if at < 0 {
		return redirectdb.Rule{}, redirectdb.ErrRuleNotFound
	}
	if compile.Reserved(rule.Key()) {
		return redirectdb.Rule{}, compile.ErrReservedPath.At("from_path").With(rule.From + " is a path of the platform")
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
	s.put(at, row)
	return row, nil
}

// remove takes rules out: all of them, or none when one is not there. The ids
// are sorted and distinct.
func (s *ruleSet) remove(ids []shop.RuleID) error {
	left := slices.DeleteFunc(slices.Clone(s.rows), func(r redirectdb.Rule) bool {
		_, gone := slices.BinarySearch(ids, r.ID)
		return gone
	})
	if len(s.rows)-len(left) != len(ids) {
		return redirectdb.ErrRuleNotFound
	}
	s.take(left)
	return nil
}

// order sorts the set by a list that names every rule exactly once.
func (s *ruleSet) order(ids []shop.RuleID) error {
	place := make(map[shop.RuleID]int, len(ids))
	for i, id := range ids {
		place[id] = i + 1
	}
	if len(ids) != len(s.rows) || len(place) != len(ids) {
		return redirectdb.ErrRuleNotFound.At("ids").With("the list names every rule exactly once")
	}
	for i := range s.rows {
		n, named := place[s.rows[i].ID]
		if !named {
			return redirectdb.ErrRuleNotFound.At("ids").With("the list names every rule exactly once")
		}
		s.rows[i].SortOrder = n
	}
	s.take(s.rows)
	return nil
}

// room refuses rules beyond the plan, or beyond what any plan may have.
func (s *ruleSet) room(rules, masks int) error {
	count, maskCount := len(s.rows), s.masks
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
	if s.after == nil {
		s.after = s.before.With(compile.Delta{Shop: s.shop, Rules: load.Compiled(s.rows)})
	}
	return s.after
}

// check refuses a set whose redirects run in circles or in long chains, unless
// they did before (document 3, 4.5). The refusal names the rules that take part;
// one that is not saved yet is 0.
func (s *ruleSet) check() error {
	circle, found := s.site().FindCircle(s.before)
	if !found {
		return nil
	}
	rules := slices.Clone(circle.Rules)
	for i, id := range rules {
		if s.fresh[id] {
			rules[i] = 0
		}
	}
	return circle.Refusal().WithField("rules", rules)
}

// changes compares the set with what it was.
func (s *ruleSet) changes() (list []redirectdb.RuleChange) {
	base := s.held.Rules
	place := places{rows: base}
	kept := make([]bool, len(base))
	for i := range s.rows {
		now := &s.rows[i]
		j := place.of(now.ID)
		if j < 0 {
			row := *now
			list = append(list, redirectdb.RuleChange{Now: &row})
			continue
		}
		kept[j] = true
		if base[j] != *now && !base[j].Equal(*now) {
			was, row := base[j], *now
			list = append(list, redirectdb.RuleChange{Was: &was, Now: &row})
		}
	}
	for j, there := range kept {
		if !there {
			was := base[j]
			list = append(list, redirectdb.RuleChange{Was: &was})
		}
	}
	return list
}

// places finds rules that are asked for mostly in the order in which they stand,
// so that an edit of one among 20,000 needs no map of them.
type places struct {
	rows []redirectdb.Rule
	next int
	byID map[shop.RuleID]int
}

// of is the place of a rule, or -1.
func (p *places) of(id shop.RuleID) int {
	for _, at := range [...]int{p.next, p.next + 1} {
		if at < len(p.rows) && p.rows[at].ID == id {
			p.next = at + 1
			return at
		}
	}
	if p.byID == nil {
		p.byID = make(map[shop.RuleID]int, len(p.rows))
		for i := range p.rows {
			p.byID[p.rows[i].ID] = i
		}
	}
	if at, known := p.byID[id]; known {
		return at
	}
	return -1
}

func (s *ruleSet) byID(id shop.RuleID) int {
	for i := range s.rows {
		if s.rows[i].ID == id {
			return i
		}
	}
	return -1
}

func (s *ruleSet) byKey(key string) int {
	for i := range s.rows {
		if s.rows[i].DupKey == key {
			return i
		}
	}
	return -1
}

func duplicateOf(r redirectdb.Rule) error {
	return redirectdb.ErrRuleDuplicate.At("from_path").With("rule " + r.ID.String() + " has the same source and condition")
}
