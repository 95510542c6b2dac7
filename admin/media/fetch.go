package media

import (
	"context"
	"errors"
	"io"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/internal/blob"
	"vitrine/internal/outbound"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
)

// Refusals of fetched pictures (document 1, sections 4.4 and 7).
var (
	ErrURLNotAllowed = shop.Refuse(shop.InvalidArgument, "URL_NOT_ALLOWED").When("the URL is too long, is not http or https, or leads to an address that is not on the public internet and that the operator has not allowed with VITRINE_OUTBOUND_ALLOW")
	ErrFetchFailed   = shop.Refuse(shop.InvalidArgument, "URL_FETCH_FAILED").When("source_url does not respond, does not respond with 200, or does not return a complete file in a format that the call takes")
)

// errURLNotPublic does not reveal the address that a name resolves to, because the name may exist
// only in the internal network.
var errURLNotPublic = ErrURLNotAllowed.At("source_url").With("only http and https URLs of the public internet")

const (
	fetchHops = 3 // document 1, section 8
	// maxFetches is how many fetches of one shop run at once; further ones wait. Slow servers used
	// by one shop do not delay other shops.
	maxFetches = 8
)

// acceptHeader is the Accept header; servers that negotiate choose a supported format.
const acceptHeader = "image/png, image/jpeg, image/webp, image/gif, image/bmp, image/tiff, */*;q=0.1"

// noToken is a hash that no token has, because nothing is uploaded to a fetched file.
var noToken = []byte{}

type fetchRequest struct {
	URL     string  `json:"source_url" required:"always" len:"4000" refuse:"URL_NOT_ALLOWED"`
	Section string  `json:"section" required:"always" len:"255" refuse:"INVALID_REQUEST"`
	Type    string  `json:"file_type" required:"always" len:"255" refuse:"INVALID_REQUEST"`
	Name    *string `json:"original_name" len:"1000" refuse:"INVALID_REQUEST"`
}

type fetchAnswer struct {
	Result   fileView   `json:"result"`
	FileSize shop.Int64 `json:"file_size"`
}

// fetch downloads a picture from a public URL. The picture is stored and converted when the call
// returns; no confirmation is needed.
func (m *Media) fetch(ctx context.Context, call *api.Call, in fetchRequest) (out fetchAnswer, err error) {
	f, err := in.newFile()
	if err != nil {
		return out, err
	}
	if err := hasStorage(ctx, m.store.Shop(call.Company)); err != nil {
		return out, err
	}
	reservation, ref, err := m.download(ctx, call.Company, in.URL)
	defer func() { reservation.Close(ctx) }() // also after a partial failure
	if err != nil {
		return out, err
	}
	f.CreatedBy, f.CreatedAt, f.OriginalSHA256, f.Size = call.Person, m.now(), ref.SHA256, ref.Size
	ready, prepared, err := m.prepareFetched(ctx, call.Company, f)
	defer prepared.master.Close(ctx)
	if err != nil {
		return out, err
	}
	err = m.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if err := mediadb.RequestFile(ctx, tx, &ready, noToken); err != nil {
			return err
		}
		if err := mediadb.StoreFile(ctx, tx, &ready, prepared.blobs); err != nil {
			return err
		}
		if err := prepared.master.Keep(ctx, tx); err != nil {
			return err
		}
		return reservation.Keep(ctx, tx)
	})
	if err != nil {
		return out, err
	}
	views, err := m.views(ctx, call.Company, ready)
	if err != nil {
		return out, err
	}
	return fetchAnswer{Result: views[0], FileSize: shop.Int64(ready.Size)}, nil
}

