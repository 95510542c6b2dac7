package edge

import (
	"context"
	"time"

	"vitrine/compile/feed"
	"vitrine/internal/shop"
)

// SiteFiles is the part of a Source that serves site files.
type SiteFiles interface {
	// SiteFile reads a file that is not deleted, with its body.
	SiteFile(ctx context.Context, company shop.CompanyID, id shop.SiteFileID) (SiteFile, error)

	// Catalogue reads the shop's catalogue for feeds in one snapshot, which is not
	// older than the call.
	Catalogue(ctx context.Context, company shop.CompanyID) (Catalogue, error)

	// RenderPlace acquires one of the slots for renders of a shop (document 3, 4.3).
	// leave releases it.
	RenderPlace(ctx context.Context, company shop.CompanyID) (leave func(), err error)

	// LastCopy reads the last good copy of a file, nil when there is none. Its
	// Packed is nil when that or the text has more than most bytes.
	LastCopy(ctx context.Context, company shop.CompanyID, id shop.SiteFileID, most int64) (*FileCopy, error)

	// SaveBuild stores the report of a build, and its copy if it has one, for other
	// edges and for the next start. A later build is not overwritten.
	SaveBuild(ctx context.Context, company shop.CompanyID, id shop.SiteFileID, b FileBuild) error
}

// SiteFile is the source of a site file.
type SiteFile struct {
	Name    string
	Body    string
	Version int64
}

// Catalogue is a shop's catalogue for feeds.
type Catalogue struct {
	*feed.Catalogue
	Version int64                 // of the shop
	Changed time.Time             // when the shop reached this version
	Picture func(url string) bool // reports whether an address of the shop's host is a picture
}

// FileCopy is a good copy of a site file.
type FileCopy struct {
	Version     int64 // of the file
	ShopVersion int64 // of the catalogue
	At          time.Time
	Items       int    // distinct products
	Size        int64  // of the text
	Packed      []byte // the text as gzip
}

// BuildState is the outcome of a build.
type BuildState string

// The outcomes of a build: its result is served; its result is suspicious, so the
// previous good copy stays; it failed.
const (
	BuildGood   BuildState = "good"
	BuildKept   BuildState = "kept"
	BuildFailed BuildState = "failed"
)

// FileBuild is the report of a build of a site file.
type FileBuild struct {
	State       BuildState
	At          time.Time
	Version     int64 // of the file
	ShopVersion int64
	Items       int
	Bytes       int64
	Errors      []BuildProblem
	Warnings    []BuildProblem
	Copy        *FileCopy // nil: the saved one need not be replaced
}

// BuildProblem is an error or a warning of a build.
type BuildProblem struct {
	Line    int // of the template; 0 unknown
	Message string
	Code    string
	Product int64 // 0: it is not about a product
}
