// Package design decides which group of blocks fills each slot of a page (document 3, 4.1).
//
// Slots are bound to resources. A page checks the resources in this order, and the first one that
// binds a slot fills it:
//
//	its own        category 7, product 12, article 3, the system's pages
//	the tree       category_children of the sections above a product, nearest first
//	the layout     theme 5: the shop's earliest group of the type theme
//	the shop       shop 0, its default template
//	the system     system 0, what a new shop is seeded with
//
// The admin API shows the result and the storefront draws it, both by this rule.
package design

import (
	"slices"

	"vitrine/internal/shop"
)

// The types of resources that slots are bound to.
const (
	Shop     shop.ResourceType = "shop" // id 0
	Category shop.ResourceType = "category"
	Children shop.ResourceType = "category_children" // every product of the subtree
	Product  shop.ResourceType = "product"
	Article  shop.ResourceType = "article"
	Layout   shop.ResourceType = "theme" // as the API spells it
	System   shop.ResourceType = "system"
)

// Types lists all of them.
var Types = []shop.ResourceType{Shop, Category, Children, Product, Article, Layout, System}

// The slots of a page. A rubric's body is also looked up in BodyNews, an article's in
// BodyArticle.
const (
	Header      = "header"
	Footer      = "footer"
	Body        = "body"
	BodyNews    = "body_news"
	BodyArticle = "body_article"
)

// Slots returns the slots that may be bound to a type of resource.
func Slots(of shop.ResourceType) []string {
	slots := []string{Header, Footer, Body}
	switch of {
	case Shop, Layout, Article, System:
		slots = append(slots, BodyNews, BodyArticle)
	}
	return slots
}

// Resource is something that slots are bound to.
type Resource struct {
	Type shop.ResourceType `json:"type"`
	ID   shop.Int64        `json:"id"`
}

// Bound is the group that fills a slot, and the resource that binds it.
type Bound struct {
	GroupID shop.BlockID `json:"group_id"`
	Source  Resource     `json:"source"`
}

// Bindings holds everything that a shop has bound, and its layout.
type Bindings struct {
	Layout shop.BlockID // the shop's default layout, 0 without one
	Slots  map[Resource]map[string]shop.BlockID
}

// Order lists where a resource looks up its slots, nearest first. above is the section of a
// product and all its ancestors, nearest first; for category_children, the ancestors of the
// section itself.
func (b Bindings) Order(at Resource, above []shop.CategoryID) []Resource {
	order := []Resource{at}
	add := func(r Resource) {
		if !slices.Contains(order, r) {
			order = append(order, r)
		}
	}
	if at.Type == Product || at.Type == Children {
		for _, id := range above {
			add(Resource{Children, shop.Int64(id)})
		}
	}
	if b.Layout != 0 && at.Type != Shop && at.Type != Layout {
		add(Resource{Layout, shop.Int64(b.Layout)})
	}
	add(Resource{Type: Shop})
	add(Resource{Type: System})
	return order
}

// Resolve fills every slot that is bound anywhere in the order.
func (b Bindings) Resolve(at Resource, above []shop.CategoryID) map[string]Bound {
	resolved := map[string]Bound{}
	for _, source := range b.Order(at, above) {
		for slot, group := range b.Slots[source] {
			if _, nearer := resolved[slot]; !nearer && b.shows(at, source, slot) {
				resolved[slot] = Bound{group, source}
			}
		}
	}
	return resolved
}

// shows reports whether a resource uses a slot from a source at all: pages use the slots of their
// type, and only the system's own pages use the system's body.
func (b Bindings) shows(at, source Resource, slot string) bool {
	if slot == Body && source.Type == System {
		return at.Type == System
	}
	return slices.Contains(Slots(at.Type), slot) || at.Type == Category && slot == BodyNews
}

// Template returns the group that draws the body of a page. special is BodyNews for a rubric,
// BodyArticle for an article, else empty; it takes precedence over a body of the same resource.
// replaces reports whether the group is a template of such pages, which replaces what the
// platform draws, or the body that the shop or its layout gives to all pages, which is drawn in
// addition.
func (b Bindings) Template(at Resource, above []shop.CategoryID, special string) (group shop.BlockID, replaces bool) {
	for _, source := range b.Order(at, above) {
		bound := b.Slots[source]
		if id := bound[special]; id != 0 && special != "" {
			return id, true
		}
		if id := bound[Body]; id != 0 && b.shows(at, source, Body) {
			return id, source.Type != Shop && source.Type != Layout && source.Type != System
		}
	}
	return 0, false
}
