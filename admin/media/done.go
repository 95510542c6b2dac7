package media

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
)

// Refusals of the confirmation of an upload (document 1, sections 4.4 and 7).
var (
	ErrUploadMissing = shop.Refuse(shop.FailedPrecondition, "UPLOAD_MISSING").When("no bytes have arrived at the upload address yet")
	ErrFileEmpty     = shop.Refuse(shop.InvalidArgument, "FILE_EMPTY").When("the uploaded file has no bytes")
	ErrNotImage      = shop.Refuse(shop.InvalidArgument, "FILE_NOT_IMAGE").When("the bytes are not a picture in an accepted format")
	// ErrNoDecoder is 415: such a picture is whole, but only other servers can read it.
	ErrNoDecoder     = shop.Refuse(shop.InvalidArgument, "IMAGE_FORMAT_UNREADABLE").When("the server has no decoder for AVIF or HEIC: save the picture as JPEG and upload that").WithStatus(415)
	ErrImageBroken   = shop.Refuse(shop.InvalidArgument, "IMAGE_BROKEN").When("the picture cannot be decoded")
	ErrImageTooLarge = shop.Refuse(shop.InvalidArgument, "IMAGE_TOO_LARGE").When("the picture has too many pixels")
	// ErrUploadChanged is 409: new bytes kept arriving while the upload was processed.
	ErrUploadChanged = shop.Refuse(shop.Aborted, "UPLOAD_CHANGED").When("new bytes arrived while the upload was confirmed")
)

// errUploadAgain is returned when the blob of an upload is gone.
var errUploadAgain = ErrUploadMissing.With("upload the file again")

// confirmTries is how often a confirmation is attempted when concurrent PUTs replace the bytes.
const confirmTries = 3

// done confirms an upload. It is idempotent: a stored file is returned unchanged. The bytes are
// inspected and converted outside the transaction, which then verifies that they are still the
// upload's.
func (m *Media) done(ctx context.Context, call *api.Call, in doneRequest) (out api.Result[fileView], err error) {
	for range confirmTries {
		company, f, err := m.uploaded(ctx, call, in)
		if err != nil {
			return out, err
		}
		switch {
		case f.Status == mediadb.FileStored:
		case f.Buyer != nil:
			f, err = m.confirmPhoto(ctx, company, f)
		default:
			f, err = m.confirm(ctx, call, f)
		}
		if errors.Is(err, ErrUploadChanged) {
			continue
		}
		if err != nil {
			return out, err
		}
		return m.answerIn(ctx, company, f)
	}
	return out, ErrUploadChanged.With("confirm again after the upload has finished")
}

func (m *Media) confirm(ctx context.Context, call *api.Call, f mediadb.File) (mediadb.File, error) {
	if f.Replaces != nil {
		if err := call.RequireLive(); err != nil {
			return f, err
		}
	}
	company := call.Company
	switch {
	case f.Size > maxBytes(f.Type):
		return f, tooLarge(f.Type)
	case f.Status == mediadb.FileRequested:
		return f, ErrUploadMissing.With("PUT the bytes to upload.url first")
	case f.Size == 0:
		return f, ErrFileEmpty
	}
	if f.Replaces != nil {
		return m.confirmReplacement(ctx, company, f)
	}
	ready, prepared, err := m.prepare(ctx, company, f)
	defer prepared.master.Close(ctx)
	if errors.Is(err, errUploadAgain) {
		return f, m.replacedMeanwhile(ctx, company, f)
	}
	if err != nil {
		return f, err
	}
	err = m.store.Write(ctx, company, func(tx *store.Tx) error {
		now, err := mediadb.LockFile(ctx, tx, f.ID)
		switch {
		case err != nil:
			return err
		case now.Status == mediadb.FileStored: // by another confirmation
			ready = now
			return nil
		case now.OriginalSHA256 != f.OriginalSHA256:
			return ErrUploadChanged
		}
		ready.Status, ready.Name = mediadb.FileStored, now.Name
		if err := mediadb.StoreFile(ctx, tx, &ready, prepared.blobs); err != nil {
			return err
		}
		return prepared.master.Keep(ctx, tx)
	})
	return ready, err
}

