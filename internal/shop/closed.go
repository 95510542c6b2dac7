package shop

import (
	"slices"
	"strconv"
	"strings"
)

// PolicyKind is how visitors unlock a policy (CONTRACT-COMMERCE, "Customers, closed
// resources, statistics").
type PolicyKind string

// The kinds of policies.
const (
	ByPassword  PolicyKind = "password"  // with a password of the policy
	ByGroup     PolicyKind = "group"     // for customers of one of its groups
	ByCustomers PolicyKind = "customers" // for signed-in persons known to the shop
)

// Values lists the kinds as texts.
func (PolicyKind) Values() []string { return Texts([]PolicyKind{ByPassword, ByGroup, ByCustomers}) }

// MaxAccessPassword bounds the passwords of policies, in bytes.
const MaxAccessPassword = 256

// Unlocked is the set of policies that a visitor has unlocked, by a password or by their
// identity: ids in ascending order, separated by commas. It is text so that it can be
// compared and be part of a cache key. A visitor who has unlocked none has "".
type Unlocked string

// NewUnlocked returns the value for some policies, in any order.
func NewUnlocked(ids ...PolicyID) Unlocked {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	var b strings.Builder
	for _, id := range slices.Compact(sorted) {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(int64(id), 10))
	}
	return Unlocked(b.String())
}

// IDs returns the policies in ascending order.
func (o Unlocked) IDs() (ids []PolicyID) {
	for text := range strings.SplitSeq(string(o), ",") {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			ids = append(ids, PolicyID(id))
		}
	}
	return ids
}

// With returns the union of both.
func (o Unlocked) With(more Unlocked) Unlocked { return NewUnlocked(append(o.IDs(), more.IDs()...)...) }

// Allows reports whether something closed by some policies is open: no policy closes it, or
// at least one of them was unlocked.
func (o Unlocked) Allows(closing []PolicyID) bool {
	if len(closing) == 0 {
		return true
	}
	return slices.ContainsFunc(o.IDs(), func(id PolicyID) bool { return slices.Contains(closing, id) })
}

// Hidden is what a visitor does not see of a shop, because it is closed and they have not
// unlocked it. Ids are in ascending order. A product or an article is hidden by its own id
// or by its section; the sections include all sections below a closed one. Nil hides
// nothing.
type Hidden struct {
	Categories []CategoryID
	Products   []ProductID
	Articles   []ArticleID

	// Products and articles in hidden sections that are shown, because they have a separate
	// policy, which was unlocked.
	ShownProducts []ProductID
	ShownArticles []ArticleID

	// Unpublished are sections that are not published, or are below one that is not. Lists
	// and pages leave out their contents; carts keep them, as they keep products that are
	// not published themselves.
	Unpublished []CategoryID
}

// And returns a copy that hides more products and articles, given in any order.
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

// WithUnpublished returns a copy with the contents of unpublished sections left out; sections are
// in ascending order.
func (h *Hidden) WithUnpublished(sections []CategoryID) *Hidden {
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

// ListsSection reports whether the section of a product that is not hidden allows lists to show
// it.
func (h *Hidden) ListsSection(section CategoryID) bool {
	return h == nil || !has(h.Unpublished, section)
}

// Category reports whether a section is hidden.
func (h *Hidden) Category(id CategoryID) bool { return h != nil && has(h.Categories, id) }

// Product reports whether a product in a section is hidden.
func (h *Hidden) Product(id ProductID, section CategoryID) bool {
	return h != nil && (has(h.Products, id) || has(h.Categories, section) && !has(h.ShownProducts, id))
}

// Article reports whether an article in a section is hidden.
func (h *Hidden) Article(id ArticleID, section CategoryID) bool {
	return h != nil && (has(h.Articles, id) || has(h.Categories, section) && !has(h.ShownArticles, id))
}

func has[K any](sorted []Number[K], id Number[K]) bool {
	_, found := slices.BinarySearch(sorted, id)
	return found
}
