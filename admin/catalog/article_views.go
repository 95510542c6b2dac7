package catalog

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// viewsEvery is how often views are stored.
const viewsEvery = time.Second

// views adds up the views of visitors, so that thousands of reads of an article do not cost
// thousands of writes of one row. A process that is killed loses the views of one second.
type views struct {
	mu      sync.Mutex
	counts  map[viewed]int64
	writing sync.Mutex // waiting for it ensures that batches taken by others are stored
}

type viewed struct {
	company shop.CompanyID
	article shop.ArticleID
}

func (v *views) add(company shop.CompanyID, article shop.ArticleID, n int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.counts == nil {
		v.counts = map[viewed]int64{}
	}
	v.counts[viewed{company, article}] += n
}

func (v *views) take() []catalog.ArticleViews {
	v.mu.Lock()
	defer v.mu.Unlock()
	batch := make([]catalog.ArticleViews, 0, len(v.counts))
	for k, n := range v.counts {
		batch = append(batch, catalog.ArticleViews{Company: k.company, Article: k.article, Views: n})
	}
	clear(v.counts)
	return batch
}

// writeViews stores the counted views. If that fails, it adds them to the counts again.
func (c *Catalog) writeViews(ctx context.Context) error {
	c.views.writing.Lock()
	defer c.views.writing.Unlock()
	batch := c.views.take()
	if len(batch) == 0 {
		return nil
	}
	err := catalog.AddViews(ctx, c.store, batch)
	if err != nil {
		for _, v := range batch {
			c.views.add(v.Company, v.Article, v.Views)
		}
	}
	return err
}

// Upkeep stores the views of articles every second until the context ends, and then the
// remaining ones.
func (c *Catalog) Upkeep(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(viewsEvery)
	defer tick.Stop()
	failing := false
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		err := c.writeViews(context.WithoutCancel(ctx))
		if err != nil && !failing {
			log.Warn("the views of articles could not be stored; they are kept for the next attempt", "error", err)
		}
		failing = err != nil
	}
}
