package edge

import (
	"context"
	"io"
	"time"

	"vitrine/compile"
	"vitrine/compile/markup"
	"vitrine/compile/release"
	"vitrine/edge/count"
	"vitrine/internal/shop"
	"vitrine/render"
)

// Source is where the edge reads shops from. It is an interface because there are two
// implementations: PostgreSQL with the blob store in production, and a fixture in the
// tests, which need neither.
//
// If something does not exist (a shop, a page, a file, a page number past the end), methods
// return shop.ErrNotFound. Any other error is an outage: the edge continues to serve what
// it has and answers 503 otherwise. All methods are called concurrently.
type Source interface {
	SiteFiles
	count.Store

	// Host returns the shop that owns a host, which is given in lower case and without
	// port. It returns company 0 without an error if no shop owns it, and a MovedError if the shop
	// that did is at another installation now.
	Host(ctx context.Context, host string) (shop.CompanyID, error)

	// Load reads everything that the resolution of a shop's addresses depends on, and the
	// version of the shop that it was read at, in one snapshot.
	Load(ctx context.Context, company shop.CompanyID) (compile.Input, int64, error)

	// Delta reads the changes since a version, in one snapshot. Its cost depends on the
	// changed keys, not on the size of the shop.
	Delta(ctx context.Context, company shop.CompanyID, since int64) (Delta, error)

	// Follow returns what has changed since a moment, from all processes. It is called twice
	// a second, with what it returned as Now before; nil at first.
	Follow(ctx context.Context, since Moment) (Followed, error)

	// Content reads one page and assembles it, including the frame. It may see a newer
	// state than the given site, never an older one. The returned keys omit the shop and
	// its categories, which every page depends on.
	Content(ctx context.Context, site *compile.Site, want render.PageRequest) (render.Content, error)

	// Bindings reads the live data that the html documents of a page ask for (document 3,
	// 4.6.8), and the keys it depends on. It is called only for pages with such documents.
	Bindings(ctx context.Context, site *compile.Site, want render.PageRequest, needs markup.Needs) (*markup.Data, []shop.Key, error)

	// Document reads a release of an html document or layout folder for compilation. A
	// release never changes, so each is requested once.
	Document(ctx context.Context, company shop.CompanyID, doc shop.DocumentID, id shop.ReleaseID) (Document, error)

	// ReleaseFile finds a file of a retained release by its exact path in the release,
	// decoded. The release must belong to the document, and the document to the shop.
	ReleaseFile(ctx context.Context, company shop.CompanyID, doc shop.DocumentID, id shop.ReleaseID, path string) (File, error)

	// Folder reads the files of a release of a site folder by their paths. A release never
	// changes, so each is requested once.
	Folder(ctx context.Context, company shop.CompanyID, doc shop.DocumentID, id shop.ReleaseID) (map[string]File, error)

	// MediaFile finds a stored file of the media library by its storage path, decoded and
	// without shop.FilesPrefix. It finds the pictures of site folders under
	// shop.FolderPicture.
	MediaFile(ctx context.Context, company shop.CompanyID, path string) (File, error)

	// Form reads a lead form in the form that visitors see (document 3, 4.1). Forms have no
	// draft.
	Form(ctx context.Context, company shop.CompanyID, id shop.FormID) (render.Form, error)

	// CheckPIN reports whether a PIN opens a closed shop (document 3, section 5).
	CheckPIN(ctx context.Context, company shop.CompanyID, pin string) (bool, error)

	// GuessPIN counts a wrong PIN or password over all processes, before it is compared, or
	// returns how long to wait; ForgivePIN takes it back, made at a moment of before.
	GuessPIN(ctx context.Context, g PINGuess) (wait time.Duration, err error)
	ForgivePIN(ctx context.Context, g PINGuess, made time.Time) error

	// EnterPolicy uses one entry of the password of an access policy. It returns the grant
	// of the password, 0 if there is none, it has ended or it has no entries left.
	EnterPolicy(ctx context.Context, company shop.CompanyID, policy shop.PolicyID, password string) (shop.GrantID, error)

	// DocumentPages lists the pages that show an html document, directly or on all pages
	// below them; everywhere reports that pages of the whole shop show it.
	DocumentPages(ctx context.Context, company shop.CompanyID, doc shop.DocumentID) (pages []compile.PageRef, everywhere bool, err error)

	// Customer returns the customer that a session of the shop belongs to. It returns the
	// zero value if the session has expired, belongs to another shop or is a guest's.
	Customer(ctx context.Context, company shop.CompanyID, session string) (Customer, error)
}

// Moment is how far a Source was followed; only the Source knows what is in it.
type Moment any

// Followed is what has changed since a moment.
type Followed struct {
	Now      Moment
	Versions map[shop.CompanyID]int64 // of the shops that changed; 0: the shop was removed
	Lag      time.Duration            // between the first of these changes and the call
	Reset    bool                     // anything may have changed: all that is held must be compared
}

// Customer is a signed-in visitor as access policies see them. The zero value is a visitor
// who is not signed in.
type Customer struct {
	SignedIn bool
	Known    bool // to the shop, by a verified address
	Unproven bool // signed in with an address that nobody has confirmed, so neither known nor in a group
	Groups   []shop.CustomerGroupID
}

// Delta is a change of a shop for the edge to apply.
type Delta struct {
	compile.Delta            // the change of the compiled site
	Keys          []shop.Key // everything that changed; pages built from any of it are stale
	Version       int64      // the version after the change
	Reload        bool       // the changes are no longer stored: the whole shop must be loaded; the other fields are ignored
}

// Document is a release for the compiler.
type Document struct {
	Index []byte                                                 // index.html as uploaded
	Files []release.File                                         // the manifest
	Read  func(ctx context.Context, path string) ([]byte, error) // the bytes of one of its files
}

// File is a stored file. Its bytes never change: other content has another hash.
type File struct {
	MIME   string
	SHA256 string // lower-case hexadecimal
	Size   int64
	Open   func(ctx context.Context) (io.ReadSeekCloser, error)

	Packed [encodings]Representation // by coding; set for files that were compressed at publish

	// Moved reports that the file of the media library has another address by now, so the
	// content at this one may change.
	Moved bool
}

// Representation is a file in one coding. The zero value means that there is none.
type Representation struct {
	Size int64
	Open func(ctx context.Context) (io.ReadSeekCloser, error)
}

// SetPacked sets the representation of a file in a coding, by its name in Content-Encoding.
// Unknown codings are ignored.
func (f *File) SetPacked(coding string, rep Representation) {
	for e := gzipped; e < encodings; e++ {
		if encodingNames[e] == coding {
			f.Packed[e] = rep
		}
	}
}

// whole is the uncompressed file.
func (f File) whole() Representation { return Representation{f.Size, f.Open} }

// Image is a picture resized by the resizer.
type Image struct {
	Body    []byte // webp; read-only
	ETag    string // strong, quoted
	StandIn bool   // a similar width, because the resizer is busy: cached for seconds only
}
