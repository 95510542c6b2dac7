package sitefile

import (
	"context"
	"errors"
	"path"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/compile/feed"
	"vitrine/compile/feed/lint"
	"vitrine/internal/catalogue"
	"vitrine/internal/shop"
	"vitrine/internal/store/media"
)

// Limits of a preview (document 3, 4.3).
const (
	previewDefault = 20        // products of each range when limit is 0
	previewMax     = 50        // the largest limit
	previewOutput  = 200 << 10 // bytes of output in the response
	previewTimeout = 10 * time.Second
	slotTimeout    = 3 * time.Second // for a render slot
)

type previewRequest struct {
	Path  string `json:"path" required:"always" doc:"the path of the file; its extension decides how values are escaped" len:"1024"`
	Body  string `json:"body" len:"body"`
	Limit int    `json:"limit" doc:"products of each range, at most 50; 0 is 20"`
}

type previewAnswer struct {
	Output     string        `json:"output" doc:"at most 200 KB"`
	Truncated  bool          `json:"truncated"`
	ItemsCount int           `json:"items_count" doc:"distinct products"`
	Errors     []fileProblem `json:"errors"`
	Warnings   []fileWarning `json:"warnings" doc:"what the marketplace that reads the feed would refuse, and broken links"`
	Feed       lint.Kind     `json:"feed" doc:"the marketplace format that was checked; empty for other files"`
}

// previewSiteFile renders a body on the live catalogue. Errors of the template are part of the
// response.
func (s *SiteFiles) previewSiteFile(ctx context.Context, c *api.Call, in previewRequest) (out previewAnswer, err error) {
	if in.Limit < 0 || in.Limit > previewMax {
		return out, shop.ErrInvalidRequest.At("limit").With("0 to 50")
	}
	name := path.Base(in.Path)
	if err := checkName("path", name); err != nil {
		return out, err
	}
	if len(in.Body) > feed.MaxBody {
		return out, errFileBodySize
	}
	if err := c.Take(ctx, api.Previews); err != nil {
		return out, previewLimited(err)
	}
	out.Errors, out.Warnings = []fileProblem{}, []fileWarning{}
	template, problems := feed.Compile(name, in.Body)
	for _, p := range problems {
		out.Errors = append(out.Errors, lineError(p))
	}
	if template == nil {
		return out, nil
	}
	wait, cancel := context.WithTimeout(ctx, slotTimeout)
	defer cancel()
	release, err := s.catalogues.Renders.Acquire(wait, c.Company)
	if err != nil {
		return out, errPreviewLimited.With("two site files of the shop are being rendered").RetryAfter(int(slotTimeout / time.Second))
	}
	defer release()
	return out, s.renderPreview(ctx, c.Company, template, in.Limit, &out)
}

// previewLimited converts a refusal of the rate limit to the code of site files.
func previewLimited(err error) error {
	refusal, ok := shop.AsRefusal(err)
	if !ok || !errors.Is(refusal, shop.ErrRateLimited) {
		return err
	}
	limited := errPreviewLimited.With("30 previews a minute")
	if seconds, ok := refusal.Fields["retry_after"].(int); ok {
		limited = limited.RetryAfter(seconds)
	}
	return limited
}

// renderPreview renders within the time limit of a preview.
func (s *SiteFiles) renderPreview(
	ctx context.Context, company shop.CompanyID, template *feed.Template, limit int, out *previewAnswer,
) error {
	catalogue, err := s.catalogues.Current(ctx, s.store, company)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	if limit == 0 {
		limit = previewDefault
	}
	var written output
	result, problem := template.Render(&written, catalogue.Catalogue, feed.Options{
		Limit: limit, Bytes: feed.MaxPreview, Now: s.now().UTC(), Stop: ctx.Err, Trace: true,
	})
	out.ItemsCount = result.Items
	for _, p := range result.Warnings {
		out.Warnings = append(out.Warnings, fileWarning{fileProblem: lineError(p)})
	}
	switch {
	case problem != nil:
		out.Errors = append(out.Errors, lineError(*problem))
	case result.Broken != nil:
		out.Errors = append(out.Errors, lineError(*result.Broken))
	}
	out.Output, out.Truncated = cutText(written, previewOutput)
	if problem != nil {
		return nil // an incomplete feed cannot be checked
	}
	report := lint.Check(written, &result, lint.Rules{Shop: catalogue.Shop(), Picture: s.pictures(ctx, company, catalogue)})
	out.Feed = report.Kind
	for _, f := range report.Findings {
		out.Warnings = append(out.Warnings, fileWarning{fileProblem{f.Line, f.Message, f.Code}, shop.Int64(f.ProductID)})
	}
	return nil
}

// output collects the bytes written by a render.
type output []byte

// Write never fails.
func (o *output) Write(p []byte) (int, error) {
	*o = append(*o, p...)
	return len(p), nil
}

// cutText truncates a text to at most that many bytes, at a character boundary.
func cutText(text []byte, most int) (string, bool) {
	if len(text) <= most {
		return string(text), false
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return string(text[:most]), true
}

// pictures returns a function that reports whether a path of the shop's host is a picture. It
// knows the pictures of the catalogue and looks up others.
func (s *SiteFiles) pictures(ctx context.Context, company shop.CompanyID, catalogue catalogue.Catalogue) func(string) bool {
	return catalogue.Pictures(func(path string) bool {
		_, err := media.FileByPath(ctx, s.store.Shop(company), path)
		return err == nil
	})
}
