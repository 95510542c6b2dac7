package compile

import (
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine/compile/price"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// Policy closes resources to visitors who have not opened it (CONTRACT-COMMERCE, "Customers,
// closed resources, statistics").
//
// The policies nearest to a resource decide: its own, otherwise those of the nearest section
// above it that has any. For a product or an article the search starts at the section that
// contains its address. If several policies are equally near, any one of them opens the resource.
// So everything below a closed section is closed with it, and an inner section with its own
// policy requires only that policy. A set is closed when any product in it is closed.
type Policy struct {
	ID          shop.PolicyID
	Name        string // shown to the shop's staff
	Kind        shop.PolicyKind
	Groups      []shop.CustomerGroupID // customer groups, for a policy by group
	Title, Text string                 // of the page shown to visitors without access
	Sections    []shop.CategoryID
	Products    []shop.ProductID
	Articles    []shop.ArticleID
	Grants      []Grant // passwords that were not deleted, including expired ones
}

// Grant is a password of a policy, as seen from a visitor who has entered it.
type Grant struct {
	ID    shop.GrantID
	Until time.Time // expiry; zero: never
}

// closing holds the compiled policies of a shop that closes anything.
type closing struct {
	policies map[shop.PolicyID]Policy
	sections map[shop.CategoryID][]shop.PolicyID // including the subsections
	products map[shop.ProductID][]shop.PolicyID
	articles map[shop.ArticleID][]shop.PolicyID
	public   *closedView // for visitors who have opened nothing
}

// closedView is the part of the shop that a visitor sees.
type closedView struct {
	tree   *tree
	hidden *shop.Hidden
	offers *price.Offers // without those that concern only hidden resources
}

// newClosing compiles the policies of a shop; it returns nil when nothing is closed.
func newClosing(s *Site) *closing {
	rows, t := s.policies, s.tree
	c := &closing{
		policies: map[shop.PolicyID]Policy{}, sections: map[shop.CategoryID][]shop.PolicyID{},
		products: map[shop.ProductID][]shop.PolicyID{}, articles: map[shop.ArticleID][]shop.PolicyID{},
	}
	for _, p := range rows {
		c.policies[p.ID] = p
		for _, id := range p.Sections {
			if t.nodes[id] != nil {
				c.sections[id] = append(c.sections[id], p.ID)
			}
		}
		for _, id := range p.Products {
			c.products[id] = append(c.products[id], p.ID)
		}
		for _, id := range p.Articles {
			c.articles[id] = append(c.articles[id], p.ID)
		}
	}
	if len(c.sections)+len(c.products)+len(c.articles) == 0 {
		return nil
	}
	for _, n := range t.order { // parents first
		if n.parent != nil && c.sections[n.ID] == nil && c.sections[n.parent.ID] != nil {
			c.sections[n.ID] = c.sections[n.parent.ID]
		}
	}
	c.public = c.view("", s)
	return c
}

// view returns the shop as visible with these policies opened; nil means all of it.
func (c *closing) view(opened shop.Unlocked, s *Site) *closedView {
	h := &shop.Hidden{
		Categories: idsByAccess(c.sections, opened, false), Products: idsByAccess(c.products, opened, false), Articles: idsByAccess(c.articles, opened, false),
		ShownProducts: idsByAccess(c.products, opened, true), ShownArticles: idsByAccess(c.articles, opened, true),
	}
	if len(h.Categories)+len(h.Products)+len(h.Articles) == 0 {
		return nil
	}
	s.hideSets(h)
	return &closedView{newTree(s.tree.rows, h), h, s.offers.Without(func(id shop.ProductID) bool {
		x, _ := s.products.byID.get(int32(id))
		return h.Product(id, x.category)
	}, h.Category)}
}

// hideSets hides sets that contain a hidden product: their prices would reveal its price, and a
// visitor must not buy a product through a set that they may not see.
func (s *Site) hideSets(h *shop.Hidden) {
	var sets []shop.ProductID
	for id, parts := range s.sets {
		if slices.ContainsFunc(parts, func(part shop.ProductID) bool {
			x, _ := s.products.byID.get(int32(part))
			return h.Product(part, x.category)
		}) {
			sets = append(sets, id)
		}
	}
	h.Products = append(h.Products, sets...)
	slices.Sort(h.Products)
	h.Products = slices.Compact(h.Products)
}

// updateSets updates the contents of sets after products have changed.
func updateSets(sets map[shop.ProductID][]shop.ProductID, rows []Product, gone []shop.ProductID) map[shop.ProductID][]shop.ProductID {
	next, shared := sets, true
	edit := func() {
		if shared {
			next, shared = maps.Clone(sets), false
		}
	}
	for _, p := range rows {
		switch _, was := next[p.ID]; {
		case len(p.Parts) > 0 && !p.Deleted:
			if edit(); next == nil {
				next = map[shop.ProductID][]shop.ProductID{}
			}
			next[p.ID] = p.Parts
		case was:
			edit()
			delete(next, p.ID)
		}
	}
	for _, id := range gone {
		if _, was := next[id]; was {
			edit()
			delete(next, id)
		}
	}
	return next
}

// idsByAccess lists the ids of the closed resources, or of the opened ones when open is set.
func idsByAccess[K any](closed map[shop.Number[K]][]shop.PolicyID, opened shop.Unlocked, open bool) (ids []shop.Number[K]) {
	for id, by := range closed {
		if opened.Allows(by) == open {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// compileClosing recompiles the closed resources after policies or the tree have changed.
func (s *Site) compileClosing() { s.closing = newClosing(s) }

// Closed lists the policies that close a page to visitors who have opened nothing; any one of
// them opens it. It is empty when everybody may see the page. A set whose products are closed by
// several policies requires them one after the other: see ClosedTo.
func (s *Site) Closed(ref PageRef) []shop.PolicyID { return s.ClosedTo(ref, "") }

// ClosedTo is Closed for a visitor who has opened some policies.
func (s *Site) ClosedTo(ref PageRef, opened shop.Unlocked) []shop.PolicyID {
	if s.closing == nil {
		return nil
	}
	if closed := s.closedItself(ref); !opened.Allows(closed) {
		return closed
	}
	if ref.Entity != EntityProduct {
		return nil
	}
	for _, part := range s.sets[shop.ProductID(ref.ID)] {
		if closed := s.closedItself(PageRef{EntityProduct, int64(part)}); !opened.Allows(closed) {
			return closed
		}
	}
	return nil
}

// closedItself lists the policies that close a page by itself or by its section, ignoring the
// contents of a set.
func (s *Site) closedItself(ref PageRef) []shop.PolicyID {
	switch ref.Entity {
	case EntityCategory:
		return s.closing.sections[categoryID(ref.ID)]
	case EntityProduct:
		if own := s.closing.products[shop.ProductID(ref.ID)]; own != nil {
			return own
		}
	case EntityArticle:
		if own := s.closing.articles[shop.ArticleID(ref.ID)]; own != nil {
			return own
		}
	default:
		return nil
	}
	x, _ := s.entriesOf(ref.Entity).byID.get(int32(ref.ID))
	return s.closing.sections[x.category]
}

// ClosedFile is Closed for a site file: the policies of its section.
func (s *Site) ClosedFile(id shop.SiteFileID) []shop.PolicyID {
	if s.closing == nil {
		return nil
	}
	i, ok := s.placed[id]
	if !ok {
		return nil
	}
	return s.closing.sections[s.files[i].Category]
}

// closedAt is Closed for the target of a decision. For a missing address it is that of the
// deepest section containing the address: visitors without access to a section must not learn
// what it lacks either.
func (s *Site) closedAt(w *Walk, d Decision) []shop.PolicyID {
	switch {
	case d.Kind == File:
		return s.ClosedFile(d.File)
	case d.Kind == Page, d.Kind == Feed, d.Kind == Redirect && d.Page.Entity != 0:
		return s.Closed(d.Page)
	case d.Kind == Redirect && d.Rule != 0:
		return s.closedTarget(w, d.Location)
	case d.Kind == NotFound:
		return s.closedPath(w.path, s.tree.paths)
	}
	return nil
}

// closedPath lists the policies that close the deepest section containing a path.
func (s *Site) closedPath(path string, sections map[string]*node) []shop.PolicyID {
	for ; path != ""; path = path[:lastSlash(path)] {
		if n := sections[path]; n != nil {
			return s.closing.sections[n.ID]
		}
	}
	return nil
}

// closedTarget lists the policies that close the page that a rule's target address leads to. A
// redirect at the target is checked when it is followed.
func (s *Site) closedTarget(w *Walk, location string) []shop.PolicyID {
	host, target, ours := s.local(location, w.host)
	if !ours {
		return nil
	}
	var to Walk
	d := s.decide(&to, host, target)
	if d.Kind == Redirect && d.Page.Entity == 0 {
		return nil
	}
	return s.closedAt(&to, d)
}

// ClosedRule reports whether a redirect rule reveals closed resources: its source lies in a
// closed section, or its target is closed.
func (s *Site) ClosedRule(r redirect.Rule) bool {
	if s.closing == nil {
		return false
	}
	w := Walk{host: s.host()}
	return s.closedPath(r.Key(), s.tree.foldedPaths) != nil || s.closedTarget(&w, r.To) != nil
}

// Policy returns a policy of the shop; ok is false when nothing is closed.
func (s *Site) Policy(id shop.PolicyID) (p Policy, ok bool) {
	if s.closing != nil {
		p, ok = s.closing.policies[id]
	}
	return p, ok
}

// ClosedHome finds a home page that is closed, either directly or by a section above it.
func (s *Site) ClosedHome() (home Category, closed bool) {
	for _, n := range s.tree.order {
		if n.Home && s.Closed(PageRef{EntityCategory, int64(n.ID)}) != nil {
			return n.Category, true
		}
	}
	return home, false
}

// policyNames formats the names of policies for the owner of the shop.
func (s *Site) policyNames(ids []shop.PolicyID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = `"` + s.closing.policies[id].Name + `"`
	}
	return strings.Join(names, ", ")
}

// HasClosed reports whether the shop closes anything.
func (s *Site) HasClosed() bool { return s.closing != nil }

// OpenedBy returns the policies that a signed-in person opens: as a customer of the shop, and
// through their customer groups.
func (s *Site) OpenedBy(customer bool, groups []shop.CustomerGroupID) shop.Unlocked {
	if s.closing == nil {
		return ""
	}
	var ids []shop.PolicyID
	for id, p := range s.closing.policies {
		in := func(group shop.CustomerGroupID) bool { return slices.Contains(groups, group) }
		if p.Kind == shop.ByCustomers && customer || p.Kind == shop.ByGroup && slices.ContainsFunc(p.Groups, in) {
			ids = append(ids, id)
		}
	}
	return shop.NewUnlocked(ids...)
}

// Policies returns the ids of all policies, or nil when nothing is closed.
func (s *Site) Policies() []shop.PolicyID {
	if s.closing == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.closing.policies))
}

// ViewFor returns the shop as visible to a visitor who has opened some policies: closed and
// future-dated resources have no address, no place in a menu or sitemap, and are listed in Hidden
// for readers of the shop's data. It returns the Site itself where nothing is hidden, and builds
// a tree for visitors who have opened a policy. Addresses are resolved on the whole Site, whose
// decisions carry the closing policies.
func (s *Site) ViewFor(opened shop.Unlocked) *Site {
	if s.closing == nil {
		if len(s.ahead)+len(s.tree.unpublished) == 0 || s.hidden != nil {
			return s
		}
		seen := *s
		seen.hidden = s.withUnseen(nil)
		return &seen
	}
	view := s.closing.public
	if opened != "" {
		view = s.closing.view(opened, s)
	}
	seen := *s
	if view == nil {
		if seen.closing, seen.hidden = nil, s.withUnseen(nil); seen.hidden == nil {
			return s
		}
		return &seen
	}
	seen.closing, seen.tree, seen.hidden, seen.offers = nil, view.tree, s.withUnseen(view.hidden), view.offers
	seen.placeFiles()
	return &seen
}

// IsHidden reports whether a product, an article or a category is hidden in this view of the Site.
func (s *Site) IsHidden(ref PageRef) bool {
	if s.hidden == nil {
		return false
	}
	if ref.Entity == EntityCategory {
		return s.hidden.Category(categoryID(ref.ID))
	}
	x, _ := s.entriesOf(ref.Entity).byID.get(int32(ref.ID))
	return x.id != 0 && s.hides(ref.Entity, x)
}

// HasIdentityPolicies reports whether any policy opens by the visitor's identity instead of a
// password.
func (s *Site) HasIdentityPolicies() bool {
	if s.closing == nil {
		return false
	}
	for _, p := range s.closing.policies {
		if p.Kind != shop.ByPassword {
			return true
		}
	}
	return false
}

// Hidden returns what this view of the Site hides; nil is nothing. Readers of the store that read
// for a visitor leave it out (store.Reader.Hiding).
func (s *Site) Hidden() *shop.Hidden { return s.hidden }
