package compile

import (
	"slices"

	"vitrine/internal/shop"
)

// MenuItem is an entry of the shop's menu: a live category shown in the menu, with the shown ones
// below it.
type MenuItem struct {
	ID       shop.CategoryID
	Name     string
	URL      string // shop path
	Children []MenuItem
}

func menuOf(siblings []*node) []MenuItem {
	var items []MenuItem
	for _, n := range siblings {
		if n.visible() && n.ShowMenu {
			items = append(items, MenuItem{ID: n.ID, Name: n.Name, URL: n.url, Children: menuOf(n.children)})
		}
	}
	return items
}

// Menu returns the tree of published categories with is_show_menu. A section that is left out
// excludes those below it. The value is shared: do not change it.
func (s *Site) Menu() []MenuItem { return s.tree.menu }

// Home returns the category that answers at "/". A shop may have none.
func (s *Site) Home() (Category, bool) {
	if n := s.tree.liveHome(); n != nil {
		return n.Category, true
	}
	return Category{}, false
}

// Category returns a category of the shop, live or not.
func (s *Site) Category(id shop.CategoryID) (Category, bool) {
	if n := s.tree.nodes[id]; n != nil {
		return n.Category, true
	}
	return Category{}, false
}

// Live reports whether a category is visible: it and all its ancestors are published, and it is
// not closed in this view of the Site (Seen).
func (s *Site) Live(id shop.CategoryID) bool { return s.tree.live(id) != nil }

// Path returns the canonical shop path of a category, live or not, percent-encoded and without a
// trailing slash; "/" for the home category and "" for a category without a place in the tree.
func (s *Site) Path(id shop.CategoryID) string {
	if n := s.tree.nodes[id]; n != nil {
		return n.url
	}
	return ""
}

// Categories lists all categories that have a place in the tree, in tree order: parents before
// children, siblings by order.
func (s *Site) Categories() []Category { return categoriesOf(s.tree.order) }

// Children lists the direct children of a category, in order; for 0, the categories without a
// parent.
func (s *Site) Children(id shop.CategoryID) []Category {
	if id == 0 {
		return categoriesOf(s.tree.roots)
	}
	if n := s.tree.nodes[id]; n != nil {
		return categoriesOf(n.children)
	}
	return nil
}

// Ancestors lists the categories above one, root first and without the category itself: the
// breadcrumbs.
func (s *Site) Ancestors(id shop.CategoryID) []Category {
	n := s.tree.nodes[id]
	if n == nil || n.url == "" {
		return nil
	}
	var up []Category
	for p := n.parent; p != nil; p = p.parent {
		if !p.hidden {
			up = append(up, p.Category)
		}
	}
	slices.Reverse(up)
	return up
}

// SelfAndAncestors lists a category and its ancestors, itself first. An unknown category has none.
func (s *Site) SelfAndAncestors(id shop.CategoryID) (ids []shop.CategoryID) {
	for n := s.tree.nodes[id]; n != nil && !slices.Contains(ids, n.ID); n = n.parent { // parents may form a cycle
		ids = append(ids, n.ID)
	}
	return ids
}

// Placement returns a fingerprint of the tree that changes when a section moves.
func (s *Site) Placement() string { return s.tree.placement() }

// Subtree lists the ids of a category and everything below it, in tree order.
func (s *Site) Subtree(id shop.CategoryID) []shop.CategoryID {
	n := s.tree.nodes[id]
	if n == nil {
		return nil
	}
	ids := []shop.CategoryID{id}
	if i := slices.Index(s.tree.order, n); i >= 0 {
		ids = ids[:0]
		for ; i < len(s.tree.order) && (len(ids) == 0 || s.tree.order[i].below(n)); i++ {
			ids = append(ids, s.tree.order[i].ID)
		}
	}
	return ids
}

// below reports whether n stands anywhere under top.
func (n *node) below(top *node) bool {
	for p := n.parent; p != nil; p = p.parent {
		if p == top {
			return true
		}
	}
	return false
}

func categoriesOf(nodes []*node) []Category {
	list := make([]Category, len(nodes))
	for i, n := range nodes {
		list[i] = n.Category
	}
	return list
}
