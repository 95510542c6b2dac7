package compile

import (
	"strings"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// probes lists the addresses that the loop check walks from: what every rule
// says it matches, addresses where the target of one mask or prefix meets the
// source of another, addresses that masks and prefixes lead to those, and all
// of them with the query pairs that rules on their way ask for.
func probes(s *Site) []string {
	p := &prober{
		s: s, known: map[string]bool{}, words: map[string]bool{}, walk: Walk{ruleOnly: true},
		targets: map[string][]*bend{}, sources: map[string][]*bend{}, conditions: map[string][]string{},
	}
	p.readRules()
	p.meet()
	p.spell()
	p.lead(0)
	n := len(p.found)
	p.leadFromAnywhere()
	p.lead(n)
	p.ask()
	list := make([]string, len(p.found))
	for i, f := range p.found {
		list[i] = f.address
	}
	return list
}

// prober collects probes.
type prober struct {
	s          *Site
	walk       Walk
	known      map[string]bool
	found      []probe
	bent       []*bend             // masks and prefixes whose target has a shape
	shapeless  []*bend             // masks whose target has none
	words      map[string]bool     // literals of masks and prefixes
	targets    map[string][]*bend  // the same by the first segment of the target; "*" where it is no literal
	sources    map[string][]*bend  // all masks and prefixes by the first segment of the source
	conditions map[string][]string // query_match of exact rules by key
}

// probe is an address to start from and the rules it was derived by. A rule
// leads to a probe once: /go/go/go/… under /go/** is finite and nobody's
// address, so it is no reason to refuse the rule.
type probe struct {
	address string
	used    []shop.RuleID
}

// bend is a mask or prefix as a pair of shapes.
type bend struct {
	id             shop.RuleID
	source, target shape
}

// maxProbes bounds the work of a check beyond what rules say of themselves.
const maxProbes = 20_000

func (p *prober) add(address string, used []shop.RuleID, by shop.RuleID) {
	if p.known[address] {
		return
	}
	p.known[address] = true
	p.found = append(p.found, probe{address, append(used[:len(used):len(used)], by)})
}

func (p *prober) readRules() {
	for rule := range p.s.set.All() {
		usual := rule.Probes()
		for _, address := range usual {
			p.add(address, nil, rule.ID)
		}
		if rule.Kind != redirect.Exact {
			b := &bend{id: rule.ID, source: sourceShape(rule)}
			p.insist(b, usual)
			p.enter(b, rule)
		} else if rule.QueryMatch != "" {
			key := rule.Key()
			p.conditions[key] = append(p.conditions[key], rule.QueryMatch)
		}
	}
}

// enter puts a mask or prefix where the steps below look for it.
func (p *prober) enter(b *bend, rule *redirect.Rule) {
	p.sources[b.source.head()] = append(p.sources[b.source.head()], b)
	for _, piece := range b.source.pieces {
		p.words[piece.before], p.words[piece.after] = true, true
	}
	target, ok := p.targetShape(rule)
	if !ok {
		p.shapeless = append(p.shapeless, b)
		return
	}
	b.target = target.openEnd(b.source.rest)
	p.bent = append(p.bent, b)
	p.targets[b.target.head()] = append(p.targets[b.target.head()], b)
}

// insist finds an address that the rule itself answers, where rules before it
// take all its usual probes.
func (p *prober) insist(b *bend, usual []string) {
	for _, address := range usual {
		if p.answers(b.id, address) {
			return
		}
	}
	for n := range 3 {
		for _, filler := range fillers {
			if address := b.source.filled(filler, n); p.answers(b.id, address) {
				p.add(address, nil, b.id)
				break
			}
		}
	}
}

func (p *prober) answers(rule shop.RuleID, address string) bool {
	d := p.s.Resolve(&p.walk, p.s.host(), address)
	return d.By == ByRule && d.Rule == rule
}

// targetShape reads a target that stays on the shop.
func (p *prober) targetShape(rule *redirect.Rule) (shape, bool) {
	_, path, here := p.s.local(rule.To, "")
	if !here {
		return shape{}, false
	}
	path, _, _ = strings.Cut(path, "?")
	return targetShape(path, rule.Kind == redirect.Prefix)
}
