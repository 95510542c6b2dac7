package media

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
	"vitrine/internal/store/remark"
)

// Refusals of uploads (document 1, sections 4.4 and 7, where it names a code).
var (
	ErrTooLarge      = shop.Refuse(shop.InvalidArgument, "FILE_TOO_LARGE").When("the file is larger than its type allows")
	ErrTypeMismatch  = shop.Refuse(shop.InvalidArgument, "FILE_TYPE_MISMATCH").When("the bytes are not what file_type announced")
	ErrUploadExpired = shop.Refuse(shop.FailedPrecondition, "UPLOAD_EXPIRED").When("the upload URL has expired")
	// ErrUploadDone is 409: the file is served and its bytes no longer change.
	ErrUploadDone = shop.Refuse(shop.FailedPrecondition, "UPLOAD_ALREADY_DONE").When("the upload was confirmed before").WithStatus(409)
)

const uploadLifetime = 24 * time.Hour // of an upload URL

type uploadRequest struct {
	Section string `json:"section" required:"always" len:"255" refuse:"INVALID_REQUEST"`
	Type    string `json:"file_type" required:"always" len:"255" refuse:"INVALID_REQUEST"`
	Name    string `json:"original_name" required:"always" len:"1000" refuse:"INVALID_REQUEST"`

	CompanyID shop.CompanyID `json:"company_id" doc:"for buyers outside a storefront: the shop; the section must be reviews"`
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

// newFile returns the row of an announced file.
func (in uploadRequest) newFile() (f mediadb.File, err error) {
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

// pathOf returns the path of a file below /files/. It contains the id and the revision of the
// file, so that the content behind a path never changes.
func pathOf(f mediadb.File, ext string) string {
	name := f.ID.String()
	if f.Revision > 1 {
		name += "-" + strconv.Itoa(f.Revision)
	}
	return f.Section + "/" + name + "." + ext
}

// request announces a file. A shop without free storage is refused here, before it uploads
// anything; the size of an upload is known only at its end.
func (m *Media) request(ctx context.Context, call *api.Call, in uploadRequest) (out uploadAnswer, err error) {
	if isBuyer(call) || call.Role.Known() && !call.ByKey() && in.CompanyID != 0 && in.Section == shop.ReviewSection {
		return m.requestPhoto(ctx, call, in)
	}
	f, err := in.newFile()
	if err != nil {
		return out, err
	}
	if out.Upload, err = m.announce(ctx, call, call.Company, &f); err != nil {
		return out, err
	}
	out.Result.ID, out.Result.PublicPath = f.ID, shop.FileURL(f.Path)
	return out, nil
}

// announce inserts a file without bytes and creates its upload URL.
func (m *Media) announce(ctx context.Context, call *api.Call, company shop.CompanyID, f *mediadb.File) (uploadView, error) {
	f.CreatedBy, f.CreatedAt = call.Person, m.now()
	token, hash, err := secret.New(secret.Upload)
	if err != nil {
		return uploadView{}, err
	}
	err = m.store.Write(ctx, company, func(tx *store.Tx) error {
		if err := hasStorage(ctx, tx.Reader); err != nil {
			return err
		}
		if err := mediadb.CheckPendingUploads(ctx, tx, 1); err != nil {
			return err
		}
		if f.Buyer != nil {
			if err := remark.CheckPhotoLimit(ctx, tx, *f.Buyer); err != nil {
				return err
			}
		}
		return mediadb.RequestFile(ctx, tx, f, hash)
	})
	url := m.urls.Admin + "/v1/storages/uploads/" + f.UploadID.String() + "/" + token
	return uploadView{Mode: "presign", ID: f.UploadID, URL: url}, err
}

// hasStorage refuses an announcement if the shop's storage is full.
func hasStorage(ctx context.Context, r store.Reader) error {
	used, limit, err := mediadb.Storage(ctx, r)
	if err != nil || limit == 0 {
		return err
	}
	pending, err := mediadb.Pending(ctx, r)
	if err == nil && used+pending >= limit {
		err = mediadb.ErrStorageLimit.With("confirm or delete uploads that are pending, or delete files")
	}
	return err
}
