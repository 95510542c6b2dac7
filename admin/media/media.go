// Package media is the shop's media library: pictures, films, sounds, models
// and other files that its owner uploads (document 1, sections 2.5 and 4.4).
//
// An upload has three steps:
//
//	POST /v1/storages/files           ─► an id, a public path, an upload address
//	PUT  {upload address}   the bytes ─► kept, not yet served; again replaces them
//	POST …/files/{upload.id}/done     ─► looked at, converted, counted, served
//
// What a file is, is read from its bytes at the third step; name and header are
// hints at most. A PNG or JPEG that was announced as an image becomes a WebP
// master, upright, in sRGB and without metadata; its id stays, its address ends
// in .webp, its original is kept beside it. Who wants the bytes of a picture as
// they are announces it as a file.
//
// A picture on another server comes by its address in one step, through a client
// that reaches the public internet only (internal/outbound). A file may get other
// bytes later: announced, sent and confirmed in the same way, under its old id
// and a new address, so that what a cache keeps under an address stays true.
//
// A buyer sends pictures for what he says of products in the same three steps, with
// company_id and the section "reviews" (photo.go). They are no files of the library.
//
// Collections are folders of the library. A file lies in as many as somebody put
// it into; taking it out, or deleting the folder, never deletes the file. Keys
// make folders and fill them, people also rearrange them (document 3, 4.2).
//
// Files have no draft: a key of either contour uploads into the one library. What
// is there already may be on a live page, so only the live contour changes it.
package media

import (
	"context"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/internal/blob"
	"vitrine/internal/limiter"
	"vitrine/internal/outbound"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	mediadb "vitrine/internal/store/media"
)

// Media answers the endpoints of this package.
type Media struct {
	store   *store.Store
	blobs   blob.Store
	intake  *intake.Intake
	images  Images
	web     Fetch
	fetches *limiter.PerShop
	urls    api.URLs
	now     func() time.Time
	senders photoBudgets
}

// Images is what the library needs of the image service.
type Images struct {
	// Inspect reads the header of a picture, holds it to the limits and makes
	// sure that the file is not cut short, without decoding. Its refusals are
	// ErrNotImage, ErrImageBroken and ErrImageTooLarge.
	Inspect func(file []byte) (Picture, error)

	// Master converts a picture to an upright WebP in sRGB without metadata. Its
	// refusals are those of Inspect, and shop.ErrUnavailable while the service
	// is busy.
	Master func(ctx context.Context, file []byte) (body []byte, p Picture, err error)

	// Photo is Master of pictures that visitors send, in any format: nothing of the
	// upload is left in it but what is seen.
	Photo func(ctx context.Context, file []byte) (body []byte, p Picture, err error)
}

// Picture is what the header of a picture says.
type Picture struct {
	Format        string // jpeg, png, gif, webp, bmp, tiff
	Width, Height int    // pixels as seen upright
}

// Fetch asks an address that somebody wrote down; outbound.Client.Do is one.
type Fetch func(context.Context, outbound.Request) (*outbound.Answer, error)

// New takes what bytes come in by, what fetches pictures, and the clock for the
// lifetime of upload addresses.
func New(s *store.Store, blobs blob.Store, in *intake.Intake, images Images, web Fetch, urls api.URLs, now func() time.Time) *Media {
	return &Media{store: s, blobs: blobs, intake: in, images: images, web: web, fetches: limiter.New(fetching), urls: urls, now: now, senders: newPhotoBudgets(now)}
}

// The scopes of the library.
var (
	reads  = []shop.Scope{"storage:read"}
	writes = []shop.Scope{"storage:write"}
)

// Endpoints is the table of this slice. {id} of done is the upload's, of all
// others the file's or the collection's.
func (m *Media) Endpoints() []api.Endpoint { return append(m.files(), m.folders()...) }

