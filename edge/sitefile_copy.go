package edge

import (
	"context"
	"errors"
	"time"

	"vitrine/compile/feed"
	"vitrine/internal/shop"
)

const (
	copyGap   = time.Minute // between two copies that the Source keeps
	copyAgain = time.Hour   // when an unchanged copy is written down again
	saveTime  = 30 * time.Second
)

// savedCopy is what the Source has of a file, as far as this edge wrote it.
type savedCopy struct {
	at      time.Time
	version int64
	tag     string
	state   BuildState
}

// restore takes the good copy that the Source has, where the cache has none. It
// is as fresh as the shop is unchanged since.
func (b *fileBuild) restore(ctx context.Context, st *state) error {
	c, err := b.t.source.LastCopy(ctx, b.t.company, b.f.id)
	if err != nil || c == nil || c.Version != b.at.Version || b.began.Sub(c.At) >= fileGood {
		return err
	}
	file, err := b.t.source.SiteFile(ctx, b.t.company, b.f.id)
	if err != nil || file.Version != c.Version {
		return err
	}
	b.file, b.out, b.keys = file, c.Body, fileKeys
	born := uint64(0)
	if c.ShopVersion == st.version {
		born = st.gen
	}
	e := b.entry(&copied{version: c.Version, shopVersion: c.ShopVersion, built: c.At, items: c.Items})
	e.born = born
	if template, _ := feed.Compile(file.Name, file.Body); template != nil && template.Static() {
		e.keys, e.born = nil, st.gen
	}
	b.old, b.keys = e, nil
	b.s.cache.put(e, b.s.cfg.Now())
	return nil
}

// save writes down how the build went, and the copy e when the one that is kept
// has fallen behind: a file that changes all the time is not written each time.
// The visitors' answers do not depend on it.
func (b *fileBuild) save(e *entry) {
	now := b.s.cfg.Now()
	b.f.mu.Lock()
	last := b.f.saved
	b.f.mu.Unlock()
	next := savedCopy{at: last.at, version: b.file.Version, tag: last.tag, state: b.report.State}
	if e != nil {
		since := now.Sub(last.at)
		if last.version != next.version || since >= copyAgain || e.answer.tag != last.tag && since >= copyGap {
			b.report.Copy = &FileCopy{
				Version: e.copy.version, ShopVersion: e.copy.shopVersion, At: e.copy.built, Items: e.copy.items, Body: e.answer.plain.body,
			}
			next.at, next.tag = now, e.answer.tag
		}
	}
	ctx, cancel := context.WithTimeout(b.s.ctx, saveTime)
	defer cancel()
	if err := b.t.source.SaveBuild(ctx, b.t.company, b.f.id, b.report); err != nil {
		if !errors.Is(err, shop.ErrNotFound) && b.s.ctx.Err() == nil {
			b.s.cfg.Log.Warn("a build was not written down", "company", b.t.company, "file", b.f.id, "error", err)
		}
		return
	}
	b.f.mu.Lock()
	b.f.saved = next
	b.f.mu.Unlock()
}
