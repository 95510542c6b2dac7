package count

import (
	"sync"
	"sync/atomic"

	"vitrine/internal/shop"
)

// maxReads bounds the articles whose reads are counted; a process that serves more counts
// the first ones.
const maxReads = 200_000

// reads holds how often articles were read (document 1, 2.7).
type reads struct {
	mu        sync.Mutex
	byArticle map[articleKey]*atomic.Int64
}

type articleKey struct {
	company shop.CompanyID
	article shop.ArticleID
}

// Article returns the counter of reads of an article; nil if its reads are not counted. The
// caller keeps the counter with the article's page, so that a read costs one addition. The
// counter outlives the page, so that no read is lost when the page is redrawn.
func (c *Counters) Article(company shop.CompanyID, article shop.ArticleID) *atomic.Int64 {
	r := &c.reads
	r.mu.Lock()
	defer r.mu.Unlock()
	k := articleKey{company, article}
	n := r.byArticle[k]
	if n == nil && len(r.byArticle) < maxReads {
		if r.byArticle == nil {
			r.byArticle = map[articleKey]*atomic.Int64{}
		}
		n = &atomic.Int64{}
		r.byArticle[k] = n
	}
	return n
}

func (r *reads) take() (batch []View) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, c := range r.byArticle {
		if n := c.Swap(0); n > 0 {
			batch = append(batch, View{Company: k.company, Article: k.article, Views: n})
		}
	}
	return batch
}
