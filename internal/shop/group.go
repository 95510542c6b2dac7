package shop

import "strings"

// GroupType is the purpose of a group of blocks (document 3, 2.1).
type GroupType string

// The types of groups. A block without one is a single block.
const (
	SingleBlock   GroupType = ""
	ChromeGroup   GroupType = "chrome" // header and footer
	ProductGroup  GroupType = "product"
	CategoryGroup GroupType = "category"
	NewsGroup     GroupType = "news"
	ArticleGroup  GroupType = "article"
	LayoutGroup   GroupType = "theme" // a layout, as the API spells it
)

// GroupTypes lists all of them.
var GroupTypes = []GroupType{SingleBlock, ChromeGroup, ProductGroup, CategoryGroup, NewsGroup, ArticleGroup, LayoutGroup}

// Values lists the types as texts.
func (GroupType) Values() []string { return Texts(GroupTypes) }

// ResourceType is the type of a resource to which slots of pages are bound (document 3,
// 4.1); package compile/design defines the values.
type ResourceType string

// Texts returns the values of a kind as texts.
func Texts[K ~string](kinds []K) []string {
	texts := make([]string, len(kinds))
	for i, k := range kinds {
		texts[i] = string(k)
	}
	return texts
}

// Words joins the values of a kind for a refusal.
func Words[K ~string](kinds []K) string {
	return strings.Join(Texts(kinds), ", ")
}
