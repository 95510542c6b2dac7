package media

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/internal/blob"
	"vitrine/internal/drain"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
)

const uploadTime = 6 * time.Hour // for the bytes of one PUT; the listener ends those that do not get on

type receiveRequest struct {
	ID    uuid.UUID `path:"id" json:"-"`
	Token string    `path:"token" json:"-"`
}

// receive streams the bytes of an upload into the blob store, at most as many
// as its category allows and the shop has room for. Until the upload is done,
// each PUT replaces the one before, whose bytes go.
func (m *Media) receive(ctx context.Context, call *api.Call, in receiveRequest) (api.None, error) {
	company, f, err := m.openUpload(ctx, in)
	switch {
	case err != nil:
	case f.Buyer != nil:
		err = call.CountVisitor()
	default:
		err = call.Count(company) // with the announcement and the end an upload costs three
	}
	if err != nil {
		return api.None{}, err
	}
	if contentType := call.Header("Content-Type"); !fits(contentType, f.Type) {
		return api.None{}, ErrTypeMismatch.With("the upload was announced as " + f.Type)
	}
	// A slow line may take longer than the work of a call.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), uploadTime)
	defer cancel()
	room, ref, err := m.take(ctx, call, company, f)
	defer func() { room.Close(ctx) }() // also where it failed half-way
	if errors.Is(err, ErrTooLarge) {
		note := m.store.Write(ctx, company, func(tx *store.Tx) error { return mediadb.FileOversize(ctx, tx, f.ID, maxBytes(f.Type)+1) })
		return api.None{}, errors.Join(note, err)
	}
	if err != nil {
		return api.None{}, err
	}
	return api.None{}, m.store.Write(ctx, company, func(tx *store.Tx) error {
		open, err := mediadb.UploadArrived(ctx, tx, f.ID, ref.SHA256, ref.Size)
		if err == nil && !open {
			err = ErrUploadDone
		}
		if err != nil {
			return err
		}
		return room.Keep(ctx, tx)
	})
}

// openUpload finds the upload of an address that still takes bytes.
func (m *Media) openUpload(ctx context.Context, in receiveRequest) (company shop.CompanyID, f mediadb.File, err error) {
	if !secret.WellFormed(in.Token, secret.Upload) {
		return 0, f, mediadb.ErrFileNotFound
	}
	company, f, err = mediadb.FileUpload(ctx, m.store, in.ID, secret.Hash(in.Token))
	switch {
	case err != nil:
	case f.Status == mediadb.FileStored:
		err = ErrUploadDone
	case m.now().Sub(f.CreatedAt) > uploadLifetime:
		err = ErrUploadExpired.With("announce the file again")
	}
	return company, f, err
}

// take keeps the bytes of a call, at most as many as the category allows, in
// room that the shop has for them before they are written.
func (m *Media) take(
	ctx context.Context, call *api.Call, company shop.CompanyID, f mediadb.File,
) (room *intake.Reservation, ref blob.Ref, err error) {
	limit := maxBytes(f.Type)
	body, size := call.Body()
	if size > limit {
		return nil, ref, errors.Join(tooLarge(f.Type), drain.Refused(body))
	}
	if size >= 0 {
		room, err = m.intake.Reserve(ctx, company, blob.Ref{Size: size})
	} else {
		room, err = m.intake.ReserveUpTo(ctx, company, limit)
	}
	if err != nil {
		return room, ref, errors.Join(err, drain.Refused(body))
	}
	reserved, source := room.Size(), &watched{Reader: body}
	ref, err = room.Put(ctx, source)
	switch {
	case errors.Is(err, blob.ErrTooLarge) && reserved < limit:
		return room, ref, errors.Join(mediadb.ErrStorageLimit.With("the body does not end within the room that is left"), drain.Refused(body))
	case errors.Is(err, blob.ErrTooLarge):
		return room, ref, errors.Join(tooLarge(f.Type), drain.Refused(body))
	case source.broken, err == nil && size >= 0 && ref.Size != size:
		return room, ref, shop.ErrInvalidRequest.With("the body ended early")
	case errors.Is(err, blob.ErrAway):
		return room, ref, errors.Join(err, drain.Refused(body))
	}
	return room, ref, err
}

// watched notices that reading failed, which is the caller's doing; any other
// failure of keeping the bytes is ours.
type watched struct {
	io.Reader
	broken bool
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.broken = w.broken || err != nil && !errors.Is(err, io.EOF)
	return n, err
}

func tooLarge(kind string) error {
	return ErrTooLarge.With(kind + " files have at most " + strconv.FormatInt(maxBytes(kind)>>20, 10) + " MB")
}
