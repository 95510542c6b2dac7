package shop

import (
	"slices"
	"strings"
)

// Role is a person's role in a shop. Roles are ordered: an owner has all rights of an
// admin, an admin all rights of an editor.
type Role string

// The roles.
const (
	Owner  Role = "owner"
	Admin  Role = "admin"
	Editor Role = "editor"
)

// Roles lists the roles, the highest first.
var Roles = []Role{Owner, Admin, Editor}

// Values lists the roles as texts.
func (Role) Values() []string { return Texts(Roles) }

// CanManage reports whether the role is owner or admin, which sensitive scopes,
// html documents of level 3, redirects and site files require.
func (r Role) CanManage() bool { return r == Owner || r == Admin }

// Known reports whether r is one of the three roles.
func (r Role) Known() bool { return slices.Contains(Roles, r) }

// Above reports whether r has more rights than other; an unknown role is below all others.
func (r Role) Above(other Role) bool { return r.rank() > other.rank() }

func (r Role) rank() int {
	switch r {
	case Owner:
		return 3
	case Admin:
		return 2
	case Editor:
		return 1
	}
	return 0
}

// Contour is where writes go: the live shop or its draft (document 1, section 1). It is a
// property of a key.
type Contour string

// The contours.
const (
	Prod Contour = "prod"
	Dev  Contour = "dev"
)

// Values lists the contours as texts.
func (Contour) Values() []string { return Texts([]Contour{Prod, Dev}) }

// Scope is a right of a key, such as "catalog:read".
type Scope string

// Values lists the scopes as texts.
func (Scope) Values() []string {
	texts := make([]string, len(Scopes))
	for i, s := range Scopes {
		texts[i] = string(s.Scope)
	}
	return texts
}

// MaxScopes is how many scopes one key may have (document 1, section 8).
const MaxScopes = 32

// ScopeInfo describes a scope for /docs/scopes.json.
type ScopeInfo struct {
	Scope     Scope  `json:"scope"`
	Sensitive bool   `json:"sensitive"`
	Opens     string `json:"opens"`
}

// Scopes lists all scopes, in the order of the specification's table (document 1, section
// 5). Sensitive ones are for owners and admins only.
var Scopes = []ScopeInfo{
	{"catalog:read", false, "Catalogue reads and the owner's view: drafts, hidden categories, review moderation"},
	{"catalog:write", false, "Create and edit products, categories, attributes, content blocks and bindings"},
	{"orders:read", true, "Read orders"},
	{"orders:write", true, "Change order status, refund"},
	{"stats:read", false, "Statistics"},
	{"storage:read", false, "Media library reads"},
	{"storage:write", false, "File upload and change"},
	{"domain:read", false, "The shop's own domain: read"},
	{"domain:write", false, "The shop's own domain: connect and remove"},
	{"promotions:read", false, "Promotions, coupons and sets: read"},
	{"promotions:write", false, "Promotions, coupons and sets: change"},
	{"pricing:read", true, "Quantity-pricing rules: read"},
	{"pricing:write", true, "Quantity-pricing rules: change"},
	{"customers:read", true, "Customer base and groups: read"},
	{"customers:write", true, "Customer base and groups: change"},
	{"access:read", true, "Access policies of closed resources: read"},
	{"access:write", true, "Access policies of closed resources: change"},
	{"publish:write", true, "Publish a draft to the live site"},
	{"forms:read", false, "Lead-form builder: read"},
	{"forms:write", false, "Lead-form builder: change"},
	{"leads:read", true, "Buyer leads (personal data): read"},
	{"leads:write", true, "Buyer leads (personal data): change"},
	{"redirects:read", false, "Redirect rules: read"},
	{"redirects:write", false, "Redirect rules: change"},
	{"site-files:read", false, "Site files: read and preview"},
	{"site-files:write", false, "Site files: change"},
}

// ParseScopes parses "all" or a comma-separated list. It returns unknown names so that the
// caller can report them.
func ParseScopes(text string) (known []Scope, unknown []string) {
	if text == "all" {
		for _, s := range Scopes {
			known = append(known, s.Scope)
		}
		return known, nil
	}
	for _, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if i := scopeIndex(Scope(name)); i < 0 {
			unknown = append(unknown, name)
		} else if !slices.Contains(known, Scope(name)) {
			known = append(known, Scope(name))
		}
	}
	return known, unknown
}

// Sensitive reports whether only owners and admins may grant the scope.
func (s Scope) Sensitive() bool {
	i := scopeIndex(s)
	return i >= 0 && Scopes[i].Sensitive
}

func scopeIndex(s Scope) int {
	return slices.IndexFunc(Scopes, func(i ScopeInfo) bool { return i.Scope == s })
}

// AgentScopes are the scopes that an agent gets unless others are asked for: it reads and edits what
// has a draft, and sees no personal data. No scope is sensitive, so a person publishes.
func AgentScopes() (list []Scope) {
	writes := []Scope{"catalog:write", "storage:write", "forms:write"}
	for _, s := range Scopes {
		if !s.Sensitive && (strings.HasSuffix(string(s.Scope), ":read") || slices.Contains(writes, s.Scope)) {
			list = append(list, s.Scope)
		}
	}
	return list
}
