package api

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"strings"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrExportLarge refuses an export.
var ErrExportLarge = shop.Refuse(shop.FailedPrecondition, "EXPORT_TOO_LARGE").When("the export would be too large; use a narrower filter")

const maxExport = 512 << 20 // bytes

// Export returns the CSV that write makes of the rows of a database snapshot. It is stored in a
// file first: memory holds one page of rows, and a slow client does not hold a database
// connection. narrower says how to export fewer rows.
func Export(
	ctx context.Context, c *Call, s *store.Store, name, narrower string, write func(r store.Reader, to io.Writer) error,
) (Raw, error) {
	file, err := spool(maxExport, ErrExportLarge.With(narrower), func(to io.Writer) error {
		return s.Snapshot(ctx, c.Company, func(r store.Reader) error { return write(r, to) })
	})
	if err != nil {
		return Raw{}, err
	}
	info, err := file.Stat()
	if err != nil {
		return Raw{}, errors.Join(err, file.Close())
	}
	c.SetAttachment(name)
	return Raw{ContentType: "text/csv; charset=utf-8", Stream: file, Length: int(info.Size())}, nil
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

// spool writes a long response to an unlinked temporary file, which disappears when it is closed:
// memory stays small, and an error on the way is a refusal instead of half a response. A response
// of more than limit bytes fails with large.
func spool(limit int64, large error, write func(io.Writer) error) (file *os.File, err error) {
	file, err = os.CreateTemp("", "vitrine-answer-")
	if err != nil {
		return nil, err
	}
	err = os.Remove(file.Name())
	if err == nil {
		err = write(&limited{file, limit, large})
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// limited fails after a number of bytes.
type limited struct {
	to    io.Writer
	left  int64
	large error
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, l.large
	}
	return l.to.Write(p)
}
