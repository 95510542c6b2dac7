package compile

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

var (
	bruteSets = flag.Int("brute.sets", 0, "how many random rule sets TestLoopsAgainstBruteForce tries; 0: as many as fit in one second")
	bruteSeed = flag.Uint64("brute.seed", 1, "seed of the first rule set")
)

// The loop check agrees with walking every short address of a set: it refuses endless chains, and
// whatever it refuses is endless.
func TestLoopsAgainstBruteForce(t *testing.T) {
	deadline := time.Now().Add(time.Second)
	sets, loops := 0, 0
	for ; *bruteSets == 0 && time.Now().Before(deadline) || sets < *bruteSets; sets++ {
		seed := *bruteSeed + uint64(sets)
		in := drawShop(rand.New(rand.NewPCG(seed, 0)))
		s := New(in)
		walked := &bruteWalk{s: s}
		witness := walked.shortLoop(in)
		c, found := s.FindLoop(nil)
		endless := found && c.Endless
		if endless {
			loops++
		}
		switch {
		case witness != "" && !endless:
			t.Fatalf("seed %d: %s never ends, but the check reports %v\n%s", seed, witness, c, printRules(in.Rules))
		case endless && !walked.endless(c.Chain[0], false) && !walked.endless(c.Chain[0], true) && walked.hops <= maxHopsChecked:
			t.Fatalf("seed %d: the check reports that %s never ends, but it does\n%s", seed, c.Chain[0], printRules(in.Rules))
		}
	}
	t.Logf("%d sets from seed %d, %d of them with a loop", sets, *bruteSeed, loops)
}

func printRules(rules []redirect.Rule) string {
	var b strings.Builder
	for _, r := range rules {
		fmt.Fprintf(&b, "%s %s -> %s ?%s override %v drop %v\n", r.Kind, r.From, r.To, r.QueryMatch, r.OverrideLive, r.DropQuery)
	}
	return b.String()
}

// maxHopsChecked is the length from which the check may call a finite chain endless: no client
// follows a chain that far.
const maxHopsChecked = 1000

// bruteWalk follows chains using only Resolve.
type bruteWalk struct {
	s    *Site
	w    Walk
	hops int // of the latest chain
}

var bruteNames = []string{"a", "b", "ab", "ba", "c", "a.html", "p"}

// bruteAddresses holds every path of up to two of the names, and of three segments with the first
// four of them.
var bruteAddresses = append(shortPaths(bruteNames, 2), shortPaths(bruteNames[:4], 3)...)

// shortLoop returns an address of up to three segments whose chain never ends, or "".
func (b *bruteWalk) shortLoop(in Input) string {
	queries := []string{""}
	for _, r := range in.Rules {
		if r.QueryMatch != "" {
			queries = []string{"", "?x=1", "?y=a", "?y=a&x=1"}
		}
	}
	for _, address := range append([]string{"/"}, bruteAddresses...) {
		for _, query := range queries {
			if b.endless(address+query, true) || len(in.Categories) > 0 && b.endless(address+query, false) {
				return address + query
			}
		}
	}
	return ""
}

func (b *bruteWalk) endless(start string, ruleOnly bool) bool {
	b.w.ruleOnly = ruleOnly
	host, at, here := b.s.host(), start, true
	var seen map[string]bool
	for hop := 0; ; hop++ {
		b.hops = hop
		d := b.s.Resolve(&b.w, host, at)
		if d.Kind != Redirect {
			return d.Kind == TooLong
		}
		if hop > 300 && len(d.Location) > 500 {
			return true // the Location grows a little with every round
		}
		if hop > 20 {
			state := host + string(b.w.addr.Key) + "?" + b.w.addr.Query
			if seen[state] {
				return true
			}
			if seen == nil {
				seen = map[string]bool{}
			}
			seen[state] = true
		}
		if host, at, here = b.s.local(strings.Clone(d.Location), host); !here {
			return false
		}
	}
}

// drawShop returns a small random shop: a few rules over a few letters, with or without pages.
func drawShop(r *rand.Rand) Input {
	in := Input{Shop: Shop{Origin: "https://shop.test", Hosts: []string{"shop.test", "www.shop.test"}}}
	if r.IntN(3) == 0 {
		in.Shop.MissFallback = r.IntN(2) == 0
		in.Categories = []Category{
			{ID: 1, Slug: "a", Type: TypeProduct, Published: true}, {ID: 2, Parent: 1, Slug: "b", Type: TypeProduct, Published: r.IntN(2) == 0},
		}
		in.Products = []Product{{ID: 10, Category: shop.CategoryID(1 + r.IntN(2)), Slug: "p", Published: r.IntN(4) > 0}}
		in.Journal = []Journal{{EntityProduct, "c", 10}, {EntityCategory, "ab", 1}}
	}
	for n := 1 + r.IntN(5); len(in.Rules) < n; {
		rule, err := redirect.Normalize(drawRule(r))
		if err == nil {
			rule.ID, rule.SortOrder = shop.RuleID(len(in.Rules)+1), len(in.Rules)
			in.Rules = append(in.Rules, rule)
		}
	}
	return in
}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

func drawRule(r *rand.Rand) redirect.Rule {
	rule := redirect.Rule{Enabled: true, OverrideLive: r.IntN(3) == 0, DropQuery: r.IntN(8) == 0}
	kind := r.IntN(4)
	rule.Kind = []redirect.Kind{redirect.Exact, redirect.Pattern, redirect.Pattern, redirect.Prefix}[kind]
	for range 1 + r.IntN(2) {
		if kind == 1 {
			rule.From += "/" + pick(r, "a", "b", "*", "a*", "*b", "b*", "*.html", "*a")
		} else {
			rule.From += "/" + pick(r, "a", "b", "c", "a.html")
		}
	}
	switch kind {
	case 0:
		rule.QueryMatch = pick(r, "", "", "", "x=1", "y=a")
	case 2:
		if r.IntN(3) == 0 {
			rule.From = pick(r, "", "/*", "/a*")
		}
		rule.From += "/**"
	case 3:
		rule.From += "/*"
	}
	stars := strings.Count(strings.ReplaceAll(rule.From, "**", "*"), "*")
	if rule.Kind == redirect.Prefix {
		stars = 0
	}
	for range r.IntN(3) {
		rule.To += "/" + drawPart(r, stars)
	}
	if rule.To == "" {
		rule.To = "/"
	}
	switch r.IntN(12) {
	case 0:
		rule.To += pick(r, "?x=1", "?x=2", "?y="+drawPart(r, stars))
	case 1:
		rule.To, rule.External = pick(r, "https://shop.test", "http://www.shop.test")+rule.To, true
	}
	return rule
}

func drawPart(r *rand.Rand, stars int) string {
	if stars == 0 || r.IntN(3) == 0 {
		return pick(r, "a", "b", "ab", "c", "p", "a.html")
	}
	star := fmt.Sprintf("$%d", 1+r.IntN(stars))
	return pick(r, star, star, star, "a"+star, star+"b", star+".html", star+star, star+"a")
}

// shortPaths returns every path of up to the given number of segments.
func shortPaths(names []string, segments int) (paths []string) {
	level := []string{""}
	for range segments {
		var next []string
		for _, base := range level {
			for _, name := range names {
				next = append(next, base+"/"+name)
			}
		}
		paths, level = append(paths, next...), next
	}
	return paths
}
