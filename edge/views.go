package edge

import (
	"sync"
	"sync/atomic"

	"vitrine/compile"
	"vitrine/internal/shop"
)

// maxViews bounds the articles whose views are counted; a process that serves more counts
// the first ones.
const maxViews = 200_000

// views counts how often the pages of articles are read (document 1, 2.7). The entry of a
// page refers to the counter itself, so that a read costs one addition; the counter
// outlives the entry, so that no count is lost when a page is redrawn.
type views struct {
	mu        sync.Mutex
	byArticle map[viewKey]*atomic.Int64
}

type viewKey struct {
	company shop.CompanyID
	article shop.ArticleID
}

// of returns the counter of a page, nil if it is not counted.
func (v *views) of(company shop.CompanyID, page compile.PageRef) *atomic.Int64 {
	if page.Entity != compile.EntityArticle {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	k := viewKey{company, shop.ArticleID(page.ID)}
	c := v.byArticle[k]
	if c == nil && len(v.byArticle) < maxViews {
		if v.byArticle == nil {
			v.byArticle = map[viewKey]*atomic.Int64{}
		}
		c = &atomic.Int64{}
		v.byArticle[k] = c
	}
	return c
}

func (v *views) take() (batch []View) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for k, c := range v.byArticle {
		if n := c.Swap(0); n > 0 {
			batch = append(batch, View{Company: k.company, Article: k.article, Views: n})
		}
	}
	return batch
}

// countRead counts a reader of the page.
func (e *entry) countRead() {
	if e.views != nil {
		e.views.Add(1)
	}
}
