package redirect

import "vitrine/internal/shop"

// Kind selects how a rule's source is compared.
type Kind string

// The kinds of rules (document 3, 2.6).
const (
	Exact   Kind = "exact"
	Pattern Kind = "pattern" // a mask with stars
	Prefix  Kind = "prefix"
)

// Values lists the kinds as texts.
func (Kind) Values() []string { return shop.Texts([]Kind{Exact, Pattern, Prefix}) }

// Rule is one redirect rule, as stored (document 3, 2.6).
type Rule struct {
	ID           shop.RuleID
	Kind         Kind
	From         string // from_path, as typed
	To           string // to_target, as typed
	External     bool
	Code         int // 301 or 302
	Enabled      bool
	OverrideLive bool
	DropQuery    bool
	QueryMatch   string // "key=value", exact rules only
	SortOrder    int
	Note         string
}

// Key returns the comparison key of the source, including stars: "/goods/*". It is empty when the
// source is not a path.
func (r Rule) Key() string {
	key, err := Key(r.From)
	if err != nil {
		return ""
	}
	return key
}

// DuplicateKey is equal for two rules that must not be in the same set: same kind, key and
// condition (REDIRECT_DUPLICATE). It contains no NUL and is meant for comparison, not for
// display.
func (r Rule) DuplicateKey() string {
	key := r.From
	if src, err := parseSource(new(Address), r.From); err == nil {
		key = src.identity()
	}
	return string(r.Kind) + "\n" + key + "\n" + r.QueryMatch
}
