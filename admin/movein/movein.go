// Package movein imports the exports of other shop systems (CONTRACT, "Imports from other systems").
//
//	files ──► compile/movein: the neutral form ──► a plan, for a dry run
//	                                   │
//	                                   └──► a job: chunks of things, each in one transaction
//	                                          │  written with the calls of the API, as the person
//	                                          ├──► origins: key of the other system → our object
//	                                          ├──► changes: what an undo restores
//	                                          └──► pictures, which a worker fetches afterwards
//
// A chunk commits its objects, their origins and their changes together, while the job is still
// that of the worker. So a job that is killed and begins again finds what it has done, and the
// same files twice change nothing: a thing is written if its origin is unknown, or in those of its
// fields whose hash differs from the one that the last import noted. Fields that the owner has
// edited since stay, and so do objects that came from no import.
//
// An undo removes what the import created and restores the fields that it changed. Fields that a
// later import changed again stay: the earlier values become what the undo of the later one restores.
package movein

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/admin/job"
	"vitrine/compile/movein"
	"vitrine/internal/blob"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	jobdb "vitrine/internal/store/job"
	moveindb "vitrine/internal/store/movein"
)

// Refusals of imports.
var (
	errTooLarge = movein.ErrTooLarge.When("the import has too many lines, files or bytes")
	errNoFile   = shop.ErrInvalidRequest.At("files[]").With("send each file as a part named files[]")
)

const (
	importKind jobdb.Kind = "move_in"
	planKind   jobdb.Kind = "move_in_plan" // a dry run of large files
	undoKind   jobdb.Kind = "move_in_undo"
)

// Config holds the dependencies of MoveIns.
type Config struct {
	Store  *store.Store
	Blobs  blob.Store
	Intake *intake.Intake
	Sites  *load.Sites
	Now    func() time.Time

	// Do calls an endpoint in the process.
	Do func(ctx context.Context, who api.Identity, method, path string, params map[string]string, body any) (any, error)
}

// MoveIns serves the endpoints of this package and does their jobs.
type MoveIns struct {
	Config
	jobs *job.Jobs
}

// New returns MoveIns with the given dependencies.
func New(cfg Config) *MoveIns { return &MoveIns{Config: cfg} }

// Kinds are the jobs of this package.
func (ms *MoveIns) Kinds() []job.Kind {
	return []job.Kind{
		{Name: importKind, Run: ms.run, Show: ms.showImport, Admins: true},
		{Name: planKind, Run: ms.planLarge, Admins: true},
		{Name: undoKind, Run: ms.undo, Admins: true},
	}
}

// Through sets the jobs with which the endpoints begin theirs.
func (ms *MoveIns) Through(jobs *job.Jobs) *MoveIns {
	ms.jobs = jobs
	return ms
}

// Endpoints lists the endpoints of this package.
func (ms *MoveIns) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("only owners and admins import from other systems")
	scopes := []shop.Scope{"catalog:write"}
	reads := api.Refuses(errTooLarge, movein.ErrUnknown, movein.ErrMixed, movein.ErrInvalid, jobdb.ErrLimit, shop.ErrInvalidRequest)
	return []api.Endpoint{
		{Method: "POST", Path: "/v1/imports", Scopes: scopes, Manage: role, Contour: api.RefusesDraft, Class: api.Storage, Status: 202, Also: 200, Files: true,
			Consumes: []string{"multipart/form-data"}, Errors: reads.And(store.ErrShopNotFound), Do: api.Handle(ms.begin),
			Summary: "Import files of another shop system as a job, each a part named files[]; dry_run answers the plan, for more than 20 MB as a job"},
		{Method: "GET", Path: "/v1/imports", Scopes: scopes, Manage: role, Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(ms.list),
			Summary: "The newest 100 imports from other systems"},
		{Method: "GET", Path: "/v1/imports/{id}", Scopes: scopes, Manage: role, Contour: api.LiveOnly, Class: api.Read, Errors: api.Refuses(moveindb.ErrNotFound), Do: api.Handle(ms.show),
			Summary: "One import from another system, with how far its pictures are"},
		{Method: "POST", Path: "/v1/imports/{id}/undo", Scopes: scopes, Manage: role, Contour: api.RefusesDraft, Class: api.Write, Status: 202,
			Errors: api.Refuses(moveindb.ErrNotFound, moveindb.ErrUndone, errBusy, jobdb.ErrLimit, store.ErrShopNotFound), Do: api.Handle(ms.beginUndo),
			Summary: "Undo an import as a job: remove what it created and restore what it changed"},
	}
}
