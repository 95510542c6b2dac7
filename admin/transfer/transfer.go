// Package transfer moves whole shops: POST /v1/shop/export writes the file of `vitrine shop export`
// as a job, and a signed address streams it to whoever has the address. POST /v1/shop/import makes a
// new shop of such a file.
//
// An import does not trust its file: package fill writes the rows with the calls of the API, as the
// new owner.
//
// The file contains everything of the shop except for secrets (internal/backup), with the names and
// addresses of its customers. So only a session of an owner begins and reads an export, an address is
// valid for an hour and only while the person who got it owns the shop, and the file is deleted after
// a day.
package transfer

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/admin/job"
	"vitrine/internal/blob"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	jobdb "vitrine/internal/store/job"
)

// Config holds the dependencies of Transfers.
type Config struct {
	Store  *store.Store
	Blobs  blob.Store
	Intake *intake.Intake
	Sealer *secret.Sealer
	URLs   api.URLs
	Now    func() time.Time

	// Admit refuses what opening a shop with this slug and name would refuse, and returns the name
	// trimmed. CheckCurrency refuses invalid currencies and digits of prices.
	Admit         func(ctx context.Context, c *api.Call, slug, name string) (trimmed string, err error)
	CheckCurrency func(code string, digits int) error
	OpenErrors    api.Refusals // of Admit

	// Do calls an endpoint in the process.
	Do func(ctx context.Context, who api.Identity, method, path string, params map[string]string, body any) (any, error)
}

// Transfers serves the endpoints of this package and does their jobs.
type Transfers struct {
	Config
	jobs *job.Jobs
}

// New returns Transfers with the given dependencies.
func New(cfg Config) *Transfers { return &Transfers{Config: cfg} }

// Kinds are the jobs of this package.
func (ts *Transfers) Kinds() []job.Kind {
	return []job.Kind{
		{Name: exportKind, Run: ts.export, Show: ts.showExport},
		{Name: importKind, Run: ts.importShop},
	}
}

// Through sets the jobs with which the endpoints begin theirs.
func (ts *Transfers) Through(jobs *job.Jobs) *Transfers {
	ts.jobs = jobs
	return ts
}

var errOwner = api.ErrRole.With("only owners export the shop")

// Endpoints lists the endpoints of this package.
func (ts *Transfers) Endpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "POST", Path: "/v1/shop/export", Auth: api.SessionOnly, Manage: errOwner, Contour: api.RefusesDraft, Class: api.Write, Status: 202, Errors: api.Refuses(jobdb.ErrLimit, store.ErrShopNotFound), Do: api.Handle(ts.beginExport),
			Summary: "Write the whole shop into a file, as a job; its result has the address of the file"},
		{Method: "GET", Path: "/v1/shop/exports/{token}", Auth: api.Link, Contour: api.LiveOnly, Class: api.Read, Parts: true, Produces: []string{"application/zip"}, Errors: api.Refuses(errNoExport, shop.ErrRateLimited), Do: api.Handle(ts.download),
			Summary: "The file of an export; the address is the authorization"},
		{Method: "POST", Path: "/v1/shop/import", OfPerson: true, Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Storage, Status: 202,
			Consumes: []string{"application/zip", "multipart/form-data"}, Errors: ts.OpenErrors.And(jobdb.ErrLimit, shop.ErrBodyTooLarge, shop.ErrInvalidRequest), Do: api.Handle(ts.beginImport),
			Summary: "Make a new shop of the file of an export, as a job; its result names what was left out"},
	}
}
