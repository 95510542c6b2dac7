package shop

import "strings"

// GroupType is what a group of blocks is for (document 3, 2.1).
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

// GroupTypes is all of them.
var GroupTypes = []GroupType{SingleBlock, ChromeGroup, ProductGroup, CategoryGroup, NewsGroup, ArticleGroup, LayoutGroup}

// ResourceType is what slots of pages are bound to (document 3, 4.1); package
// compile/design has them.
type ResourceType string

// Words lists the words of a kind for a refusal.
func Words[K ~string](kinds []K) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = string(k)
	}
	return strings.Join(words, ", ")
}
