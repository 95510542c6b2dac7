package edge

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"vitrine/compile/feed"
	"vitrine/compile/pack"
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

// restore takes the good copy that the Source has, where the cache has none; it
// is nil when there is none. It is as fresh as the shop is unchanged since.
func (b *fileBuild) restore(st *state) (e *entry, err error) {
	var larger int64
	for n := int64(smallText); n > 0 && err == nil; n = larger {
		err = b.restoring(n, func(ctx context.Context) (err error) {
			e, larger, err = b.restoreUpTo(ctx, sizeOfText(n).longest(), st)
			return err
		})
	}
	if e != nil {
		b.s.cache.put(e, b.s.cfg.Now())
	}
	return e, err
}

// restoreUpTo brings the saved copy back unless its text has more than so many
// bytes, which it then tells.
func (b *fileBuild) restoreUpTo(ctx context.Context, most int64, st *state) (e *entry, larger int64, err error) {
	c, err := b.t.source.LastCopy(ctx, b.t.company, b.f.id, most)
	if err != nil || c == nil || c.Version != b.at.Version || b.began.Sub(c.At) >= fileGood {
		return nil, 0, err
	}
	if c.Packed == nil && most < feed.MaxOutput {
		return nil, min(max(c.Size, most+1), feed.MaxOutput), nil
	}
	file, err := b.t.source.SiteFile(ctx, b.t.company, b.f.id)
	if err != nil || file.Version != c.Version {
		return nil, 0, err
	}
	if shut, err := b.closedSince(ctx, st, c.ShopVersion); err != nil || shut {
		return nil, 0, err
	}
	a, err := copyAnswer(file, c)
	if err != nil {
		b.s.cfg.Log.Warn("a saved copy is damaged", "company", b.t.company, "file", b.f.id, "error", err)
		return nil, 0, nil
	}
	return b.restored(st, file, c, a), 0, nil
}

// closedSince reports whether something may have been closed since a version of the
// shop, which a copy of that version would tell of.
func (b *fileBuild) closedSince(ctx context.Context, st *state, version int64) (bool, error) {
	if !st.site.Closes() || version == st.version {
		return false, nil
	}
	d, err := b.t.source.Delta(ctx, b.t.company, version)
	return err == nil && (d.Whole || slices.ContainsFunc(d.Keys, func(k shop.Key) bool {
		return k.Kind == shop.KeyAccess || k.Kind == shop.KeyCategories
	})), err
}

// restored is a saved copy as the cache keeps it.
func (b *fileBuild) restored(st *state, file SiteFile, c *FileCopy, a *answer) *entry {
	e := b.keep(&copied{version: c.Version, shopVersion: c.ShopVersion, built: c.At, items: c.Items, length: c.Size}, a)
	e.keys, e.born, e.copy.open = fileKeys, 0, st.gen
	if turn := st.site.Next(c.At); c.ShopVersion == st.version && (turn.IsZero() || b.began.Before(turn)) {
		e.born = st.gen
	}
	if template, _ := feed.Compile(file.Name, file.Body); template != nil && template.Static() {
		e.keys, e.born = nil, st.gen
	}
	return e
}

// copyAnswer makes an answer of a saved copy. A long text is only looked
// through, for its tag and for whether it is whole.
func copyAnswer(file SiteFile, c *FileCopy) (*answer, error) {
	if c.Size < 0 || c.Size > feed.MaxOutput {
		return nil, pack.ErrDamaged
	}
	if c.Size > smallText {
		sum := sha256.New()
		if err := pack.Copy(sum, c.Packed, c.Size); err != nil {
			return nil, err
		}
		return fileAnswer(file.Name, file.Body, tagOfSum(sum.Sum(nil))).withPacked(c.Packed, c.Size), nil
	}
	body := make(text, 0, c.Size+1)
	if err := pack.Copy(&body, c.Packed, c.Size); err != nil {
		return nil, err
	}
	a := fileAnswer(file.Name, file.Body, tagOf(body)).finish(body)
	if a.packs && len(c.Packed) < len(body) {
		a.packed[gzipped].Store(a.represent(c.Packed, gzipped))
	}
	return a, nil
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
			b.report.Copy = e.saves()
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

// saves is a copy as the Source keeps it, nil when it cannot be packed: in the
// represent that visitors get, where there is one.
func (e *entry) saves() *FileCopy {
	c := &FileCopy{Version: e.copy.version, ShopVersion: e.copy.shopVersion, At: e.copy.built, Items: e.copy.items, Size: e.copy.length}
	if f := e.answer.in(gzipped); f != e.answer.plain {
		c.Packed = f.body
		return c
	}
	packed, err := pack.New(pack.Page).Form(e.answer.plain.body, pack.Gzip)
	if err != nil {
		return nil
	}
	c.Packed = packed
	return c
}
