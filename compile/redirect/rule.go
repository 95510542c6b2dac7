package redirect

import (
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// Kind is how a rule's source is compared.
type Kind string

// The kinds of rules (document 3, 2.6).
const (
	Exact   Kind = "exact"
	Pattern Kind = "pattern" // a mask with stars
	Prefix  Kind = "prefix"
)

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

// Key is the comparison key of the source, stars included: "/goods/*". It is
// empty when the source is no path.
func (r Rule) Key() string {
	key, err := Key(r.From)
	if err != nil {
		return ""
	}
	return key
}

// DuplicateKey is equal for two rules that may not stand in one set: same kind,
// key and condition (REDIRECT_DUPLICATE). It holds no NUL and is meant for
// comparison, not for people.
func (r Rule) DuplicateKey() string {
	key := r.From
	if src, err := parseSource(new(Address), r.From); err == nil {
		key = src.identity()
	}
	return string(r.Kind) + "\n" + key + "\n" + r.QueryMatch
}

// Probes are addresses that the rule matches when no other rule stands before
// it: for an exact rule its source with its condition, for a mask its stars
// filled in, for a prefix or a mask with ** no tail, one and two segments. The
// loop check walks from them (document 3, 4.5).
func (r Rule) Probes() []string {
	switch r.Kind {
	case Pattern:
		return maskProbes(r.From)
	case Prefix:
		base := strings.TrimRight(strings.TrimRight(r.From, "/"), "*")
		return []string{base, base + "p1q", base + "p1q/p2q"}
	}
	if r.QueryMatch != "" {
		return []string{r.From + "?" + r.QueryMatch}
	}
	return []string{r.From}
}

// maskProbes fills each star with a piece of its own, so that swapped captures
// show in the addresses that follow.
func maskProbes(from string) []string {
	from = strings.TrimRight(from, "/")
	head, rest := from, strings.HasSuffix(from, "/**")
	if rest {
		head = strings.TrimSuffix(from, "**")
	}
	var b strings.Builder
	stars := 0
	for i := range len(head) {
		if head[i] == '*' {
			stars++
			b.WriteString("p" + strconv.Itoa(stars) + "q")
			continue
		}
		b.WriteByte(head[i])
	}
	filled := b.String()
	if !rest {
		return []string{filled}
	}
	return []string{filled, filled + "p8q", filled + "p8q/p9q"}
}
