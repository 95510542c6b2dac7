package edge

import (
	"context"
	"time"

	"vitrine/compile/feed"
	"vitrine/internal/shop"
)

// SiteFiles is the part of a Source that site files are built from.
type SiteFiles interface {
	// SiteFile reads a living file with its body.
	SiteFile(ctx context.Context, company shop.CompanyID, id shop.SiteFileID) (SiteFile, error)

	// Catalogue reads the shop's catalogue for feeds, all of it at one moment,
	// which is none before the call.
	Catalogue(ctx context.Context, company shop.CompanyID) (Catalogue, error)

	// RenderPlace waits for one of the places that renders of a shop have
	// (document 3, 4.3). leave gives it back.
	RenderPlace(ctx context.Context, company shop.CompanyID) (leave func(), err error)

	// LastCopy reads the last good copy of a file, nil when there is none. Its
	// Packed is nil when that or its text has more than so many bytes.
	LastCopy(ctx context.Context, company shop.CompanyID, id shop.SiteFileID, most int64) (*FileCopy, error)

	// SaveBuild writes down how a build went, with its copy when that is to be
	// kept for other edges and for the next start. What is later stays.
	SaveBuild(ctx context.Context, company shop.CompanyID, id shop.SiteFileID, b FileBuild) error
}

// SiteFile is a site file as it is built.
type SiteFile struct {
	Name    string
	Body    string
	Version int64
}

// Catalogue is a shop's catalogue for feeds.
type Catalogue struct {
	*feed.Catalogue
	Version int64                 // of the shop
	Changed time.Time             // when the shop came to this version
	Picture func(url string) bool // whether an address of the shop's host is a picture
}

// FileCopy is a good copy of a site file.
type FileCopy struct {
	Version     int64 // of the file
	ShopVersion int64 // of the catalogue it was built from
	At          time.Time
	Items       int    // distinct products
	Size        int64  // of the text
	Packed      []byte // the text as gzip
}

// BuildState is how a build went.
type BuildState string

// The outcomes of a build: the file is served as built; what was built is
// suspicious, so the good copy stays; nothing was built.
const (
	BuildGood   BuildState = "good"
	BuildKept   BuildState = "kept"
	BuildFailed BuildState = "failed"
)

// FileBuild is how a build of a site file went.
type FileBuild struct {
	State       BuildState
	At          time.Time
	Version     int64 // of the file
	ShopVersion int64
	Items       int
	Bytes       int64
	Errors      []BuildProblem
	Warnings    []BuildProblem
	Copy        *FileCopy // nil: the stored one is good enough
}

// BuildProblem is what a build complains of.
type BuildProblem struct {
	Line    int // of the template; 0 unknown
	Message string
	Code    string
	Product int64 // 0 when it concerns no product
}