// replacedMeanwhile returns ErrUploadChanged if another body replaced the missing blob of an
// upload, and errUploadAgain if not.
func (m *Media) replacedMeanwhile(ctx context.Context, company shop.CompanyID, f mediadb.File) error {
	now, err := mediadb.GetFile(ctx, m.store.Shop(company), f.ID)
	switch {
	case err != nil:
		return err
	case now.OriginalSHA256 != f.OriginalSHA256 || now.Status != f.Status:
		return ErrUploadChanged
	}
	return errUploadAgain
}

// prepared is the blobs that a file refers to, with their sizes, and the reservation of the
// converted master.
type prepared struct {
	blobs  map[string]int64
	master *intake.Reservation
}

// prepare determines the type of an upload's bytes and creates the version to be served.
func (m *Media) prepare(ctx context.Context, company shop.CompanyID, f mediadb.File) (ready mediadb.File, k prepared, err error) {
	original := f.Size
	if f.Type == kindImage {
		ready, k.master, err = m.prepareImage(ctx, company, f)
	} else {
		ready, err = m.prepareOther(ctx, f)
	}
	k.blobs = map[string]int64{f.OriginalSHA256: original, ready.SHA256: ready.Size}
	return ready, k, err
}

func (m *Media) prepareImage(ctx context.Context, company shop.CompanyID, f mediadb.File) (mediadb.File, *intake.Reservation, error) {
	file, err := m.blobs.ReadAll(ctx, f.OriginalSHA256, maxImage)
	if errors.Is(err, blob.ErrNotFound) {
		return f, nil, errUploadAgain
	}
	if err != nil {
		return f, nil, err
	}
	f.SHA256 = f.OriginalSHA256
	if isSVG(file) {
		f.MIME, f.Path = svgType, pathOf(f, "svg")
		return f, nil, nil
	}
	picture, err := m.images.Inspect(file)
	if err != nil {
		return f, nil, err
	}
	if picture.Format == "heic" {
		f.PreferOriginal = false // most browsers do not show it
	}
	if converted(picture) && !f.PreferOriginal {
		return m.master(ctx, company, f, file)
	}
	f.Size, f.MIME, f.Width, f.Height = int64(len(file)), "image/"+picture.Format, picture.Width, picture.Height
	f.Path = pathOf(f, picture.Format)
	return f, nil, nil
}

// converted reports whether pictures of a format are served as WebP.
func converted(p Picture) bool {
	return slices.Contains([]string{"png", "jpeg", "avif", "heic"}, p.Format)
}

// master creates the WebP that is served in place of an upload.
func (m *Media) master(ctx context.Context, company shop.CompanyID, f mediadb.File, file []byte) (mediadb.File, *intake.Reservation, error) {
	body, picture, err := m.images.Master(ctx, file)
	if err != nil {
		return f, nil, err
	}
	ref := blob.Ref{SHA256: blob.Sum(body), Size: int64(len(body))}
	reservation, err := m.intake.Reserve(ctx, company, ref)
	if err == nil {
		err = reservation.PutExpect(ctx, bytes.NewReader(body), ref.SHA256, ref.Size)
	}
	f.SHA256, f.Size, f.MIME = ref.SHA256, ref.Size, "image/webp"
	f.Width, f.Height, f.Path = picture.Width, picture.Height, pathOf(f, "webp")
	return f, reservation, err
}

func (m *Media) prepareOther(ctx context.Context, f mediadb.File) (mediadb.File, error) {
	head, err := m.head(ctx, f.OriginalSHA256)
	if err != nil {
		return f, err
	}
	mime, ext, err := sniff(head, f.Type, extension(f.Name))
	f.SHA256, f.MIME, f.Path = f.OriginalSHA256, mime, pathOf(f, ext)
	return f, err
}

// head returns the beginning of a blob, as many bytes as are needed to detect its type.
func (m *Media) head(ctx context.Context, sha string) (head []byte, err error) {
	r, size, err := m.blobs.Open(ctx, sha)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, errUploadAgain
	}
	if err != nil {
		return nil, err
	}
	head = make([]byte, min(size, sniffLength))
	_, err = io.ReadFull(r, head)
	return head, errors.Join(err, r.Close())
}
