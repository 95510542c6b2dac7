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

// Refusals of the whole set (document 3, section 7).
var (
	errRulesForbidden = shop.Refuse(shop.PermissionDenied, "REDIRECTS_FORBIDDEN").When("the person is neither owner nor admin")
	errRuleLimit      = shop.Refuse(shop.ResourceExhausted, "REDIRECT_LIMIT_REACHED").When("the plan allows no more redirect rules").WithField("limit_code", store.LimitRedirects)
	errMaskLimit      = shop.Refuse(shop.ResourceExhausted, "REDIRECT_PATTERN_LIMIT_REACHED").When("the plan allows no more masks and prefixes").WithField("limit_code", store.LimitMasks)
	errRuleCeiling    = shop.Refuse(shop.ResourceExhausted, "REDIRECT_CEILING_REACHED").When("no shop may have more redirect rules")
	errMaskCeiling    = shop.Refuse(shop.ResourceExhausted, "REDIRECT_PATTERN_CEILING_REACHED").When("no shop may have more masks and prefixes")
)

// The ceilings that apply to every plan (document 3, section 8).
const (
	rulesCeiling = 20000
	masksCeiling = 200
)

// unsaved is the first id of rules that a dry run adds; they sort after all stored rules.
const unsaved shop.RuleID = 1 << 62

// ruleSet is the redirect set of a shop during a mutation. Its methods change the rows in memory;
// check validates the result.
type ruleSet struct {
	rows    []redirectdb.Rule
	limits  company.Limits
	before  *compile.Site
	shop    *compile.Shop                                            // the settings after the mutation, if they change
	cached  load.CachedShop                                          // the state before the mutation
	reserve func(n int) ([]shop.RuleID, error)                       // reserves ids for new rules
	stored  func(shop.RuleID) (redirectdb.Rule, error)               // reads a rule with its counters and times
	past    func(since int64) ([][]redirectdb.RuleEdit, bool, error) // the edits of later versions; false: not all are stored

	ids   []shop.RuleID        // reserved and unused
	fresh map[shop.RuleID]bool // ids of new rules
	masks int                  // number of masks in rows
	last  int                  // highest sort order in rows
	after *compile.Site        // compiled from the current rows; nil after a change
}

func newSet(cached load.CachedShop) *ruleSet {
	s := &ruleSet{limits: cached.Company.Limits, before: cached.Site, cached: cached, fresh: map[shop.RuleID]bool{}}
	s.reserve = s.temporaryIDs
	s.setRows(slices.Clone(cached.Rules))
	return s
}

// temporaryIDs returns temporary ids for rules that are not stored.
func (s *ruleSet) temporaryIDs(n int) ([]shop.RuleID, error) {
	ids := make([]shop.RuleID, n)
	for i := range ids {
		ids[i] = unsaved + shop.RuleID(len(s.fresh)+i)
	}
	return ids, nil
}

// setRows replaces the rows of the set.
func (s *ruleSet) setRows(rows []redirectdb.Rule) {
	s.rows, s.masks, s.last, s.after = rows, masks(rows), 0, nil
	for _, row := range rows {
		s.last = max(s.last, row.SortOrder)
	}
}

// setRow replaces the row at a position, or appends it at the position after the last.
func (s *ruleSet) setRow(at int, row redirectdb.Rule) {
	if at == len(s.rows) {
		s.rows = append(s.rows, redirectdb.Rule{})
	}
	s.masks += masks([]redirectdb.Rule{row}) - masks(s.rows[at:at+1])
	s.last = max(s.last, row.SortOrder)
	s.rows[at], s.after = row, nil
}

// removeAt removes a row.
func (s *ruleSet) removeAt(at int) {
	s.masks -= masks(s.rows[at : at+1])
	s.rows, s.after = slices.Delete(s.rows, at, at+1), nil
}

// dupKey is equal for two rules that cannot be in the same set. It is a hash, because the key may
// have any bytes and any length.
func dupKey(r redirect.Rule) string {
	sum := sha256.Sum256([]byte(r.DuplicateKey()))
	return hex.EncodeToString(sum[:])
}

