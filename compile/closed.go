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

// Policy closes things to who has not opened it (CONTRACT-COMMERCE, "Customers,
// closed resources, statistics").
//
// The policies nearest to a thing decide: its own, else those of the nearest
// section above that has any; of a product and an article that is the section that
// they stand in by their address. Of several that are equally near any one opens
// it. So what lies below a closed section is closed with it, and a section inside
// that has a policy of its own asks for that one alone. A set is closed with any
// product that it holds.
type Policy struct {
	ID          shop.PolicyID
	Name        string // for the shop's people
	Kind        shop.PolicyKind
	Groups      []shop.CustomerGroupID // of customers, for a policy by group
	Title, Text string                 // of the page that strangers get
	Sections    []shop.CategoryID
	Products    []shop.ProductID
	Articles    []shop.ArticleID
	Grants      []Grant // passwords that were not deleted, ended ones too
}

// Grant is a password of a policy, as far as it concerns who has entered it.
type Grant struct {
	ID    shop.GrantID
	Until time.Time // when it ends; zero: never
}

// closing is the policies of a shop that closes anything.
type closing struct {
	policies  map[shop.PolicyID]Policy
	sections  map[shop.CategoryID][]shop.PolicyID // those below included
	products  map[shop.ProductID][]shop.PolicyID
	articles  map[shop.ArticleID][]shop.PolicyID
	everybody *closedView
}

// closedView is what a visitor sees of the tree.
type closedView struct {
	tree   *tree
	hidden *shop.Hidden
	offers *price.Offers // without those that are about nothing but what is hidden
}

// newClosing compiles the policies of a shop; nil: nothing is closed.
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
	c.everybody = c.view("", s)
	return c
}

