// Package media is the shop's media library: pictures, videos, sounds, models and other files
// that its owner uploads (document 1, sections 2.5 and 4.4).
//
// An upload has three steps:
//
//	POST /v1/storages/files           ─► returns an id, a public path and an upload URL
//	PUT  {upload URL}       the bytes ─► stores them, not served yet; another PUT replaces them
//	POST …/files/{upload.id}/done     ─► inspects, converts, counts and serves the file
//
// The third step detects the type of a file from its bytes; name and header are only hints. A PNG
// or JPEG announced as an image becomes an upright WebP master in sRGB without metadata; its id
// stays, its URL ends in .webp, and its original is kept as well. To serve the bytes of a picture
// unchanged, announce it as a file.
//
// A picture on another server is fetched by its URL in one step, through a client that reaches
// only the public internet (internal/outbound). A file can get new bytes later: they are
// announced, sent and confirmed in the same way. The file keeps its id and gets a new URL, so
// that the content behind a cached URL never changes.
//
// Buyers upload pictures for their reviews and questions in the same three steps, with company_id
// and the section "reviews" (photo.go). Those are not files of the library.
//
// Collections are folders of the library. A file can be in several of them. Removing it from one,
// or deleting the folder, never deletes the file. Keys create and fill folders; only sessions
// rearrange them (document 3, 4.2).
//
// Files have no draft: keys of both contours upload into the same library. An existing file may
// be on a live page, so only the live contour changes it.
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

// Media serves the endpoints of this package.
type Media struct {
	store        *store.Store
	blobs        blob.Store
	intake       *intake.Intake
	images       Images
	web          Fetch
	fetches      *limiter.PerShop
	resizes      *limiter.PerShop
	urls         api.URLs
	now          func() time.Time
	photoBudgets photoBudgets
}

// Images is the part of the image service that the library uses.
type Images struct {
	// Inspect reads the header of a picture without decoding it, checks the limits, and verifies
	// that the file is complete. Its refusals are ErrNotImage, ErrImageBroken and
	// ErrImageTooLarge.
	Inspect func(file []byte) (Picture, error)

	// Master converts a picture to an upright WebP in sRGB without metadata. Its refusals are
	// those of Inspect, ErrNoDecoder, and shop.ErrUnavailable while the service is busy.
	Master func(ctx context.Context, file []byte) (body []byte, p Picture, err error)

	// Photo is Master for pictures that visitors send, in any format. The result contains nothing
	// of the upload except the visible picture.
	Photo func(ctx context.Context, file []byte) (body []byte, p Picture, err error)

	// Resize returns a stored picture at a width in pixels, as WebP. Its refusals are those of
	// Inspect, and shop.ErrUnavailable while the service is busy.
	Resize func(ctx context.Context, sha string, width int) (Resized, error)
}

// Resized is a picture at another width.
type Resized struct {
	Body []byte
	ETag string // strong, with its quotes
}

// Picture is the information in the header of a picture.
type Picture struct {
	Format        string // jpeg, png, gif, webp, bmp, tiff, avif, heic
	Width, Height int    // pixels as seen upright
}

// Fetch requests a URL entered by a user; outbound.Client.Do implements it.
type Fetch func(context.Context, outbound.Request) (*outbound.Answer, error)

// New returns a Media. Bytes are stored through in, web fetches pictures, and now is the clock
// for the lifetime of upload URLs.
func New(s *store.Store, blobs blob.Store, in *intake.Intake, images Images, web Fetch, urls api.URLs, now func() time.Time) *Media {
	return &Media{store: s, blobs: blobs, intake: in, images: images, web: web, fetches: limiter.New(maxFetches), resizes: limiter.New(maxResizes), urls: urls, now: now, photoBudgets: newPhotoBudgets(now, s.CountAttempts)}
}

// The scopes of the library.
var (
	reads  = []shop.Scope{"storage:read"}
	writes = []shop.Scope{"storage:write"}
)