func (m *Media) files() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/storages/files", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Do: api.Handle(m.list), Summary: "A page of the media library, newest first"},
		{Method: "POST", Path: "/v1/storages/files", Auth: api.Person, Contour: api.LiveOnly, Scopes: writes, Class: api.Storage, Errors: api.Refuses(mediadb.ErrStorageLimit, ErrNotImage).And(buyerErrors...), Do: api.Handle(m.request), Summary: "Announce a file and get the address to upload it to; buyers send pictures for their reviews"},
		{Method: "PUT", Path: "/v1/storages/uploads/{id}/{token}", Contour: api.LiveOnly, Auth: api.Link, Class: api.Storage, Consumes: []string{"application/octet-stream"}, Errors: api.Refuses(ErrTooLarge, ErrTypeMismatch, ErrUploadDone, ErrUploadExpired, mediadb.ErrFileNotFound, mediadb.ErrStorageLimit), Do: api.Handle(m.receive), Summary: "Upload the bytes of an announced file; the address authorizes"},
		{Method: "POST", Path: "/v1/storages/files/{id}/done", Auth: api.Person, Contour: api.LiveOnly, Scopes: writes, Class: api.Storage, Errors: doneErrors.And(api.ErrDenied, store.ErrShopNotFound), Do: api.Handle(m.done), Summary: "Confirm an upload by its upload id; the file is checked, converted and served"},
		{Method: "POST", Path: "/v1/storages/files/from-url", Contour: api.LiveOnly, Scopes: writes, Class: api.Storage, Errors: fetchErrors, Do: api.Handle(m.fetch), Summary: "Take a picture from a public address; it is stored and converted at once"},
		{Method: "GET", Path: "/v1/storages/files/{id}", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: api.Refuses(mediadb.ErrFileNotFound), Do: api.Handle(m.file), Summary: "One file and its final address"},
		{Method: "PUT", Path: "/v1/storages/files/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Storage, Errors: api.Refuses(mediadb.ErrFileNotFound), Do: api.Handle(m.describe), Summary: "Say what a picture shows, for who does not see it; every page that shows it follows"},
		{Method: "POST", Path: "/v1/storages/files/{id}/rename", Scopes: writes, Contour: api.RefusesDraft, Class: api.Storage, Errors: api.Refuses(mediadb.ErrFileNotFound), Do: api.Handle(m.rename), Summary: "Change the name of a file; its address stays"},
		{Method: "POST", Path: "/v1/storages/files/{id}/replace", Scopes: writes, Contour: api.RefusesDraft, Class: api.Storage, Errors: api.Refuses(mediadb.ErrFileNotFound, mediadb.ErrStorageLimit, ErrNotReplaceable), Do: api.Handle(m.replace), Summary: "Announce other bytes for a file, which keeps its id; they count from their done on"},
		{Method: "POST", Path: "/v1/storages/files/{id}/prefer-original", Scopes: writes, Contour: api.RefusesDraft, Class: api.Storage, Errors: preferErrors, Do: api.Handle(m.preferOriginal), Summary: "Serve a picture as it was uploaded, or converted again"},
		{Method: "DELETE", Path: "/v1/storages/files/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Storage, Errors: api.Refuses(mediadb.ErrFileNotFound), Do: api.Handle(m.remove), Summary: "Delete a file; its address answers 404"},
	}
}

// imageErrors is what may be wrong with the bytes of a picture.
var imageErrors = api.Refuses(ErrNotImage, ErrImageBroken, ErrImageTooLarge)

// fetchErrors is what may be wrong with an address and what stands there.
var fetchErrors = api.Refuses(ErrURLNotAllowed, ErrFetchFailed, ErrTooLarge, ErrImageTooLarge, mediadb.ErrStorageLimit)

// preferErrors is what may be wrong with another form of a picture.
var preferErrors = imageErrors.And(
	ErrNoOriginal, ErrNotReplaceable, ErrUploadMissing, ErrUploadChanged, mediadb.ErrFileNotFound, mediadb.ErrStorageLimit,
)

// doneErrors is what may be wrong with the bytes of an upload.
var doneErrors = imageErrors.And(
	ErrUploadMissing, ErrFileEmpty, ErrTooLarge, ErrTypeMismatch, ErrUploadChanged, mediadb.ErrFileNotFound, mediadb.ErrStorageLimit,
	api.ErrContour, api.ErrDevMode) // of a replacement

// fileView is a file as the API shows it (document 1, 2.5). Size, type and
// sides are those of what is served, url is empty until the upload is done.
type fileView struct {
	ID           uuid.UUID  `json:"id"`
	PublicPath   string     `json:"public_path"`
	URL          string     `json:"url"`
	Section      string     `json:"section"`
	FileType     string     `json:"file_type"`
	OriginalName string     `json:"original_name"`
	Alt          string     `json:"alt" doc:"what a picture shows, for who does not see it; empty: pages say the name of what it belongs to"`
	Size         shop.Int64 `json:"size"`
	MIME         string     `json:"mime"`
	Width        int        `json:"width"`
	Height       int        `json:"height"`
	Status       string     `json:"status"`
	CreatedAt    time.Time  `json:"created_at"`

	// PreferOriginal says that a picture is served as it was uploaded.
	PreferOriginal bool `json:"prefer_original"`
}

// views shows files with their addresses on the shop's host.
func (m *Media) views(ctx context.Context, company shop.CompanyID, files ...mediadb.File) ([]fileView, error) {
	owner, err := companydb.Info(ctx, m.store.Shop(company))
	if err != nil {
		return nil, err
	}
	origin := m.urls.Storefront(owner)
	views := make([]fileView, len(files))
	for i, f := range files {
		views[i] = fileView{
			ID: f.ID, PublicPath: shop.FileURL(f.Path), Section: f.Section, FileType: f.Type, OriginalName: f.Name, Alt: f.Alt, Size: shop.Int64(f.Size),
			MIME: f.MIME, Width: f.Width, Height: f.Height, Status: f.Status, CreatedAt: f.CreatedAt.UTC(),
			PreferOriginal: f.PreferOriginal,
		}
		if f.Status == mediadb.FileStored && f.Buyer == nil { // that of a buyer leads nowhere before its review is shown
			views[i].URL = origin + shop.FileURL(f.Path)
		}
	}
	return views, nil
}

// answer is the usual answer about one file.
func (m *Media) answer(ctx context.Context, call *api.Call, f mediadb.File) (api.Result[fileView], error) {
	return m.answerIn(ctx, call.Company, f)
}

func (m *Media) answerIn(ctx context.Context, company shop.CompanyID, f mediadb.File) (api.Result[fileView], error) {
	views, err := m.views(ctx, company, f)
	if err != nil {
		return api.Result[fileView]{}, err
	}
	return api.Wrap(views[0]), nil
}
