package edge

import (
	"context"
	"io"
	"time"

	"vitrine/compile"
	"vitrine/compile/markup"
	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/internal/visitstats"
	"vitrine/render"
)

// Source is where the edge reads shops from. It is an interface because there
// are two: PostgreSQL with the blob store in production, and a fixture in the
// tests, which need neither.
//
// What is not there (a shop, a page, a file, a page number past the end) is
// shop.ErrNotFound. Any other error is an outage: the edge goes on serving what
// it has and answers 503 for the rest. All methods are called concurrently.
type Source interface {
	SiteFiles

	// Host names the shop that owns a host, which comes in lower case and
	// without port. Nobody's host is company 0 and no error.
	Host(ctx context.Context, host string) (shop.CompanyID, error)

	// Load reads everything that decides what a shop's addresses answer, and
	// the version of the shop at which it was read: both in one snapshot.
	Load(ctx context.Context, company shop.CompanyID) (compile.Input, int64, error)

	// Delta reads what has changed since a version, in one snapshot. It costs
	// what the changed keys name, not what the shop holds.
	Delta(ctx context.Context, company shop.CompanyID, since int64) (Delta, error)

	// Versions returns the current versions of those shops that are no longer
	// at the version held. It is asked twice a second about all shops in use.
	Versions(ctx context.Context, held map[shop.CompanyID]int64) (map[shop.CompanyID]int64, error)

	// Content reads one page and puts it together, the frame included. It may see a
	// newer state than the site given, never an older one. Its keys leave out the
	// shop and its categories, which every page hangs on.
	Content(ctx context.Context, site *compile.Site, want render.Want) (render.Content, error)

	// Bindings reads the live data that the html documents of a page ask for
	// (document 3, 4.6.8), and what it depends on. It is called only for pages
	// with such documents.
	Bindings(ctx context.Context, site *compile.Site, want render.Want, needs markup.Needs) (*markup.Data, []shop.Key, error)

	// Document reads a release of an html document or layout folder for
	// compiling. A release never changes, so each is asked for once.
	Document(ctx context.Context, company shop.CompanyID, doc shop.DocumentID, id shop.ReleaseID) (Document, error)

	// ReleaseFile finds a file of a retained release by its exact path inside
	// it, decoded. The release must be the document's and the document the
	// shop's.
	ReleaseFile(ctx context.Context, company shop.CompanyID, doc shop.DocumentID, id shop.ReleaseID, path string) (File, error)

	// Folder reads the files of a release of a site folder by their paths. A release
	// never changes, so each is asked for once.
	Folder(ctx context.Context, company shop.CompanyID, doc shop.DocumentID, id shop.ReleaseID) (map[string]File, error)

	// MediaFile finds a stored file of the media library by its storage path,
	// decoded and without shop.FilesPrefix. It finds the pictures of site
	// folders by shop.FolderPicture.
	MediaFile(ctx context.Context, company shop.CompanyID, path string) (File, error)

	// Form reads a lead form as visitors see it (document 3, 4.1). Forms have no
	// draft.
	Form(ctx context.Context, company shop.CompanyID, id shop.FormID) (render.Form, error)

	// CheckPIN reports whether a PIN opens a closed shop (document 3, section 5).
	CheckPIN(ctx context.Context, company shop.CompanyID, pin string) (bool, error)

	// EnterPolicy takes one entry of the password of an access policy: the grant that
	// it is, 0 when it is none, has ended or has no entry left.
	EnterPolicy(ctx context.Context, company shop.CompanyID, policy shop.PolicyID, password string) (shop.GrantID, error)

	// DocumentPages lists the pages that show an html document, directly or for all
	// below them; everywhere says that pages of the whole shop do.
	DocumentPages(ctx context.Context, company shop.CompanyID, doc shop.DocumentID) (pages []compile.PageRef, everywhere bool, err error)

	// Customer is who a session of the shop belongs to, nobody when it is over, is
	// another shop's or a guest's.
	Customer(ctx context.Context, company shop.CompanyID, session string) (Customer, error)

	// Misses adds to the 404 logs, Hits to the counters of redirect rules, Views to
	// those of articles. They come in batches every few seconds. What is gone is no
	// error.
	Misses(ctx context.Context, batch []Miss) error
	Hits(ctx context.Context, batch []Hit) error
	Views(ctx context.Context, batch []View) error

	// VisitSalt is the salt of visitors of a date, the same for all edges while the date
	// lasts somewhere. Visits adds what was counted of shops' days; a batch that comes
	// again counts once.
	VisitSalt(ctx context.Context, day shop.Day) ([]byte, error)
	Visits(ctx context.Context, batch visitstats.Batch) error
}

// Customer is a visitor who is signed in, as access policies see him.
type Customer struct {
	SignedIn bool
	Known    bool // to the shop, by an address that was proven
	Groups   []shop.CustomerGroupID
}

// Delta is a change of a shop as the edge takes it up.
type Delta struct {
	compile.Delta            // what the compiled site must take up
	Keys          []shop.Key // everything that moved; pages built from any of it are stale
	Version       int64      // the version that this leads to
	Whole         bool       // the steps are no longer kept: load the shop anew; the rest is not read
}

// Document is a release as the compiler takes it.
type Document struct {
	Index []byte                                                 // index.html as uploaded
	Files []release.File                                         // the manifest
	Read  func(ctx context.Context, path string) ([]byte, error) // the bytes of one of its files
}

// File is a stored file. Its bytes never change: another content is another hash.
type File struct {
	MIME   string
	SHA256 string // lower-case hexadecimal
	Size   int64
	Open   func(ctx context.Context) (io.ReadSeekCloser, error)

	Packed [encodings]Representation // by coding, of files that were packed when they were published

	// Moved says that the file of the media library has another address by now,
	// so that what stands at this one may change.
	Moved bool
}

// Representation is the bytes of a file in a coding. The zero value is none.
type Representation struct {
	Size int64
	Open func(ctx context.Context) (io.ReadSeekCloser, error)
}

// SetPacked notes the representation of a file in the coding that Content-Encoding names
// so; others are passed over.
func (f *File) SetPacked(coding string, rep Representation) {
	for e := gzipped; e < encodings; e++ {
		if encodingNames[e] == coding {
			f.Packed[e] = rep
		}
	}
}

// whole is the bytes as they are.
func (f File) whole() Representation { return Representation{f.Size, f.Open} }

// Image is a picture as the resizer cut it.
type Image struct {
	Body    []byte // webp; not to be changed
	ETag    string // strong, quoted
	StandIn bool   // a neighbouring width, because the resizer is busy: kept for seconds only
}

// Miss is an address that answered 404, counted since the last batch.
type Miss struct {
	Company shop.CompanyID
	Path    string // as typed, without query; valid UTF-8
	Hits    int64
	Last    time.Time
}

// Hit is a redirect rule that answered visitors since the last batch.
type Hit struct {
	Company shop.CompanyID
	Rule    shop.RuleID
	Hits    int64
	Last    time.Time
}

// View is an article that visitors read since the last batch.
type View struct {
	Company shop.CompanyID
	Article shop.ArticleID
	Views   int64
}