// view is what is left of a shop for who has opened some policies; nil: all of it.
func (c *closing) view(opened shop.Opened, s *Site) *closedView {
	h := &shop.Hidden{
		Categories: shut(c.sections, opened, false), Products: shut(c.products, opened, false), Articles: shut(c.articles, opened, false),
		ShownProducts: shut(c.products, opened, true), ShownArticles: shut(c.articles, opened, true),
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

// hideSets hides sets with a product that is hidden: their prices would tell its own,
// and nobody buys with them what he may not see.
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

// setsWith is what sets hold after some products have changed.
func setsWith(sets map[shop.ProductID][]shop.ProductID, rows []Product, gone []shop.ProductID) map[shop.ProductID][]shop.ProductID {
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

// shut lists the ids of those that are closed, or of those that were opened.
func shut[K any](closed map[shop.Number[K]][]shop.PolicyID, opened shop.Opened, open bool) (ids []shop.Number[K]) {
	for id, by := range closed {
		if opened.Opens(by) == open {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// close compiles what is closed, where that or the tree has changed.
func (s *Site) close() { s.closing = newClosing(s) }

// Closed lists the policies that close a page to strangers, any one of which opens it;
// none when everybody may see it. A set whose products are closed by several asks for
// them one after the other: ClosedTo.
func (s *Site) Closed(ref PageRef) []shop.PolicyID { return s.ClosedTo(ref, "") }

// ClosedTo is Closed to who has opened some policies.
func (s *Site) ClosedTo(ref PageRef, opened shop.Opened) []shop.PolicyID {
	if s.closing == nil {
		return nil
	}
	if closed := s.closedItself(ref); !opened.Opens(closed) {
		return closed
	}
	if ref.Entity != EntityProduct {
		return nil
	}
	for _, part := range s.sets[shop.ProductID(ref.ID)] {
		if closed := s.closedItself(PageRef{EntityProduct, int64(part)}); !opened.Opens(closed) {
			return closed
		}
	}
	return nil
}

// closedItself is what closes a page by itself or by its section, not by what it holds.
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

// ClosedFile is Closed of a site file: that of the section it stands in.
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

// closedAt is Closed of what a decision leads to. Where nothing is, it is that of
// the deepest section that the address stands in: who may not look into a section
// learns nothing of what it does not have either.
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

// closedPath is what closes the deepest section that a path stands in.
func (s *Site) closedPath(path string, sections map[string]*node) []shop.PolicyID {
	for ; path != ""; path = path[:lastSlash(path)] {
		if n := sections[path]; n != nil {
			return s.closing.sections[n.ID]
		}
	}
	return nil
}

// closedTarget is what closes the page that a redirect leads to by a typed address,
// which names it. A redirect behind it answers for itself.
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

// ClosedRule reports whether a redirect rule tells of what is closed to strangers: the
// addresses that it names stand in a closed section, or lead to what is closed.
func (s *Site) ClosedRule(r redirect.Rule) bool {
	if s.closing == nil {
		return false
	}
	w := Walk{host: s.host()}
	return s.closedPath(r.Key(), s.tree.foldedPaths) != nil || s.closedTarget(&w, r.To) != nil
}

// Policy is a policy of the shop, while anything is closed.
func (s *Site) Policy(id shop.PolicyID) (p Policy, ok bool) {
	if s.closing != nil {
		p, ok = s.closing.policies[id]
	}
	return p, ok
}

// ClosesHome finds a home page that is closed, by itself or by a section above it.
func (s *Site) ClosesHome() (home Category, closed bool) {
	for _, n := range s.tree.order {
		if n.Home && s.Closed(PageRef{EntityCategory, int64(n.ID)}) != nil {
			return n.Category, true
		}
	}
	return home, false
}

// closers names policies for the owner of the shop.
func (s *Site) closers(ids []shop.PolicyID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = `"` + s.closing.policies[id].Name + `"`
	}
	return strings.Join(names, ", ")
}

// Closes reports whether anything of the shop is closed.
func (s *Site) Closes() bool { return s.closing != nil }

// OpenTo are the policies that a person opens who is signed in: as a customer of
// the shop, and by the groups of customers that he is in.
func (s *Site) OpenTo(customer bool, groups []shop.CustomerGroupID) shop.Opened {
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
	return shop.Opening(ids...)
}

// Policies are the ids of all policies, while anything is closed.
func (s *Site) Policies() []shop.PolicyID {
	if s.closing == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.closing.policies))
}

// Seen is the shop as somebody sees it who has opened some policies: what is closed
// to him, and what is dated ahead, has no address, no place in a menu or sitemap, and
// is hidden from what is read of the shop (Hidden). It is the Site itself where
// nothing is, and costs a tree for who has opened anything. Addresses are resolved on
// the whole Site, whose decisions say what is closed.
func (s *Site) Seen(opened shop.Opened) *Site {
	if s.closing == nil {
		if len(s.ahead)+len(s.tree.unpublished) == 0 || s.hidden != nil {
			return s
		}
		seen := *s
		seen.hidden = s.unseen(nil)
		return &seen
	}
	view := s.closing.everybody
	if opened != "" {
		view = s.closing.view(opened, s)
	}
	seen := *s
	if view == nil {
		if seen.closing, seen.hidden = nil, s.unseen(nil); seen.hidden == nil {
			return s
		}
		return &seen
	}
	seen.closing, seen.tree, seen.hidden, seen.offers = nil, view.tree, s.unseen(view.hidden), view.offers
	seen.placeFiles()
	return &seen
}

// Hides reports whether a product or an article is closed to who sees this Site.
func (s *Site) Hides(ref PageRef) bool {
	if s.hidden == nil {
		return false
	}
	if ref.Entity == EntityCategory {
		return s.hidden.Category(categoryID(ref.ID))
	}
	x, _ := s.entriesOf(ref.Entity).byID.get(int32(ref.ID))
	return x.id != 0 && s.hides(ref.Entity, x)
}

// Asks reports whether anything is opened by who a visitor is.
func (s *Site) Asks() bool {
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

// Hidden is what whoever sees this Site does not see of the shop; nil is nothing.
// Readers of the store that read for him leave it out (store.Reader.Without).
func (s *Site) Hidden() *shop.Hidden { return s.hidden }
