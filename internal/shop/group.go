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

// ResourceType is the type of a resource to which slots of pages are bound (document 3,
// 4.1); package compile/design defines the values.
type ResourceType string

// Words joins the values of a kind for a refusal.
func Words[K ~string](kinds []K) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = string(k)
	}
	return strings.Join(words, ", ")
}
