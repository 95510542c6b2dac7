package movein

import "vitrine/compile/redirect"

// Paths are the final paths of what a plan brought, by key: /products/tea. A key that is missing
// was not brought.
type Paths struct {
	Sections, Products, Articles, Pages map[string]string
}

// Redirects returns the rules that lead the old addresses of a plan's objects to their final
// paths, products first, where the shop would not answer an old address by itself. Rules are
// normalized, enabled and distinct.
func Redirects(p *Plan, paths Paths) []redirect.Rule {
	return nil
}
