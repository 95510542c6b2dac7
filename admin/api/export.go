package api

import (
	"context"
	"io"
	"log/slog"
	"net/url"
	"strings"

	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrExportLarge refuses an export.
var ErrExportLarge = shop.Refuse(shop.FailedPrecondition, "EXPORT_TOO_LARGE").When("the export would be too large; use a narrower filter")

const maxExport = 512 << 20 // bytes

// Export returns the CSV that write makes of the rows of a database snapshot. The response begins with
// the first rows while the others are written to a file: memory holds one page of rows, and a slow client
// does not hold a database connection. A failure in the first rows is a refusal, a later one ends the
// connection before the response is complete. narrower says how to export fewer rows.
func Export(
	ctx context.Context, c *Call, s *store.Store, name, narrower string, write func(ctx context.Context, r store.Reader, to io.Writer) error,
) (Raw, error) {
	company, request := c.Company, slog.String("request_id", c.RequestID)
	file, length, err := spool(ctx, maxExport, ErrExportLarge.With(narrower), func(ctx context.Context, to io.Writer) error {
		return s.Snapshot(ctx, company, func(r store.Reader) error { return write(ctx, r, to) })
	}, func(err error) {
		c.log.Error("an export was cut off", request, "company", company, "error", secret.Mask(err.Error()))
	})
	if err != nil {
		return Raw{}, err
	}
	c.SetAttachment(name)
	return Raw{ContentType: "text/csv; charset=utf-8", Stream: file, Length: length}, nil
}

// SetAttachment makes browsers save the response as a file, with an ASCII name for old ones and
// the full name for the others (RFC 6266).
func (c *Call) SetAttachment(name string) {
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' || r == '%' {
			return '_'
		}
		return r
	}, name)
	c.SetHeader("Content-Disposition", `attachment; filename="`+ascii+`"; filename*=UTF-8''`+strings.ReplaceAll(url.QueryEscape(name), "+", "%20"))
}
