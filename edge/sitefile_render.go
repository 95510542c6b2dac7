package edge

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"vitrine/compile/feed"
	"vitrine/compile/feed/lint"
	"vitrine/internal/shop"
)

// renderOn renders on a desk of n bytes, or on a longer one.
func (b *fileBuild) renderOn(n int64, template *feed.Template, made *copied) error {
	if err := b.enter(n); err != nil {
		return err
	}
	outgrown, err := b.render(template, made)
	if !outgrown {
		return err
	}
	b.leave()
	return b.renderOn(longer(n), template, made)
}

// render makes the output and judges it. A *feed.Problem says that it is not to
// be served, outgrown that it needs a longer desk.
func (b *fileBuild) render(template *feed.Template, made *copied) (outgrown bool, err error) {
	b.keys = fileKeys
	leave, err := b.t.source.RenderPlace(b.s.ctx, b.t.company)
	if err != nil {
		return false, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(b.s.ctx, buildTime)
	defer cancel()
	b.starts(made)
	catalogue, err := b.t.source.Catalogue(ctx, b.t.company)
	if err != nil {
		return false, err
	}
	b.report.ShopVersion = catalogue.Version
	result, problem := b.write(ctx, template, catalogue)
	if problem != nil && problem.Cause == feed.OutOfBytes && longer(int64(cap(b.desk))) > 0 {
		return true, nil
	}
	b.told(&result)
	switch {
	case problem != nil && b.s.ctx.Err() != nil:
		return false, b.s.ctx.Err() // the server stops, which says nothing about the file
	case problem != nil:
		b.fails(BuildFailed, problem)
		return false, problem
	case result.Broken != nil && b.old != nil:
		b.fails(BuildKept, result.Broken)
		return false, result.Broken
	case result.Broken != nil:
		b.fails(BuildFailed, result.Broken)
		return false, result.Broken
	}
	b.lint(&result, catalogue)
	if problem = b.lost(ctx); problem != nil {
		b.fails(BuildKept, problem)
		return false, problem
	}
	if len(b.out) <= smallText {
		b.out = bytes.Clone(b.out) // without the rest of the desk
	}
	return false, nil
}

// starts notes when the waiting is over: what is read from here on is no older.
func (b *fileBuild) starts(made *copied) {
	b.began, b.gen = b.s.cfg.Now(), b.t.state.Load().gen
	b.report.At, made.built = b.began, b.began
}

// write renders into b.out.
func (b *fileBuild) write(ctx context.Context, template *feed.Template, catalogue Catalogue) (feed.Result, *feed.Problem) {
	b.out = b.desk
	return template.Render(&b.out, catalogue.Catalogue, feed.Options{
		Now: printed(catalogue.Changed, b.began), Stop: untilTime(ctx, b.s.cfg.Now), Trace: true, Bytes: cap(b.desk),
	})
}

// told notes what a render says of its output.
func (b *fileBuild) told(result *feed.Result) {
	b.report.Items, b.report.Bytes = result.Items, result.Bytes
	for _, w := range result.Warnings {
		b.report.Warnings = append(b.report.Warnings, BuildProblem{Line: w.Line, Message: w.Message, Code: w.Code})
	}
}

func (b *fileBuild) lint(result *feed.Result, catalogue Catalogue) {
	found := lint.Check(b.out, result, lint.Rules{Shop: catalogue.Shop(), Picture: catalogue.Picture})
	for _, w := range found.Findings {
		b.report.Warnings = append(b.report.Warnings, BuildProblem{Line: w.Line, Message: w.Message, Code: w.Code, Product: w.ProductID})
	}
}

// codeLost is the code of a build that lost products without a reason.
const codeLost = "SITE_FILE_OFFERS_LOST"

// lost refuses a build that has less than half of the products of the good copy
// while the catalogue gives no reason for it: neither the shop nor its sections
// have changed since, nor as many products as are missing. A marketplace takes
// what is missing for deleted.
func (b *fileBuild) lost(ctx context.Context) *feed.Problem {
	if b.old == nil || b.old.version != b.file.Version || 2*b.report.Items >= b.old.items {
		return nil
	}
	missing := b.old.items - b.report.Items
	d, err := b.t.source.Delta(ctx, b.t.company, b.old.shopVersion)
	if err != nil || !d.Whole && !explains(d.Keys, missing) {
		return &feed.Problem{Code: codeLost, Message: fmt.Sprintf(
			"%d of %d products are missing and nothing in the catalogue says why; the copy before stays. Save the file to accept it",
			missing, b.old.items)}
	}
	return nil
}

// explains reports whether moved keys can be why so many products are missing.
func explains(keys []shop.Key, missing int) bool {
	products := map[int64]bool{}
	for _, k := range keys {
		switch {
		case k.Kind == shop.KeyShop || k.Kind == shop.KeyCategories:
			return true
		case k.Kind == shop.KeyProduct && k.ID != 0:
			products[k.ID] = true
		}
	}
	return len(products) >= missing
}

// untilTime stops a render after its 30 seconds, or with the server.
func untilTime(ctx context.Context, now func() time.Time) func() error {
	ends := now().Add(feed.MaxTime)
	return func() error {
		if now().After(ends) {
			return context.DeadlineExceeded
		}
		return ctx.Err()
	}
}

// printed is the time that templates print: the latest change of the shop or the
// beginning of this hour, so that a build that changes nothing has the same bytes.
func printed(changed, now time.Time) time.Time {
	if hour := now.Truncate(time.Hour); hour.After(changed) {
		return hour.UTC()
	}
	return changed.Truncate(time.Second).UTC()
}
