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
	copyGap     = time.Minute // between two copies that are saved
	copyRewrite = time.Hour   // after which an unchanged copy is saved again
	saveTime    = 30 * time.Second
)

// savedCopy is the copy of a file that this edge last saved to the Source.
type savedCopy struct {
	at      time.Time
	version int64
	tag     string
	state   BuildState
}

// restore reads the good copy from the Source into the cache. It returns nil when there
// is none. The copy is fresh if the shop has not changed since.
func (b *fileBuild) restore(st *state) (e *entry, err error) {
	var larger int64
	for n := int64(smallLimit); n > 0 && err == nil; n = larger {
		err = b.withRestoreBytes(n, func(ctx context.Context) (err error) {
			e, larger, err = b.restoreUpTo(ctx, sizeClassOf(n).limit(), st)
			return err
		})
	}
	if e != nil {
		b.s.cache.put(e, b.s.cfg.Now())
	}
	return e, err
}

// restoreUpTo restores the saved copy if its text has at most most bytes. Otherwise
// larger is the size to try next.
func (b *fileBuild) restoreUpTo(ctx context.Context, most int64, st *state) (e *entry, larger int64, err error) {
	c, err := b.t.source.LastCopy(ctx, b.t.company, b.f.id, most)
	if err != nil || c == nil || c.Version != b.at.Version || b.began.Sub(c.At) >= fileGoodFor {
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
	return b.restoredEntry(st, file, c, a), 0, nil
}

// closedSince reports whether resources may have been closed since a version of the
// shop, so that a copy of that version could reveal them.
func (b *fileBuild) closedSince(ctx context.Context, st *state, version int64) (bool, error) {
	if !st.site.HasClosed() || version == st.version {
		return false, nil
	}
	d, err := b.t.source.Delta(ctx, b.t.company, version)
	return err == nil && (d.Reload || slices.ContainsFunc(d.Keys, func(k shop.Key) bool {
		return k.Kind == shop.KeyAccess || k.Kind == shop.KeyCategories
	})), err
}

// restoredEntry returns the cache entry of a saved copy.
func (b *fileBuild) restoredEntry(st *state, file SiteFile, c *FileCopy, a *answer) *entry {
	e := b.entryOf(&copyInfo{version: c.Version, shopVersion: c.ShopVersion, built: c.At, items: c.Items, length: c.Size}, a)
	e.keys, e.madeAt, e.copy.open = fileKeys, 0, st.gen
	if turn := st.site.Next(c.At); c.ShopVersion == st.version && (turn.IsZero() || b.began.Before(turn)) {
		e.madeAt = st.gen
	}
	if template, _ := feed.Compile(file.Name, file.Body); template != nil && template.Static() {
		e.keys, e.madeAt = nil, st.gen
	}
	return e
}

// copyAnswer returns the answer of a saved copy. A large text is unpacked only to verify
// it and to compute its tag.
func copyAnswer(file SiteFile, c *FileCopy) (*answer, error) {
	if c.Size < 0 || c.Size > feed.MaxOutput {
		return nil, pack.ErrDamaged
	}
	if c.Size > smallLimit {
		sum := sha256.New()
		if err := pack.Copy(sum, c.Packed, c.Size); err != nil {
			return nil, err
		}
		return fileAnswer(file.Name, file.Body, tagOfSum(sum.Sum(nil))).withPacked(c.Packed, c.Size), nil
	}
	body := make(fileText, 0, c.Size+1)
	if err := pack.Copy(&body, c.Packed, c.Size); err != nil {
		return nil, err
	}
	a := fileAnswer(file.Name, file.Body, tagOf(body)).finish(body)
	if a.packs && len(c.Packed) < len(body) {
		a.packed[gzipped].Store(a.represent(c.Packed, gzipped))
	}
	return a, nil
}

// save saves the report of the build, and the copy e when the saved one is outdated: a
// file that changes constantly is not saved each time. Answers do not depend on it.
func (b *fileBuild) save(e *entry) {
	now := b.s.cfg.Now()
	b.f.mu.Lock()
	last := b.f.saved
	b.f.mu.Unlock()
	next := savedCopy{at: last.at, version: b.file.Version, tag: last.tag, state: b.report.State}
	if e != nil {
		since := now.Sub(last.at)
		if last.version != next.version || since >= copyRewrite || e.answer.tag != last.tag && since >= copyGap {
			b.report.Copy = e.fileCopy()
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

// fileCopy returns the copy for the Source, nil when it cannot be packed. It reuses the
// gzip form of the answer if there is one.
func (e *entry) fileCopy() *FileCopy {
	c := &FileCopy{Version: e.copy.version, ShopVersion: e.copy.shopVersion, At: e.copy.built, Items: e.copy.items, Size: e.copy.length}
	if f := e.answer.in(gzipped); f != e.answer.plain.Load() {
		c.Packed = f.body
		return c
	}
	packed, err := pack.New(pack.Page).Form(e.answer.plain.Load().body, pack.Gzip)
	if err != nil {
		return nil
	}
	c.Packed = packed
	return c
}
