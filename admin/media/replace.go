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

// ErrNotReplaceable answers for what has no bytes of its own yet.
var ErrNotReplaceable = shop.Refuse(shop.FailedPrecondition, "FILE_NOT_STORED").When("the file waits for its own bytes still")

// ErrNoOriginal answers for files that are served as they were uploaded anyway.
var ErrNoOriginal = shop.Refuse(shop.FailedPrecondition, "FILE_HAS_NO_ORIGINAL").
	When("the file was not converted, so it has no other original")

type replaceRequest struct {
	ID   uuid.UUID `path:"id" json:"-"`
	Name *string   `json:"original_name" len:"1000" refuse:"INVALID_REQUEST"`
}

// replace announces other bytes for a file. It keeps its id, type, section and
// links; until the new bytes are confirmed the old ones are served.
func (m *Media) replace(ctx context.Context, call *api.Call, in replaceRequest) (out uploadAnswer, err error) {
	was, err := mediadb.GetFile(ctx, m.store.Shop(call.Company), in.ID)
	if err == nil && was.Status != mediadb.FileStored {
		err = ErrNotReplaceable.With("confirm the upload first")
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

// confirmReplacement puts confirmed bytes in the place of a file's.
func (m *Media) confirmReplacement(ctx context.Context, company shop.CompanyID, r mediadb.File) (mediadb.File, error) {
	was, err := mediadb.GetFile(ctx, m.store.Shop(company), *r.Replaces)
	if err != nil {
		return r, err
	}
	next := was
	next.OriginalSHA256, next.Size, next.Name, next.Revision = r.OriginalSHA256, r.Size, r.Name, was.Revision+1
	ready, keep, err := m.prepare(ctx, company, next)
	defer keep.master.Close(ctx)
	if errors.Is(err, errUploadAgain) {
		return r, m.overtaken(ctx, company, r)
	}
	if err != nil {
		return r, err
	}
	err = m.store.Write(ctx, company, func(tx *store.Tx) error {
		upload, err := mediadb.LockFile(ctx, tx, r.ID)
		if errors.Is(err, mediadb.ErrFileNotFound) || err == nil && upload.OriginalSHA256 != r.OriginalSHA256 {
			return ErrUploadChanged // or confirmed by somebody else
		}
		if err != nil {
			return err
		}
		now, err := m.unchanged(ctx, tx, was)
		if err != nil {
			return err
		}
		if err := mediadb.TakeUpload(ctx, tx, r); err != nil {
			return err
		}
		if err := mediadb.ReviseFile(ctx, tx, now, ready, keep.blobs); err != nil {
			return err
		}
		return keep.master.Keep(ctx, tx)
	})
	return ready, err
}

// unchanged locks a file and makes sure that its bytes are those that were
// looked at outside the transaction.
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

// preferOriginal serves a picture as it was uploaded, with its own format and
// metadata, or converted again. Its id stays, its address ends in the format.
func (m *Media) preferOriginal(ctx context.Context, call *api.Call, in preferRequest) (out api.Result[fileView], err error) {
	prefer := in.Prefer == nil || *in.Prefer
	was, err := mediadb.GetFile(ctx, m.store.Shop(call.Company), in.ID)
	switch {
	case err != nil:
		return out, err
	case was.Status != mediadb.FileStored:
		return out, ErrNotReplaceable.With("confirm the upload first")
	case was.PreferOriginal == prefer:
		return m.answer(ctx, call, was)
	case prefer && was.SHA256 == was.OriginalSHA256:
		return out, ErrNoOriginal
	}
	ready, keep, err := m.reprepare(ctx, call.Company, was, prefer)
	defer keep.master.Close(ctx)
	if err != nil {
		return out, err
	}
	err = m.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		now, err := m.unchanged(ctx, tx, was)
		if err != nil {
			return err
		}
		ready.Name = now.Name
		if err := mediadb.ReviseFile(ctx, tx, now, ready, keep.blobs); err != nil {
			return err
		}
		return keep.master.Keep(ctx, tx)
	})
	if err != nil {
		return out, err
	}
	return m.answer(ctx, call, ready)
}

// reprepare makes what is served of a file anew from its original.
func (m *Media) reprepare(ctx context.Context, company shop.CompanyID, f mediadb.File, prefer bool) (mediadb.File, keep, error) {
	owned, err := mediadb.OwnedBlobs(ctx, m.store.Shop(company), []string{f.OriginalSHA256})
	if err != nil {
		return f, keep{}, err
	}
	f.PreferOriginal, f.Size = prefer, owned[f.OriginalSHA256]
	return m.prepare(ctx, company, f)
}
