package media

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
)

// ErrNotStored is returned for a file whose upload is not confirmed yet.
var ErrNotStored = shop.Refuse(shop.FailedPrecondition, "FILE_NOT_STORED").When("the file has no confirmed bytes yet")

// ErrNoOriginal is returned for a file that is served as it was uploaded anyway.
var ErrNoOriginal = shop.Refuse(shop.FailedPrecondition, "FILE_HAS_NO_ORIGINAL").
	When("the file was not converted, so it has no separate original")

type replaceRequest struct {
	ID   uuid.UUID `path:"id" json:"-"`
	Name *string   `json:"original_name" len:"1000" refuse:"INVALID_REQUEST"`
}

// replace announces new bytes for a file. The file keeps its id, type, section and links; the old
// bytes are served until the new ones are confirmed.
func (m *Media) replace(ctx context.Context, call *api.Call, in replaceRequest) (out uploadAnswer, err error) {
	was, err := mediadb.GetFile(ctx, m.store.Shop(call.Company), in.ID)
	if err == nil && was.Status != mediadb.FileStored {
		err = ErrNotStored.With("confirm the upload first")
	}
	if err != nil {
		return out, err
	}
	request := uploadRequest{Section: was.Section, Type: was.Type, Name: was.Name}
	if in.Name != nil {
		request.Name = *in.Name
	}
	f, err := request.newFile()
	if err != nil {
		return out, err
	}
	f.Replaces = &was.ID
	if out.Upload, err = m.announce(ctx, call, call.Company, &f); err != nil {
		return out, err
	}
	out.Result.ID, out.Result.PublicPath = was.ID, shop.FileURL(was.Path)
	return out, nil
}

// confirmReplacement replaces the bytes of a file by confirmed ones.
func (m *Media) confirmReplacement(ctx context.Context, company shop.CompanyID, r mediadb.File) (mediadb.File, error) {
	was, err := mediadb.GetFile(ctx, m.store.Shop(company), *r.Replaces)
	if err != nil {
		return r, err
	}
	next := was
	next.OriginalSHA256, next.Size, next.Name, next.Revision = r.OriginalSHA256, r.Size, r.Name, was.Revision+1
	ready, prepared, err := m.prepare(ctx, company, next)
	defer prepared.master.Close(ctx)
	if errors.Is(err, errUploadAgain) {
		return r, m.replacedMeanwhile(ctx, company, r)
	}
	if err != nil {
		return r, err
	}
	err = m.store.Write(ctx, company, func(tx *store.Tx) error {
		upload, err := mediadb.LockFile(ctx, tx, r.ID)
		if errors.Is(err, mediadb.ErrFileNotFound) || err == nil && upload.OriginalSHA256 != r.OriginalSHA256 {
			return ErrUploadChanged // or a concurrent call confirmed it
		}
		if err != nil {
			return err
		}
		now, err := m.unchanged(ctx, tx, was)
		if err != nil {
			return err
		}
		if err := mediadb.FinishReplacement(ctx, tx, r); err != nil {
			return err
		}
		if err := mediadb.ReviseFile(ctx, tx, now, &ready, prepared.blobs); err != nil {
			return err
		}
		return prepared.master.Keep(ctx, tx)
	})
	return ready, err
}

// unchanged locks a file and verifies that its bytes are those inspected outside the transaction.
func (m *Media) unchanged(ctx context.Context, tx *store.Tx, was mediadb.File) (mediadb.File, error) {
	now, err := mediadb.LockFile(ctx, tx, was.ID)
	if err == nil && (now.Revision != was.Revision || now.PreferOriginal != was.PreferOriginal) {
		err = ErrUploadChanged
	}
	return now, err
}

type preferRequest struct {
	ID     uuid.UUID `path:"id" json:"-"`
	Prefer *bool     `json:"prefer_original"`
}

// preferOriginal serves a picture as it was uploaded, with its original format and metadata, or
// its converted version. The id stays the same; the extension of the URL follows the format.
func (m *Media) preferOriginal(ctx context.Context, call *api.Call, in preferRequest) (out api.Result[fileView], err error) {
	prefer := in.Prefer == nil || *in.Prefer
	was, err := mediadb.GetFile(ctx, m.store.Shop(call.Company), in.ID)
	switch {
	case err != nil:
		return out, err
	case was.Status != mediadb.FileStored:
		return out, ErrNotStored.With("confirm the upload first")
	case was.PreferOriginal == prefer:
		return m.answer(ctx, call, was)
	case prefer && was.SHA256 == was.OriginalSHA256:
		return out, ErrNoOriginal
	}
	ready, prepared, err := m.reprepare(ctx, call.Company, was, prefer)
	defer prepared.master.Close(ctx)
	if err != nil {
		return out, err
	}
	if ready.PreferOriginal != prefer {
		return out, ErrNoOriginal.With("browsers do not show HEIC, so it is served only converted")
	}
	err = m.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		now, err := m.unchanged(ctx, tx, was)
		if err != nil {
			return err
		}
		ready.Name = now.Name
		if err := mediadb.ReviseFile(ctx, tx, now, &ready, prepared.blobs); err != nil {
			return err
		}
		return prepared.master.Keep(ctx, tx)
	})
	if err != nil {
		return out, err
	}
	return m.answer(ctx, call, ready)
}

// reprepare recreates the served version of a file from its original.
func (m *Media) reprepare(ctx context.Context, company shop.CompanyID, f mediadb.File, prefer bool) (mediadb.File, prepared, error) {
	owned, err := mediadb.OwnedBlobs(ctx, m.store.Shop(company), []string{f.OriginalSHA256})
	if err != nil {
		return f, prepared{}, err
	}
	f.PreferOriginal, f.Size = prefer, owned[f.OriginalSHA256]
	return m.prepare(ctx, company, f)
}
