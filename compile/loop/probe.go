package loop

import (
	"iter"
	"slices"
	"strings"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// probe is an address to walk from.
type probe struct {
	address   string
	depth     int  // how many words were replaced and pairs added to the query
	html      bool // a word was replaced by a text that ends in .html
	prefix    bool // the source is that of a prefix, so all words belong to its tail
	keepsTail bool // the words of the tail are replaced only to find chains that are too long
}

const (
	aroundHops  = 2         // by which pages and other hosts lengthen a chain of rules
	maxSteps    = 15_000    // redirects that a search follows from its queue, and probes in the queue
	maxCompared = 5_000_000 // rules that a search compares with addresses
	maxDepth    = 12        // of a probe
	grownDepth  = 4         // of a probe whose address grows until it is too long
	maxTail     = 8         // words of a tail
	maxPairs    = 6         // of a probe's query
	maxLength   = 1000      // bytes of a probe
)

// fromRules yields the sources of rules. Only prefixes and ** match a tail that is
// longer than every mask. Tails in between are tried if a second rule answers.
func (f *finder) fromRules() iter.Seq[probe] {
	return func(yield func(probe) bool) {
		set := f.s.Set
		longest := set.Depth() + 1
		for rank := range int32(set.Len()) {
			if !f.worth(rank, 0) {
				continue
			}
			rule, moves := set.Rule(rank), set.MovesTail(rank)
			tails, more := []int{1}, moves || len(f.exact) > 0
			if set.Tailed(rank) {
				tails = []int{1, 0, longest, 2, 3, 4, 5, 6, 7, 8}
			}
			for i, tail := range tails {
				if i > 2 && (!more || tail > longest && !moves) {
					break
				}
				if !yield(probe{address: set.Probe(rank, tail), depth: min(tail/2, 1), prefix: rule.Kind == redirect.Prefix, keepsTail: !moves}) {
					return
				}
				more = more || len(f.used) > 1
			}
		}
	}
}

// fromPages yields the sources of exact rules with override_live, and the addresses
// of pages that masks and prefixes with override_live may match.
func (f *finder) fromPages() iter.Seq[probe] {
	return func(yield func(probe) bool) {
		set := f.s.Set
		var over []int32
		for rank := range int32(set.Len()) {
			rule := set.Rule(rank)
			switch {
			case !rule.OverrideLive:
			case rule.Kind != redirect.Exact:
				over = append(over, rank)
			case !yield(probe{address: set.Probe(rank, 0)}):
				return
			}
		}
		if over == nil {
			return
		}
		covered := func(section string) bool {
			segments := redirect.Segments(section + "/" + redirect.Mark)
			return slices.ContainsFunc(over, func(rank int32) bool { return set.MayMatch(rank, segments) })
		}
		for url := range f.s.Pages(covered) {
			if !yield(probe{address: url}) {
				return
			}
		}
	}
}

// push adds a probe to the queue.
func (f *finder) push(x probe) {
	if len(f.queued) < maxSteps && len(x.address) < maxLength && !f.queued[x.address] {
		f.queued[x.address] = true
		f.queue = append(f.queue, x)
	}
}

// hops counts the redirects of the chain from a probe, up to one too many, and
// pushes the probes whose chains come closer to other rules.
func (f *finder) hops(x probe) (hops int) {
	f.used, f.once = f.used[:0], true
	for n, hop := range f.s.Chain(x.address, f.pages) {
		f.steps += 1 + len(hop.Address.Path)/100
		// A replaced word may let an address double once more, so an address that is too long
		// shows an endless chain only after more redirects than words were replaced.
		if n > MaxHops || hop.TooLong && x.depth <= grownDepth && n > x.depth+1 {
			return MaxHops + 1
		}
		if hops = n; n > 0 && len(hop.Address.Key) > 0 {
			f.refine(x, n, hop.Address)
		}
		if hop.Rule != 0 {
			f.once = f.staysOnce(hop.Rule)
			f.used = append(f.used, hop.Rule)
		}
	}
	return hops
}

// staysOnce reports whether once still holds when a rule is used next.
func (f *finder) staysOnce(id shop.RuleID) bool {
	return f.once && !slices.Contains(f.used, id) && !(f.anywhere[id] && shares(f.used, f.anywhere))
}

// refine pushes the probes whose chains come closer to another rule at an address,
// which the chain from x reaches after some hops.
func (f *finder) refine(x probe, hops int, at *redirect.Address) {
	if x.depth >= maxDepth || f.compared > maxCompared || len(f.queued) >= maxSteps {
		return
	}
	x.depth++
	key := string(at.Key)
	first := strings.Index(key, redirect.Mark)
	if first < 0 {
		f.ask(x, hops, at)
		return
	}
	goesOn := x.depth == 1 || len(f.used) > 1 // whether a second rule may take part
	var goal shop.RuleID
	fill := func(word, text string) {
		if y := x; !x.keepsTail || !redirect.IsTail(word) || goal != 0 && f.staysOnce(goal) {
			y.address, y.html = redirect.Fill(x.address, word, text), x.html || strings.HasSuffix(text, ".html")
			f.push(y)
			goesOn = true
		}
	}
	segments := redirect.Segments(key)
	fit := func(ranks []int32) {
		f.compared += len(ranks)
		for _, rank := range ranks {
			if f.s.Set.Rule(rank).Kind == redirect.Pattern || strings.HasPrefix(f.s.Set.Key(rank), key[:first]) && f.worth(rank, hops) {
				goal = f.s.Set.Rule(rank).ID
				f.s.Set.Fit(rank, segments, fill)
			}
		}
	}
	if fit(f.exact); len(f.used) == 0 || x.prefix && len(f.exact) == 0 {
		return
	}
	fit(f.stars)
	goal = 0
	appends := goesOn // whether to append .html to a word, which could go on for ever
	redirect.FitHTML(segments, func(word, text string) {
		if appends || !strings.Contains(text, word) {
			fill(word, text)
		}
	})
}

// ask pushes the probes whose queries meet the conditions of exact rules at an
// address.
func (f *finder) ask(x probe, hops int, at *redirect.Address) {
	var ranks []int32
	path, query, _ := strings.Cut(x.address, "?")
	for rank := range f.s.Set.Conditions(at) {
		f.compared += 5
		if (f.pages || f.worth(rank, hops)) && !f.meets(at.Query, rank) && !f.meets(query, rank) {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	for _, rank := range ranks {
		if y := x; strings.Count(query, "&") < maxPairs {
			y.address = path + "?" + strings.TrimPrefix(query+"&"+f.s.Set.Rule(rank).QueryMatch, "&")
			f.push(y)
		}
	}
}

// meets reports whether a query meets the condition of an exact rule.
func (f *finder) meets(query string, rank int32) bool {
	return slices.Contains(strings.Split(query, "&"), f.s.Set.Rule(rank).QueryMatch)
}
