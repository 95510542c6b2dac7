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

// Refusals of pictures by address (document 1, sections 4.4 and 7).
var (
	ErrURLNotAllowed = shop.Refuse(shop.InvalidArgument, "URL_NOT_ALLOWED").When("source_url, or an address it redirects to, is not on the public internet or not http or https")
	ErrFetchFailed   = shop.Refuse(shop.InvalidArgument, "URL_FETCH_FAILED").When("nobody answers at source_url, not with 200, or not with a whole picture of an accepted format")
)

// errURLNotPublic does not say where a name leads: it may be one that only this
// network knows.
var errURLNotPublic = ErrURLNotAllowed.At("source_url").With("only http and https addresses of the public internet")

const (
	fetchHops = 3 // document 1, section 8
	// fetching is how many addresses one shop is asked for at once; more wait. Slow
	// servers that one shop names are no matter of another shop's.
	fetching = 8
)

// accepted asks servers that choose a format for one that is taken.
const accepted = "image/png, image/jpeg, image/webp, image/gif, image/bmp, image/tiff, */*;q=0.1"

// noAddress is the hash of no token: nothing is uploaded to a fetched file.
var noAddress = []byte{}

type fetchRequest struct {
	URL     string  `json:"source_url" len:"4000" refuse:"URL_NOT_ALLOWED"`
	Section string  `json:"section" len:"255" refuse:"INVALID_REQUEST"`
	Type    string  `json:"file_type" len:"255" refuse:"INVALID_REQUEST"`
	Name    *string `json:"original_name" len:"1000" refuse:"INVALID_REQUEST"`
}

type fetchAnswer struct {
	Result   fileView   `json:"result"`
	FileSize shop.Int64 `json:"file_size"`
}

// fetch takes a picture from a public address. It is stored and converted when
// the call answers; there is no done.
func (m *Media) fetch(ctx context.Context, call *api.Call, in fetchRequest) (out fetchAnswer, err error) {
	f, err := in.newFile()
	if err != nil {
		return out, err
	}
	if err := hasRoom(ctx, m.store.Shop(call.Company)); err != nil {
		return out, err
	}
	room, ref, err := m.download(ctx, call.Company, in.URL)
	defer func() { room.Close(ctx) }() // also where it failed half-way
	if err != nil {
		return out, err
	}
	f.CreatedBy, f.CreatedAt, f.OriginalSHA256, f.Size = call.Person, m.now(), ref.SHA256, ref.Size
	ready, keep, err := m.prepareFetched(ctx, call.Company, f)
	defer keep.master.Close(ctx)
	if err != nil {
		return out, err
	}
	err = m.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if err := mediadb.RequestFile(ctx, tx, ready, noAddress); err != nil {
			return err
		}
		if err := mediadb.StoreFile(ctx, tx, ready, keep.blobs); err != nil {
			return err
		}
		if err := keep.master.Keep(ctx, tx); err != nil {
			return err
		}
		return room.Keep(ctx, tx)
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

// newFile is the row of a picture, named by its address unless the caller does.
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
		err = shop.ErrInvalidRequest.At("file_type").With("image; other files are uploaded to an address of POST /v1/storages/files")
	}
	f.Status = mediadb.FileStored
	return f, err
}

// nameOf is the last segment of an address as a file name.
func nameOf(at *url.URL) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(path.Base(at.Path), ""))
	name = name[strings.LastIndexByte(name, '\\')+1:]
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[len(runes)-maxName:]) // the end has the extension
	}
	if strings.Trim(name, "./ ") == "" {
		return at.Hostname()
	}
	return name
}

// download keeps the bytes behind an address, in room that the shop has for the
// largest picture, or that is left of its plan.
func (m *Media) download(ctx context.Context, company shop.CompanyID, from string) (room *intake.Reservation, ref blob.Ref, err error) {
	leave, err := m.fetches.Acquire(ctx, company)
	if err != nil {
		return nil, ref, err
	}
	defer leave()
	answer, err := m.web(ctx, outbound.Request{
		URL: from, Hops: fetchHops, MaxBody: maxImage, Header: map[string]string{"Accept": accepted},
	})
	if err != nil {
		return nil, ref, fetchFailed(err)
	}
	if answer.Status != 200 {
		return nil, ref, errors.Join(ErrFetchFailed.With("the address answered with status "+strconv.Itoa(answer.Status)), answer.Body.Close())
	}
	source := &watched{Reader: answer.Body}
	if room, err = m.intake.ReserveUpTo(ctx, company, maxImage); err == nil {
		ref, err = m.keepFetched(ctx, room, source)
	}
	closed := answer.Body.Close()
	switch {
	case err != nil && source.broken:
		return room, ref, fetchFailed(err)
	case err != nil:
		return room, ref, err
	case ref.Size == 0:
		return room, ref, ErrFetchFailed.With("the address answered nothing")
	}
	return room, ref, closed
}

func (m *Media) keepFetched(ctx context.Context, room *intake.Reservation, from io.Reader) (blob.Ref, error) {
	reserved := room.Size()
	ref, err := room.Put(ctx, from)
	if errors.Is(err, blob.ErrTooLarge) && reserved < maxImage {
		err = mediadb.ErrStorageLimit.With("the picture does not end within the room that is left")
	}
	return ref, err
}

// fetchFailed says what went wrong on the way.
func fetchFailed(err error) error {
	switch {
	case errors.Is(err, outbound.ErrNotAllowed):
		return errURLNotPublic
	case errors.Is(err, outbound.ErrTooLarge):
		return tooLarge(kindImage)
	case errors.Is(err, outbound.ErrTooManyHops):
		return ErrFetchFailed.With("more than 3 redirects")
	case errors.Is(err, context.DeadlineExceeded):
		return ErrFetchFailed.With("it took longer than 30 seconds")
	case errors.Is(err, context.Canceled):
		return err
	}
	return ErrFetchFailed.With("nobody answers there")
}

// prepareFetched is prepare for pictures by address, of which only those are
// taken that can be cut (document 1, 4.4).
func (m *Media) prepareFetched(ctx context.Context, company shop.CompanyID, f mediadb.File) (mediadb.File, keep, error) {
	ready, keep, err := m.prepare(ctx, company, f)
	switch {
	case errors.Is(err, ErrNotImage), err == nil && ready.MIME == svgType:
		err = ErrFetchFailed.With("it is no jpeg, png, gif, webp, bmp or tiff")
	case errors.Is(err, ErrImageBroken):
		err = ErrFetchFailed.With("the picture cannot be decoded")
	}
	return ready, keep, err
}
