package compile

import (
	"maps"
	"slices"
	"strings"

	"vitrine/compile/redirect"
)

// meet adds addresses of every source that a target can produce.
func (p *prober) meet() {
	tries, all := 0, slices.Sorted(maps.Keys(p.sources))
	for _, from := range p.bent {
		heads := all
		if head := from.target.head(); head != "*" {
			heads = []string{head, "*"}
		}
		for _, head := range heads {
			for _, to := range p.sources[head] {
				if tries++; tries > 10*maxProbes {
					return
				}
				for _, filler := range fillers[:2] {
					if path, ok := meet(from.target, to.source, filler); ok {
						p.add(path, nil, to.id)
					}
				}
			}
		}
	}
}

// spell fills the stars of masks whose target cannot be read backwards with
// the literals of all masks: what comes out may be a source again.
func (p *prober) spell() {
	words, limit := slices.Sorted(maps.Keys(p.words)), len(p.found)+maxProbes
	for _, b := range p.shapeless {
		for _, word := range words {
			if word == "" || len(p.found) > limit {
				continue
			}
			p.add(b.source.filled(word, 1), nil, b.id)
			for star := range b.source.stars() {
				p.add(b.source.filledOne(star+1, word), nil, b.id)
			}
		}
	}
}

// lead goes backwards from the probes since the i-th, and from what that finds,
// by the masks and prefixes whose target they are, so that a chain is seen from
// its beginning.
func (p *prober) lead(i int) {
	limit := len(p.found) + maxProbes
	for ; i < len(p.found) && len(p.found) < limit; i++ {
		if f := p.found[i]; len(f.used) <= MaxHops {
			p.origins(f, func(key string) []*bend { return p.targets[firstSegment(key)] })
		}
	}
}

// leadFromAnywhere takes one more step back by rules that may lead to every
// address, such as /old/* to /. They are tried once for each probe: going back
// by several of them would only make up addresses like /old/shop/old2/….
func (p *prober) leadFromAnywhere() {
	n, limit := len(p.found), len(p.found)+maxProbes
	for i := 0; i < n && len(p.found) < limit; i++ {
		p.origins(p.found[i], func(string) []*bend { return p.targets["*"] })
	}
}

// origins adds the addresses that some rules turn into a probe.
func (p *prober) origins(f probe, rules func(key string) []*bend) {
	path, query, _ := strings.Cut(f.address, "?")
	key, err := redirect.Key(path)
	if err != nil {
		return
	}
	for _, b := range rules(key) {
		if origin, ok := b.backwards(key, f.used); ok {
			if query != "" {
				origin += "?" + query
			}
			p.add(origin, f.used, b.id)
		}
	}
}

// ask follows every probe and, where a rule on the way asks for a query pair
// that the probe does not have, adds the probe with that pair: two rules with
// different conditions may send a visitor who carries both in a circle.
func (p *prober) ask() {
	if len(p.conditions) == 0 {
		return
	}
	limit := len(p.found) + maxProbes
	for i := 0; i < len(p.found) && len(p.found) < limit; i++ {
		f := p.found[i]
		if len(f.used) <= MaxHops {
			p.askAlong(f)
		}
	}
}

func (p *prober) askAlong(f probe) {
	host, at, here := p.s.host(), f.address, true
	for range MaxHops {
		d := p.s.Resolve(&p.walk, host, at)
		if d.Kind != Redirect {
			return
		}
		if host, at, here = p.s.local(d.Location, host); !here {
			return
		}
		if p.walk.addr.Parse(at) != nil {
			return
		}
		for _, pair := range p.conditions[view(p.walk.addr.Key)] {
			if !hasPair(p.walk.addr.Query, pair) && !hasPair(afterMark(f.address), pair) {
				p.add(withPair(f.address, pair), f.used, d.Rule)
			}
		}
	}
}

func afterMark(address string) string {
	_, query, _ := strings.Cut(address, "?")
	return query
}

func hasPair(query, pair string) bool {
	for part := range strings.SplitSeq(query, "&") {
		if part == pair {
			return true
		}
	}
	return false
}

func withPair(address, pair string) string {
	if strings.Contains(address, "?") {
		return address + "&" + pair
	}
	return address + "?" + pair
}
