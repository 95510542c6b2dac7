package media

import (
	"context"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of uploads (document 1, sections 4.4 and 7, where it names a code).
var (
	ErrTooLarge      = shop.Refuse(shop.InvalidArgument, "FILE_TOO_LARGE").When("the file is larger than its kind may be")
	ErrTypeMismatch  = shop.Refuse(shop.InvalidArgument, "FILE_TYPE_MISMATCH").When("the bytes are not what file_type announced")
	ErrUploadExpired = shop.Refuse(shop.FailedPrecondition, "UPLOAD_EXPIRED").When("the upload address is over")
	// ErrUploadDone is 409: the file is served, its bytes no longer change.
	ErrUploadDone = shop.Refuse(shop.FailedPrecondition, "UPLOAD_ALREADY_DONE").When("the upload was confirmed before").WithStatus(409)
)

const uploadLifetime = 24 * time.Hour // of an upload address

type uploadRequest struct {
	Section string `json:"section"`
	Type    string `json:"file_type"`
	Name    string `json:"original_name"`
}

type uploadAnswer struct {
	Result struct {
		ID         uuid.UUID `json:"id"`
		PublicPath string    `json:"public_path"`
	} `json:"result"`
	Upload uploadView `json:"upload"`
}

type uploadView struct {
	Mode string    `json:"mode"`
	ID   uuid.UUID `json:"id"`
	URL  string    `json:"url"`
}

// newFile is the row of an announced file.
func (in uploadRequest) newFile() (f store.File, err error) {
	if f.Section, err = cleanSection(in.Section); err != nil {
		return f, err
	}
	if f.Type, err = parseKind(in.Type); err != nil {
		return f, err
	}
	if f.Name, err = cleanName(in.Name); err != nil {
		return f, err
	}
	if f.ID, err = uuid.NewRandom(); err != nil {
		return f, err
	}
	if f.UploadID, err = uuid.NewRandom(); err != nil {
		return f, err
	}
	ext := extension(f.Name)
	if ext == "" {
		ext = "bin"
	}
	f.Path = pathOf(f, ext)
	return f, nil
}

func pathOf(f store.File, ext string) string { return f.Section + "/" + f.ID.String() + "." + ext }

// request announces a file. A shop without room hears it here, before it sends
// anything; how much room an upload takes is known at its end.
func (m *Media) request(ctx context.Context, call *api.Call, in uploadRequest) (out uploadAnswer, err error) {
	f, err := in.newFile()
	if err != nil {
		return out, err
	}
	f.CreatedBy, f.CreatedAt = call.Person, m.now()
	token, hash, err := secret.New(secret.Upload)
	if err != nil {
		return out, err
	}
	err = m.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		used, limit, err := tx.Storage(ctx)
		if err == nil && limit > 0 && used >= limit {
			err = store.ErrStorageLimit
		}
		if err != nil {
			return err
		}
		return tx.RequestFile(ctx, f, hash)
	})
	if err != nil {
		return out, err
	}
	out.Result.ID, out.Result.PublicPath = f.ID, publicPath(f)
	out.Upload = uploadView{Mode: "presign", ID: f.UploadID, URL: m.urls.Admin + "/v1/storages/uploads/" + f.UploadID.String() + "/" + token}
	return out, nil
}
