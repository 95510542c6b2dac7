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

const uploadTimeout = 6 * time.Hour // for the bytes of one PUT; the listener aborts stalled ones

type receiveRequest struct {
	ID    uuid.UUID `path:"id" json:"-"`
	Token string    `path:"token" json:"-"`
}

// receive streams the bytes of an upload into the blob store, at most as many as its category
// allows and the shop has storage for. Until the upload is confirmed, each PUT replaces the bytes
// of the previous one, which are deleted.
func (m *Media) receive(ctx context.Context, call *api.Call, in receiveRequest) (api.None, error) {
	company, f, err := m.openUpload(ctx, in)
	switch {
	case err != nil:
	case f.Buyer != nil:
		err = call.CountForNetwork()
	default:
		err = call.Count(ctx, company) // an upload counts three calls, with announcement and confirmation
	}
	if err != nil {
		return api.None{}, err
	}
	if contentType := call.Header("Content-Type"); !matchesKind(contentType, f.Type) {
		return api.None{}, ErrTypeMismatch.With("the upload was announced as " + f.Type)
	}
	// An upload on a slow connection may take longer than a call is allowed to.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), uploadTimeout)
	defer cancel()
	reservation, ref, err := m.storeBody(ctx, call, company, f)
	defer func() { reservation.Close(ctx) }() // also after a partial failure
	if errors.Is(err, ErrTooLarge) {
		note := m.store.Write(ctx, company, func(tx *store.Tx) error { return mediadb.MarkFileOversize(ctx, tx, f.ID, maxBytes(f.Type)+1) })
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
		return reservation.Keep(ctx, tx)
	})
}

// openUpload finds the upload of a URL, which must not be confirmed or expired yet.
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

// storeBody stores the body of a call in a storage reservation, at most as many bytes as the
// category allows.
func (m *Media) storeBody(
	ctx context.Context, call *api.Call, company shop.CompanyID, f mediadb.File,
) (reservation *intake.Reservation, ref blob.Ref, err error) {
	limit := maxBytes(f.Type)
	body, size := call.Body()
	if size > limit {
		return nil, ref, errors.Join(tooLarge(f.Type), drain.Refused(body))
	}
	if size >= 0 {
		reservation, err = m.intake.Reserve(ctx, company, blob.Ref{Size: size})
	} else {
		reservation, err = m.intake.ReserveUpTo(ctx, company, limit)
	}
	if err != nil {
		return reservation, ref, errors.Join(err, drain.Refused(body))
	}
	reserved, source := reservation.Size(), &trackedReader{Reader: body}
	ref, err = reservation.Put(ctx, source)
	switch {
	case errors.Is(err, blob.ErrTooLarge) && reserved < limit:
		return reservation, ref, errors.Join(mediadb.ErrStorageLimit.With("the storage that is left is too small for the body"), drain.Refused(body))
	case errors.Is(err, blob.ErrTooLarge):
		return reservation, ref, errors.Join(tooLarge(f.Type), drain.Refused(body))
	case source.failed, err == nil && size >= 0 && ref.Size != size:
		return reservation, ref, shop.ErrInvalidRequest.With("the body ended early")
	case errors.Is(err, blob.ErrUnavailable):
		return reservation, ref, errors.Join(err, drain.Refused(body))
	}
	return reservation, ref, err
}

// trackedReader records whether reading failed, which is the caller's fault; any other failure is
// the server's.
type trackedReader struct {
	io.Reader
	failed bool
}

func (w *trackedReader) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.failed = w.failed || err != nil && !errors.Is(err, io.EOF)
	return n, err
}

func tooLarge(kind string) error {
	return ErrTooLarge.With(kind + " files have at most " + strconv.FormatInt(maxBytes(kind)>>20, 10) + " MB")
}