// newFile returns the row of a fetched picture, named after its URL unless the caller sends a
// name.
func (in fetchRequest) newFile() (f mediadb.File, err error) {
	if in.URL == "" {
		return f, shop.ErrInvalidRequest.At("source_url").With("missing")
	}
	at, err := outbound.ParseURL(in.URL)
	if err != nil {
		return f, errURLNotPublic
	}
	request := uploadRequest{Section: in.Section, Type: in.Type, Name: nameOf(at)}
	if in.Name != nil && *in.Name != "" {
		request.Name = *in.Name
	}
	if f, err = request.newFile(); err != nil {
		return f, err
	}
	if f.Type != kindImage {
		err = shop.ErrInvalidRequest.At("file_type").With("image; upload other files with POST /v1/storages/files")
	}
	f.Status = mediadb.FileStored
	return f, err
}

// nameOf returns the last path segment of a URL as a file name.
func nameOf(at *url.URL) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(path.Base(at.Path), ""))
	name = name[strings.LastIndexByte(name, '\\')+1:]
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[len(runes)-maxName:]) // the extension is at the end
	}
	if strings.Trim(name, "./ ") == "" {
		return at.Hostname()
	}
	return name
}

// download stores the bytes behind a URL in a storage reservation of the size of the largest
// picture, or of the rest of the shop's plan.
func (m *Media) download(ctx context.Context, company shop.CompanyID, from string) (reservation *intake.Reservation, ref blob.Ref, err error) {
	release, err := m.fetches.Acquire(ctx, company)
	if err != nil {
		return nil, ref, err
	}
	defer release()
	answer, err := m.web(ctx, outbound.Request{
		URL: from, MaxRedirects: fetchHops, MaxBody: maxImage, Header: map[string]string{"Accept": acceptHeader},
	})
	if err != nil {
		return nil, ref, fetchFailed(err)
	}
	if answer.Status != 200 {
		return nil, ref, errors.Join(ErrFetchFailed.With("the server responded with status "+strconv.Itoa(answer.Status)), answer.Body.Close())
	}
	source := &trackedReader{Reader: answer.Body}
	if reservation, err = m.intake.ReserveUpTo(ctx, company, maxImage); err == nil {
		ref, err = m.keepFetched(ctx, reservation, source)
	}
	closed := answer.Body.Close()
	switch {
	case err != nil && source.failed:
		return reservation, ref, fetchFailed(err)
	case err != nil:
		return reservation, ref, err
	case ref.Size == 0:
		return reservation, ref, ErrFetchFailed.With("the response was empty")
	}
	return reservation, ref, closed
}

func (m *Media) keepFetched(ctx context.Context, reservation *intake.Reservation, from io.Reader) (blob.Ref, error) {
	reserved := reservation.Size()
	ref, err := reservation.Put(ctx, from)
	if errors.Is(err, blob.ErrTooLarge) && reserved < maxImage {
		err = mediadb.ErrStorageLimit.With("the storage that is left is too small for the picture")
	}
	return ref, err
}

// fetchFailed converts an error of the download to a refusal.
func fetchFailed(err error) error {
	switch {
	case errors.Is(err, outbound.ErrNotAllowed):
		return errURLNotPublic
	case errors.Is(err, outbound.ErrTooLarge):
		return tooLarge(kindImage)
	case errors.Is(err, outbound.ErrTooManyRedirects):
		return ErrFetchFailed.With("more than 3 redirects")
	case errors.Is(err, context.DeadlineExceeded):
		return ErrFetchFailed.With("the download took longer than 30 seconds")
	case errors.Is(err, context.Canceled):
		return err
	}
	return ErrFetchFailed.With("the server does not respond")
}

// prepareFetched is prepare for fetched pictures; it accepts only formats that can be resized
// (document 1, 4.4).
func (m *Media) prepareFetched(ctx context.Context, company shop.CompanyID, f mediadb.File) (mediadb.File, prepared, error) {
	ready, prepared, err := m.prepare(ctx, company, f)
	switch {
	case errors.Is(err, ErrNotImage), err == nil && ready.MIME == svgType:
		err = ErrFetchFailed.With("the response is not a jpeg, png, gif, webp, avif, heic, bmp or tiff")
	case errors.Is(err, ErrImageBroken):
		err = ErrFetchFailed.With("the picture cannot be decoded")
	}
	return ready, prepared, err
}