// rowOf converts a validated rule to a row.
func rowOf(r redirect.Rule) redirectdb.Rule {
	return redirectdb.Rule{
		ID: r.ID, Kind: string(r.Kind), From: r.From, DupKey: dupKey(r), To: r.To, External: r.External, Code: r.Code, Enabled: r.Enabled,
		OverrideLive: r.OverrideLive, DropQuery: r.DropQuery, QueryMatch: r.QueryMatch, SortOrder: r.SortOrder, Note: r.Note,
	}
}

// add appends a rule. Its row has no id before it is stored.
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

// append appends a row if the limits allow it.
func (s *ruleSet) append(row redirectdb.Rule) (redirectdb.Rule, error) {
	if err := s.checkLimits(1, masks([]redirectdb.Rule{row})); err != nil {
		return row, err
	}
	var err error
	if row.ID, err = s.newID(); err != nil {
		return row, err
	}
	row.SortOrder = s.last + 1
	s.setRow(len(s.rows), row)
	return row, nil
}

// newID returns the next reserved id, or a temporary one.
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

// replace replaces a rule.
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
		if err := s.checkLimits(0, 1); err != nil {
			return row, err
		}
	}
	s.setRow(at, row)
	return row, nil
}

// remove removes all of the rules, or none if one does not exist. The ids are sorted and
// distinct.
func (s *ruleSet) remove(ids []shop.RuleID) error {
	left := slices.DeleteFunc(slices.Clone(s.rows), func(r redirectdb.Rule) bool {
		_, gone := slices.BinarySearch(ids, r.ID)
		return gone
	})
	if len(s.rows)-len(left) != len(ids) {
		return redirectdb.ErrRuleNotFound
	}
	s.setRows(left)
	return nil
}

// order sorts the set by a list that contains every rule exactly once.
func (s *ruleSet) order(ids []shop.RuleID) error {
	place := make(map[shop.RuleID]int, len(ids))
	for i, id := range ids {
		place[id] = i + 1
	}
	if len(ids) != len(s.rows) || len(place) != len(ids) {
		return redirectdb.ErrRuleNotFound.At("ids").With("the list must contain every rule exactly once")
	}
	for i := range s.rows {
		n, named := place[s.rows[i].ID]
		if !named {
			return redirectdb.ErrRuleNotFound.At("ids").With("the list must contain every rule exactly once")
		}
		s.rows[i].SortOrder = n
	}
	s.setRows(s.rows)
	return nil
}

// checkLimits refuses rules beyond the limits of the plan or the ceilings of all plans.
func (s *ruleSet) checkLimits(rules, masks int) error {
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

// site returns the compiled shop with the current set.
func (s *ruleSet) site() *compile.Site {
	if s.after == nil {
		s.after = s.before.With(compile.Delta{Shop: s.shop, Rules: load.CompilerRules(s.rows)})
	}
	return s.after
}

// check refuses a set whose redirects form loops or long chains, unless they already did before
// (document 3, 4.5). The refusal contains the ids of the rules involved; the id of an unsaved
// rule is 0.
func (s *ruleSet) check() error {
	circle, found := s.site().FindLoop(s.before)
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

// changes returns the differences to the stored set.
func (s *ruleSet) changes() (list []redirectdb.RuleChange) {
	base := s.cached.Rules
	place := places{rows: base}
	kept := make([]bool, len(base))
	for i := range s.rows {
		now := &s.rows[i]
		j := place.of(now.ID)
		if j < 0 {
			row := *now
			list = append(list, redirectdb.RuleChange{New: &row})
			continue
		}
		kept[j] = true
		if base[j] != *now && !base[j].Equal(*now) {
			was, row := base[j], *now
			list = append(list, redirectdb.RuleChange{Old: &was, New: &row})
		}
	}
	for j, there := range kept {
		if !there {
			was := base[j]
			list = append(list, redirectdb.RuleChange{Old: &was})
		}
	}
	return list
}

// places looks up rules that are mostly requested in order, so that editing one of 20,000 rules
// needs no map of them.
type places struct {
	rows []redirectdb.Rule
	next int
	byID map[shop.RuleID]int
}

// of returns the position of a rule, or -1.
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
