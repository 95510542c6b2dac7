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

// renderWithin renders into a buffer of n bytes, or into a larger one.
func (b *fileBuild) renderWithin(n int64, template *feed.Template, made *copyInfo) error {
	if err := b.acquireBuffer(n); err != nil {
		return err
	}
	outgrown, err := b.render(template, made)
	if !outgrown {
		return err
	}
	b.releaseBuffer()
	return b.renderWithin(nextBufferSize(n), template, made)
}

// render renders and checks the output. A *feed.Problem means that it must not be
// served, outgrown that it needs a larger buffer.
func (b *fileBuild) render(template *feed.Template, made *copyInfo) (outgrown bool, err error) {
	b.keys = fileKeys
	leave, err := b.t.source.RenderPlace(b.s.ctx, b.t.company)
	if err != nil {
		return false, err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(b.s.ctx, buildTime)
	defer cancel()
	b.begin(made)
	catalogue, err := b.t.source.Catalogue(ctx, b.t.company)
	if err != nil {
		return false, err
	}
	b.report.ShopVersion = catalogue.Version
	result, problem := b.write(ctx, template, catalogue)
	if problem != nil && problem.Cause == feed.OutOfBytes && nextBufferSize(int64(cap(b.buffer))) > 0 {
		return true, nil
	}
	b.recordResult(&result)
	switch {
	case problem != nil && b.s.ctx.Err() != nil:
		return false, b.s.ctx.Err() // the server stops: not an error of the file
	case problem != nil:
		b.addError(BuildFailed, problem)
		return false, problem
	case result.Broken != nil && b.old != nil:
		b.addError(BuildKept, result.Broken)
		return false, result.Broken
	case result.Broken != nil:
		b.addError(BuildFailed, result.Broken)
		return false, result.Broken
	}
	b.lint(&result, catalogue)
	if problem = b.checkLost(ctx); problem != nil {
		b.addError(BuildKept, problem)
		return false, problem
	}
	if len(b.out) <= smallLimit {
		b.out = bytes.Clone(b.out) // without the unused rest of the buffer
	}
	return false, nil
}

// begin sets the time of the build when the waiting is over. Everything is read after
// that.
func (b *fileBuild) begin(made *copyInfo) {
	b.began, b.gen = b.s.cfg.Now(), b.t.state.Load().gen
	b.report.At, made.built = b.began, b.began
}

// write renders into b.out.
func (b *fileBuild) write(ctx context.Context, template *feed.Template, catalogue Catalogue) (feed.Result, *feed.Problem) {
	b.out = b.buffer
	return template.Render(&b.out, catalogue.Catalogue, feed.Options{
		Now: renderTime(catalogue.Changed, b.began), Stop: stopAfterMaxTime(ctx, b.s.cfg.Now), Trace: true, Bytes: cap(b.buffer),
	})
}

// recordResult copies the result of a render into the report.
func (b *fileBuild) recordResult(result *feed.Result) {
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

// codeLost is the code of a build that lost products for no known reason.
const codeLost = "SITE_FILE_OFFERS_LOST"

// checkLost refuses a build that has less than half of the products of the good copy
// if no change explains that: neither the shop nor its categories have changed since,
// nor as many products as are missing. A marketplace takes missing products for
// deleted.
func (b *fileBuild) checkLost(ctx context.Context) *feed.Problem {
	if b.old == nil || b.old.version != b.file.Version || 2*b.report.Items >= b.old.items {
		return nil
	}
	missing := b.old.items - b.report.Items
	d, err := b.t.source.Delta(ctx, b.t.company, b.old.shopVersion)
	if err != nil || !d.Reload && !explains(d.Keys, missing) {
		return &feed.Problem{Code: codeLost, Message: fmt.Sprintf(
			"%d of %d products are missing and no change of the catalogue explains it; the previous copy stays. Save the file to accept the new one",
			missing, b.old.items)}
	}
	return nil
}

// explains reports whether changed keys can be the reason for so many missing products.
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

// stopAfterMaxTime returns the Stop of a render: it ends after 30 seconds or with ctx.
func stopAfterMaxTime(ctx context.Context, now func() time.Time) func() error {
	ends := now().Add(feed.MaxTime)
	return func() error {
		if now().After(ends) {
			return context.DeadlineExceeded
		}
		return ctx.Err()
	}
}

// renderTime returns the time that templates print: the latest change of the shop or
// the beginning of this hour, so that an unchanged file keeps its bytes.
func renderTime(changed, now time.Time) time.Time {
	if hour := now.Truncate(time.Hour); hour.After(changed) {
		return hour.UTC()
	}
	return changed.Truncate(time.Second).UTC()
}
