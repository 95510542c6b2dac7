package release

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/gabriel-vasile/mimetype"

	"vitrine/admin/api"
	"vitrine/compile/release"
	"vitrine/internal/outbound"
	"vitrine/internal/shop"
)

// Fetch downloads a URL, like outbound.Client.Do.
type Fetch func(context.Context, outbound.Request) (*outbound.Answer, error)

// Refusals of archives that are fetched.
var (
	errURL   = shop.Refuse(shop.InvalidArgument, "URL_NOT_ALLOWED").When("the URL is too long, is not http or https, or leads to an address that is not on the public internet and that the operator has not allowed with VITRINE_OUTBOUND_ALLOW")
	errFetch = shop.Refuse(shop.InvalidArgument, "URL_FETCH_FAILED").When("source_url does not respond, does not respond with 200, or does not return a complete file in a format that the call takes")
)

const (
	// maxFetches is how many archives of one shop are fetched at once; further ones wait.
	maxFetches = 2
	fetchHops  = 3
)

// zipMagic begins every ZIP with an entry.
const zipMagic = "PK\x03\x04"

// spoolAway fetches the ZIP at a URL. An HTML page becomes a ZIP with the page as its index.html, so
// that both are checked and stored in one way.
func (rs *Releases) spoolAway(ctx context.Context, c *api.Call, a archive, from string) (archive, error) {
	done, err := rs.fetches.Acquire(ctx, c.Company)
	if err != nil {
		return a, err
	}
	defer done()
	answer, err := rs.web(ctx, outbound.Request{
		URL: from, MaxRedirects: fetchHops, MaxBody: a.limits.Zip, Header: map[string]string{"Accept": "application/zip, text/html;q=0.9, */*;q=0.1"},
	})
	if err != nil {
		return a, fetchFailed(err)
	}
	if answer.Status != 200 {
		return a, errors.Join(errFetch.With("the server responded with status "+strconv.Itoa(answer.Status)), answer.Body.Close())
	}
	source := &clientReader{from: answer.Body}
	a, err = rs.spoolFetched(ctx, c, a, source)
	if err != nil && source.failed {
		err = fetchFailed(source.err)
	}
	if closed := answer.Body.Close(); err == nil && closed != nil {
		err = errors.Join(closed, a.close(ctx))
	}
	return a, err
}

func (rs *Releases) spoolFetched(ctx context.Context, c *api.Call, a archive, source io.Reader) (archive, error) {
	const enough = 3072 // bytes by which mimetype knows a page
	head := make([]byte, enough)
	n, err := io.ReadFull(source, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return a, err
	}
	head = head[:n]
	source = io.MultiReader(bytes.NewReader(head), source)
	switch {
	case bytes.HasPrefix(head, []byte(zipMagic)):
		return rs.spoolFrom(ctx, c, a, source, a.limits.Zip)
	case mimetype.Detect(head).Is("text/html"):
		page, err := zipOfPage(source, a.limits.Index)
		if err != nil {
			return a, err
		}
		return rs.spoolFrom(ctx, c, a, bytes.NewReader(page), int64(len(page)))
	}
	return a, errFetch.With("the response is neither a ZIP nor an HTML page")
}

// zipOfPage returns an archive with one file, index.html, of at most most bytes.
func zipOfPage(page io.Reader, most int64) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	entry, err := w.CreateHeader(&zip.FileHeader{Name: release.Index, Method: zip.Store})
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(entry, io.LimitReader(page, most+1))
	if err != nil {
		return nil, err
	}
	if n > most {
		return nil, release.ErrTooLarge.With("the page has more than " + strconv.FormatInt(most>>20, 10) + " MiB")
	}
	err = w.Close()
	return out.Bytes(), err
}

// fetchFailed converts an error of a download to a refusal. It does not reveal the address that a
// name resolves to.
func fetchFailed(err error) error {
	switch {
	case errors.Is(err, outbound.ErrNotAllowed):
		return errURL.About("source_url").With("only http and https URLs of the public internet")
	case errors.Is(err, outbound.ErrTooLarge):
		return release.ErrTooLarge.With("the ZIP has more than 60 MiB")
	case errors.Is(err, outbound.ErrTooManyRedirects):
		return errFetch.With("more than 3 redirects")
	case errors.Is(err, context.DeadlineExceeded):
		return errFetch.With("the download took longer than 30 seconds")
	case errors.Is(err, context.Canceled):
		return err
	}
	return errFetch.With("the server does not respond")
}
