package movein

import (
	"strings"

	"vitrine/compile/redirect"
)

// Paths are the final paths of what a plan brought, by key: /products/tea. A key that is missing
// was not brought. Other pages of the shop may be among them, under keys that the plan does not
// have: an old address that ends in the slug of one of them needs a rule.
type Paths struct {
	Sections, Products, Articles, Pages map[string]string
}

// Redirects returns the rules that lead the old addresses of a plan's objects to their final
// paths, where the shop would not answer an old address by itself. Rules are normalized, enabled
// and distinct. The first address of each object comes before further ones, and products before
// articles, so that what a limit cuts off matters least.
func Redirects(p *Plan, paths Paths) []redirect.Rule {
	m := &mover{seen: map[string]bool{}, slugs: map[string]int{}}
	for _, final := range []map[string]string{paths.Sections, paths.Products, paths.Articles, paths.Pages} {
		for _, path := range final {
			m.slugs[lastOf(path)]++
		}
	}
	for turn, more := 0, true; more; turn++ {
		more = false
		lead := func(to string, old []string) {
			if turn < len(old) && to != "" {
				m.lead(old[turn], to)
			}
			more = more || turn+1 < len(old)
		}
		for _, one := range p.Products {
			lead(paths.Products[one.Key], one.Old)
		}
		for _, one := range p.Sections {
			lead(paths.Sections[one.Key], one.Old)
		}
		for _, one := range p.Articles {
			lead(paths.Articles[one.Key], one.Old)
		}
		for _, one := range p.Pages {
			lead(paths.Pages[one.Key], one.Old)
		}
	}
	return m.rules
}

// mover collects rules.
type mover struct {
	rules []redirect.Rule
	seen  map[string]bool
	slugs map[string]int // how many final paths end in a slug
}

func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// lead adds the rule for an old address if one is needed. A path that ends in the slug of the new
// one is answered without a rule, unless something else has that slug too: the edge would find
// that one first.
func (m *mover) lead(old, to string) {
	path, query, _ := strings.Cut(old, "?")
	r := redirect.Rule{From: path, To: to, Code: 301, Enabled: true, QueryMatch: query}
	if query != "" {
		r.DropQuery, r.OverrideLive = true, path == "/"
	}
	key, isMask := r.Key(), strings.Contains(path, "*")
	slug := strings.ToLower(lastOf(to))
	switch {
	case key == "" || query == "" && key == strings.ToLower(to):
		return
	case query == "" && lastOf(key) == slug && m.slugs[lastOf(to)] < 2:
		return
	case query == "" && lastOf(key) == slug:
		r.OverrideLive = true
	}
	if isMask { // a prefix would append its tail
		r.Kind = redirect.Pattern
	}
	done, err := redirect.Normalize(r)
	if err != nil || m.seen[done.DuplicateKey()] {
		return
	}
	m.seen[done.DuplicateKey()] = true
	m.rules = append(m.rules, done)
}
