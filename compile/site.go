package compile

import (
	"time"

	"vitrine/compile/price"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// Site is everything that decides how the addresses of one shop are answered. It is immutable:
// With makes a new version that shares everything unchanged, so one goroutine may swap versions
// while others resolve.
type Site struct {
	shop     Shop
	tree     *tree
	products entries
	articles entries
	journal  journal
	names    names
	rules    []redirect.Rule
	set      *redirect.Set
	files    []SiteFile
	folders  map[shop.CategoryID]Folder
	paths    map[string]int // decoded path of a published site file -> index into files
	placed   map[shop.SiteFileID]int
	offers   *price.Offers
	policies []Policy
	sets     map[shop.ProductID][]shop.ProductID // contents of sets; nil: there are none
	closing  *closing                            // nil: nothing is closed
	ahead    map[PageRef]time.Time               // future-dated pages and when they appear; nil: there are none
	hidden   *shop.Hidden                        // in a view by Seen; nil: nothing
	revealed PageRef                             // by Reveal
	fixed    int64                               // bytes of all but products, articles and names; see Weight
}

// New compiles a shop.
func New(in Input) *Site {
	s := &Site{
		shop:     in.Shop,
		tree:     newTree(in.Categories, nil),
		products: newEntries(productEntries(in.Products)),
		articles: newEntries(articleEntries(in.Articles)),
		journal:  newJournal(in.Journal),
		rules:    in.Rules,
		set:      redirect.NewSet(in.Rules),
		files:    in.Files,
		folders:  folderMap(in.Folders),
		offers:   in.Offers,
		policies: in.Policies,
		sets:     updateSets(nil, in.Products, nil),
		ahead:    aheadByPage(in.Ahead),
	}
	s.compileClosing()
	s.buildNames()
	s.placeFiles()
	s.weigh()
	return s
}

// With returns the Site after a change. The cost for products and articles is proportional to
// their number in the delta; a tree, a journal or a rule set is recompiled.
func (s *Site) With(d Delta) *Site {
	next := *s
	if d.Shop != nil {
		next.shop = *d.Shop
	}
	if d.Categories != nil {
		next.tree = newTree(d.Categories, nil)
	}
	next.products = s.products.with(productEntries(d.Products), numbers(d.GoneProducts))
	next.sets = updateSets(s.sets, d.Products, d.GoneProducts)
	next.articles = s.articles.with(articleEntries(d.Articles), numbers(d.GoneArticles))
	if d.Journal != nil {
		next.journal = newJournal(d.Journal)
	}
	if d.Rules != nil {
		next.rules, next.set = d.Rules, s.set.With(d.Rules)
	}
	if d.Files != nil {
		next.files = d.Files
	}
	if d.Folders != nil {
		next.folders = folderMap(d.Folders)
	}
	if d.Offers != nil {
		next.offers = d.Offers
	}
	if d.Ahead != nil {
		next.ahead = aheadByPage(d.Ahead)
	}
	if d.Policies != nil {
		next.policies = d.Policies
	}
	if d.Policies != nil || len(next.policies) > 0 && (d.Categories != nil || d.Products != nil || d.Offers != nil) {
		next.compileClosing()
	}
	next.updateNames(d)
	if d.Files != nil || d.Categories != nil {
		next.placeFiles()
	}
	if !d.onlyPages() {
		next.weigh()
	}
	return &next
}

// Shop returns the settings the Site was compiled from.
func (s *Site) Shop() Shop { return s.shop }

// Offers returns the shop's discounts; nil means none.
func (s *Site) Offers() *price.Offers { return s.offers }

// Rules returns the redirect rules the Site was compiled from. The slice is
// shared: do not change it.
func (s *Site) Rules() []redirect.Rule { return s.rules }

func numbers[K any](ids []shop.Number[K]) []int32 {
	list := make([]int32, len(ids))
	for i, id := range ids {
		list[i] = int32(id)
	}
	return list
}

// categoryID narrows an id known to be a category's; an id that does not fit yields 0, which is
// no category.
func categoryID(id int64) shop.CategoryID {
	if int64(int32(id)) != id {
		return 0
	}
	return shop.CategoryID(id)
}