// Endpoints lists the endpoints of this package. The {id} of done is the upload's id; all others
// are the id of a file or a collection.
func (m *Media) Endpoints() []api.Endpoint { return append(m.files(), m.folders()...) }

func (m *Media) files() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/storages/files", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Do: api.Handle(m.list), Summary: "A page of the media library, newest first"},
		{Method: "POST", Path: "/v1/storages/files", Auth: api.Person, Contour: api.LiveOnly, Scopes: writes, Class: api.Storage, Errors: api.Refuses(mediadb.ErrStorageLimit, ErrNotImage).And(buyerErrors...), Do: api.Handle(m.request), Summary: "Announce a file and get the URL to upload it to; buyers announce pictures for their reviews"},
		{Method: "PUT", Path: "/v1/storages/uploads/{id}/{token}", Contour: api.LiveOnly, Auth: api.Link, Class: api.Storage, Consumes: []string{"application/octet-stream"}, Errors: api.Refuses(ErrTooLarge, ErrTypeMismatch, ErrUploadDone, ErrUploadExpired, mediadb.ErrFileNotFound, mediadb.ErrStorageLimit), Do: api.Handle(m.receive), Summary: "Upload the bytes of an announced file; the URL is the authorization"},
		{Method: "POST", Path: "/v1/storages/files/{id}/done", Auth: api.Person, Contour: api.LiveOnly, Scopes: writes, Class: api.Storage, Errors: doneErrors.And(api.ErrDenied, store.ErrShopNotFound), Do: api.Handle(m.done), Summary: "Confirm an upload by its upload id; the file is checked, converted and served"},
		{Method: "POST", Path: "/v1/storages/files/from-url", Contour: api.LiveOnly, Scopes: writes, Class: api.Storage, Errors: fetchErrors, Do: api.Handle(m.fetch), Summary: "Fetch a picture from a public URL; it is stored and converted at once"},
		{Method: "GET", Path: "/v1/storages/files/{id}", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: api.Refuses(mediadb.ErrFileNotFound), Do: api.Handle(m.file), Summary: "One file and its public URL"},
		{Method: "PUT", Path: "/v1/storages/files/{id}", Edits: "/v1/storages/files/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Storage, Errors: api.Refuses(mediadb.ErrFileNotFound), Do: api.Handle(m.describe), Summary: "Set the alternative text of a picture on every page that shows it"},
		{Method: "POST", Path: "/v1/storages/files/{id}/rename", Scopes: writes, Contour: api.RefusesDraft, Class: api.Storage, Errors: api.Refuses(mediadb.ErrFileNotFound), Do: api.Handle(m.rename), Summary: "Change the name of a file; its URL stays"},
		{Method: "POST", Path: "/v1/storages/files/{id}/replace", Scopes: writes, Contour: api.RefusesDraft, Class: api.Storage, Errors: api.Refuses(mediadb.ErrFileNotFound, mediadb.ErrStorageLimit, ErrNotStored), Do: api.Handle(m.replace), Summary: "Announce new bytes for a file, which keeps its id; they take effect once confirmed"},
		{Method: "POST", Path: "/v1/storages/files/{id}/prefer-original", Scopes: writes, Contour: api.RefusesDraft, Class: api.Storage, Errors: preferErrors, Do: api.Handle(m.preferOriginal), Summary: "Serve a picture as it was uploaded, or its converted version again"},
		{Method: "GET", Path: "/v1/storages/files/{id}/image", Contour: api.LiveOnly, Scopes: reads, Class: api.Pictures, Cached: true, Parts: true, Produces: []string{"image/webp", "*/*"}, Errors: api.Refuses(mediadb.ErrFileNotFound, ErrNotStored, ErrNotImage), Do: api.Handle(m.image), Summary: "A picture in a width, or the bytes of any file, for the shop's members; also while the shop is closed"},
		{Method: "GET", Path: "/v1/storages/files/{id}/usage", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: api.Refuses(mediadb.ErrFileNotFound), Do: api.Handle(m.usage), Summary: "What refers to a file, live and in the draft, at most 100 entries; total counts all"},
		{Method: "POST", Path: "/v1/storages/files/delete", Scopes: writes, Contour: api.RefusesDraft, Class: api.Storage, Do: api.Handle(m.removeMany), Summary: "Delete up to 100 files; each succeeds or fails on its own"},
		{Method: "DELETE", Path: "/v1/storages/files/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Storage, Errors: api.Refuses(mediadb.ErrFileNotFound), Do: api.Handle(m.remove), Summary: "Delete a file; its URL then returns 404"},
	}
}

