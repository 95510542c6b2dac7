package compile

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// node is a category in the tree.
type node struct {
	Category
	url         string // canonical shop path, percent-encoded; "/" for the home category, "" when it has none
	base        string // the same decoded, "" for the home category; the prefix of the children's paths
	live        bool   // it and all its ancestors are published, and it has an address
	unpublished bool   // it or an ancestor is not published
	hidden      bool   // closed in this view of the tree
	parent      *node
	children    []*node
}

// tree holds the categories of a shop and every index to find one. It is rebuilt whole when any
// category changes, which takes a fraction of a millisecond.
type tree struct {
	rows        []Category // the input of newTree
	nodes       map[shop.CategoryID]*node
	roots       []*node // by order, then id
	order       []*node // depth first, siblings by order, then id
	home        *node
	depth       int                // segments of the deepest live address
	folders     bool               // whether any live category serves a static website
	paths       map[string]*node   // decoded address without a trailing slash -> live category
	foldedPaths map[string]*node   // the same in lower case; the first in tree order wins
	slugs       map[string][]*node // slug -> live categories in tree order
	foldedSlugs map[string]*node
	menu        []MenuItem
	unpublished []shop.CategoryID // including those below unpublished ones, by id
	placement   func() string     // fingerprint of all parents, computed once
}

// newTree builds a tree from rows. A category whose parent is missing or that is its own ancestor
// is found by id but has no address. A hidden category keeps its address, for visible categories
// below it, and is found only by its id.
func newTree(rows []Category, hidden *shop.Hidden) *tree {
	t := &tree{
		rows:  rows,
		nodes: make(map[shop.CategoryID]*node, len(rows)), order: make([]*node, 0, len(rows)),
		paths: make(map[string]*node, len(rows)), foldedPaths: make(map[string]*node, len(rows)),
		slugs: make(map[string][]*node, len(rows)), foldedSlugs: make(map[string]*node, len(rows)),
	}
	t.placement = sync.OnceValue(func() string {
		sum := fnv.New128a()
		for _, row := range rows {
			fmt.Fprintln(sum, row.ID, row.Parent)
		}
		return hex.EncodeToString(sum.Sum(nil))
	})
	for _, row := range rows {
		t.nodes[row.ID] = &node{Category: row, hidden: hidden.Category(row.ID)}
	}
	for _, row := range rows {
		n := t.nodes[row.ID]
		if parent := t.nodes[row.Parent]; row.Parent == 0 {
			t.roots = append(t.roots, n)
		} else if parent != nil {
			parent.children = append(parent.children, n)
			n.parent = parent
		}
	}
	t.walk(t.roots)
	t.chooseHome()
	for _, n := range t.order {
		n.place(n == t.home)
		if n.unpublished = !n.Published || n.parent != nil && n.parent.unpublished; n.unpublished {
			t.unpublished = append(t.unpublished, n.ID)
		}
		if n.visible() {
			t.index(n)
		}
	}
	slices.Sort(t.unpublished)
	t.menu = menuOf(t.roots)
	return t
}

// walk sorts siblings and appends the nodes to order, depth first.
func (t *tree) walk(siblings []*node) {
	slices.SortFunc(siblings, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
	})
	for _, n := range siblings {
		t.order = append(t.order, n)
		t.walk(n.children)
	}
}

// chooseHome selects the first category marked as home, a published one before an unpublished
// one: marking two homes is a mistake that must not hide the shop.
func (t *tree) chooseHome() {
	for _, n := range t.order {
		switch {
		case !n.Home:
		case n.allPublished():
			t.home = n
			return
		case t.home == nil:
			t.home = n
		}
	}
}

// visible reports whether visitors may see a category.
func (n *node) visible() bool { return n.live && !n.hidden }

// allPublished reports whether the category and all its ancestors are published.
func (n *node) allPublished() bool {
	for ; n != nil; n = n.parent {
		if !n.Published {
			return false
		}
	}
	return true
}

// place computes a node's address after that of its parent. The home category is "/" and adds no
// segment to the addresses below it. An address too long to be requested (414) is omitted:
// without that bound a tree of thousands of levels would take space quadratic in its size.
func (n *node) place(home bool) {
	if home {
		n.url, n.base, n.live = "/", "", n.allPublished()
		return
	}
	slug := addressable(n.Slug)
	var url, base string
	if n.parent != nil {
		url, base = n.parent.url, n.parent.base
		if url == "" {
			return
		}
	}
	if slug == "" || len(base)+1+len(slug) > redirect.MaxPath {
		return
	}
	if url == "/" {
		url = ""
	}
	n.url = string(appendSegment([]byte(url+"/"), slug))
	n.base = base + "/" + slug
	n.live = n.Published && (n.parent == nil || n.parent.live)
}

// index adds a live node to the indexes by address and by slug.
func (t *tree) index(n *node) {
	if slug := addressable(n.Slug); slug != "" {
		t.slugs[slug] = append(t.slugs[slug], n)
		setFirst(t.foldedSlugs, fold(slug), n)
	}
	if n != t.home {
		setFirst(t.paths, n.base, n)
		setFirst(t.foldedPaths, fold(n.base), n)
	}
	t.depth = max(t.depth, segments(n.base))
	t.folders = t.folders || n.Type == TypeSite
}

func setFirst(m map[string]*node, key string, n *node) {
	if _, taken := m[key]; !taken {
		m[key] = n
	}
}

// segments counts the segments of a path without a trailing slash.
func segments(path string) (n int) {
	for i := 0; i < len(path); i++ {
		if path[i] == '/' {
			n++
		}
	}
	return n
}

// liveHome returns the home category if visitors may see it.
func (t *tree) liveHome() *node {
	if t.home != nil && t.home.visible() {
		return t.home
	}
	return nil
}

// live returns a category if visitors may see it, or nil.
func (t *tree) live(id shop.CategoryID) *node {
	if n := t.nodes[id]; n != nil && n.visible() {
		return n
	}
	return nil
}

// folderOf returns the deepest live category of type site that contains a path. If the home
// category is a website, it contains every path.
func (t *tree) folderOf(path string) *node {
	if !t.folders {
		return nil
	}
	var found *node
	if home := t.liveHome(); home != nil && home.Type == TypeSite {
		found = home
	}
	for i, depth := 1, 0; i <= len(path) && depth < t.depth; i++ {
		if i == len(path) || path[i] == '/' {
			depth++
			if n := t.paths[path[:i]]; n != nil && n.Type == TypeSite {
				found = n
			}
		}
	}
	return found
}
