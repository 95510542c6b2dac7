package shop

import (
	"slices"
	"strconv"
	"strings"
)

// PolicyKind is what opens what a policy closes (CONTRACT-COMMERCE, "Customers,
// closed resources, statistics").
type PolicyKind string

// The kinds of policies.
const (
	ByPassword  PolicyKind = "password"  // whoever knows a password of the policy
	ByGroup     PolicyKind = "group"     // customers of one of its groups
	ByCustomers PolicyKind = "customers" // whoever is signed in and known to the shop
)

// MaxAccessPassword bounds the passwords of policies, in bytes.
const MaxAccessPassword = 256

// Opened is the policies that a visitor has opened, by a password or by who he is:
// their ids in ascending order, between commas. It is text so that it can be
// compared and be part of a name. A stranger has opened none: "".
type Opened string

// Opening is the value for some policies, in any order.
func Opening(ids ...PolicyID) Opened {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	var b strings.Builder
	for _, id := range slices.Compact(sorted) {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(int64(id), 10))
	}
	return Opened(b.String())
}

// IDs are the policies in ascending order.
func (o Opened) IDs() (ids []PolicyID) {
	for text := range strings.SplitSeq(string(o), ",") {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			ids = append(ids, PolicyID(id))
		}
	}
	return ids
}

// With is what is opened by both.
func (o Opened) With(more Opened) Opened { return Opening(append(o.IDs(), more.IDs()...)...) }

// Opens reports whether something that some policies close is open: nothing closes
// it, or any one of them was opened.
func (o Opened) Opens(closing []PolicyID) bool {
	if len(closing) == 0 {
		return true
	}
	return slices.ContainsFunc(o.IDs(), func(id PolicyID) bool { return slices.Contains(closing, id) })
}

// Hidden is what somebody does not see of a shop, because it is closed and he has
// not opened it. Ids stand in ascending order. A product or an article is hidden by
// its own id or by the section that it stands in; the sections are complete, with
// all that lie below a closed one. Nil hides nothing.
type Hidden struct {
	Categories []CategoryID
	Products   []ProductID
	Articles   []ArticleID

	// Shown are products and articles in hidden sections that have a policy of their
	// own, which was opened.
	ShownProducts []ProductID
	ShownArticles []ArticleID

	// Unpublished are sections that are not published, or stand below one that is not.
	// Lists and pages leave out what stands in them; carts keep it, as they keep
	// products that are not published themselves.
	Unpublished []CategoryID
}

// And is what is hidden, with more products and articles that are, in any order.
func (h *Hidden) And(products []ProductID, articles []ArticleID) *Hidden {
	var all Hidden
	if h != nil {
		all = *h
	}
	all.Products, all.Articles = merged(all.Products, products), merged(all.Articles, articles)
	return &all
}

func merged[K any](sorted, more []Number[K]) []Number[K] {
	all := slices.Concat(sorted, more)
	slices.Sort(all)
	return slices.Compact(all)
}

// Unlisted is what is hidden, with what stands in unpublished sections, in the order of
// their ids.
func (h *Hidden) Unlisted(sections []CategoryID) *Hidden {
	if len(sections) == 0 {
		return h
	}
	var all Hidden
	if h != nil {
		all = *h
	}
	all.Unpublished = sections
	return &all
}

// Lists reports whether a product that is not hidden may be shown by its section.
func (h *Hidden) Lists(section CategoryID) bool { return h == nil || !has(h.Unpublished, section) }

// Category reports whether a section is hidden.
func (h *Hidden) Category(id CategoryID) bool { return h != nil && has(h.Categories, id) }

// Product reports whether a product is hidden that stands in a section.
func (h *Hidden) Product(id ProductID, section CategoryID) bool {
	return h != nil && (has(h.Products, id) || has(h.Categories, section) && !has(h.ShownProducts, id))
}

// Article reports whether an article is hidden that stands in a section.
func (h *Hidden) Article(id ArticleID, section CategoryID) bool {
	return h != nil && (has(h.Articles, id) || has(h.Categories, section) && !has(h.ShownArticles, id))
}

func has[K any](sorted []Number[K], id Number[K]) bool {
	_, found := slices.BinarySearch(sorted, id)
	return found
}