// imageErrors are the refusals of the bytes of a picture.
var imageErrors = api.Refuses(ErrNotImage, ErrNoDecoder, ErrImageBroken, ErrImageTooLarge)

// fetchErrors are the refusals of a URL and of its content.
var fetchErrors = api.Refuses(ErrURLNotAllowed, ErrFetchFailed, ErrTooLarge, ErrNoDecoder, ErrImageTooLarge, mediadb.ErrStorageLimit)

// preferErrors are the refusals of switching between original and converted picture.
var preferErrors = imageErrors.And(
	ErrNoOriginal, ErrNotStored, ErrUploadMissing, ErrUploadChanged, mediadb.ErrFileNotFound, mediadb.ErrStorageLimit,
)

// doneErrors are the refusals of a confirmation.
var doneErrors = imageErrors.And(
	ErrUploadMissing, ErrFileEmpty, ErrTooLarge, ErrTypeMismatch, ErrUploadChanged, mediadb.ErrFileNotFound, mediadb.ErrStorageLimit,
	api.ErrContour, api.ErrDevMode) // for replacements

// fileView is a file in responses (document 1, 2.5). Size, type, width and height are those of
// the served version; url is empty until the upload is confirmed.
type fileView struct {
	ID           uuid.UUID  `json:"id"`
	PublicPath   string     `json:"public_path"`
	URL          string     `json:"url"`
	Section      string     `json:"section"`
	FileType     fileType   `json:"file_type"`
	OriginalName string     `json:"original_name"`
	Alt          string     `json:"alt" doc:"the alternative text of a picture; empty: pages use the name of the entity that it belongs to"`
	Size         shop.Int64 `json:"size"`
	MIME         string     `json:"mime"`
	Width        int        `json:"width"`
	Height       int        `json:"height"`
	Status       string     `json:"status"`
	CreatedAt    time.Time  `json:"created_at"`
	UpdatedAt    time.Time  `json:"updated_at"`

	// PreferOriginal reports whether a picture is served as it was uploaded.
	PreferOriginal bool `json:"prefer_original"`
}

// views converts files to responses with their URLs on the shop's host.
func (m *Media) views(ctx context.Context, company shop.CompanyID, files ...mediadb.File) ([]fileView, error) {
	owner, err := companydb.Info(ctx, m.store.Shop(company))
	if err != nil {
		return nil, err
	}
	origin := m.urls.Storefront(owner)
	views := make([]fileView, len(files))
	for i, f := range files {
		views[i] = fileView{
			ID: f.ID, PublicPath: shop.FileURL(f.Path), Section: f.Section, FileType: fileType(f.Type), OriginalName: f.Name, Alt: f.Alt, Size: shop.Int64(f.Size),
			MIME: f.MIME, Width: f.Width, Height: f.Height, Status: f.Status, CreatedAt: f.CreatedAt.UTC(), UpdatedAt: f.UpdatedAt.UTC(),
			PreferOriginal: f.PreferOriginal,
		}
		if f.Status == mediadb.FileStored && f.Buyer == nil { // a buyer's picture is not served before its review is shown
			views[i].URL = origin + shop.FileURL(f.Path)
		}
	}
	return views, nil
}

// answer returns the response for one file.
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
