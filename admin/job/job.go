// Package job runs what takes longer than a call (CONTRACT, "Hands and agents"): an endpoint adds a
// job to the queue and answers 202 with it, a worker runs it, and GET /v1/jobs/{id} tells how far it
// is.
//
//	queued ──► running ──► done
//	   ▲          │  └───► failed: a refusal, the third failure, or stopped by DELETE
//	   └──────────┘        the worker stopped, or failed for a while
//
// The package knows nothing of what jobs do. Each kind is a Kind: a function that does the work and
// one that shows its result. The row of a job becomes done in the same transaction as what the job
// has done, so a process may be killed at any moment: either both exist or neither, and another
// worker takes the job again once the lease is over.
package job

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	jobdb "vitrine/internal/store/job"
)

// ErrStopped is why a job failed that was stopped.
var ErrStopped = shop.Refuse(shop.FailedPrecondition, "JOB_STOPPED").When("the job was stopped")

// Kind is a kind of job.
type Kind struct {
	Name jobdb.Kind

	// Run does the work and returns the function that stores its effects, together with its result,
	// in the transaction that ends the job. A refusal ends the job; after any other error it is run
	// again. Its context ends when the job is stopped or the worker has lost it.
	Run func(ctx context.Context, r *Running) (result any, effects func(tx *store.Tx) error, err error)

	// Show returns the result of a job that is done, as this person sees it; nil shows it as stored.
	Show func(ctx context.Context, j jobdb.Job, to shop.UserID) (result any, err error)

	Admins bool // its jobs are seen by admins too, not only by the owners of the shop
}

// Config holds the dependencies of Jobs.
type Config struct {
	Store *store.Store
	Kinds []Kind
	Now   func() time.Time

	// Discard removes the bytes with these hashes from the storage, unless something needs them.
	Discard func(ctx context.Context, hashes ...string) error
}

// Jobs serves the endpoints of this package and runs jobs.
type Jobs struct{ Config }

// New returns Jobs with the given dependencies.
func New(cfg Config) *Jobs { return &Jobs{cfg} }

// Endpoints lists the endpoints of this package.
func (js *Jobs) Endpoints() []api.Endpoint {
	errs := api.Refuses(jobdb.ErrNotFound)
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/jobs/{id}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Errors: errs, Do: api.Handle(js.show),
			Summary: "How far a job is, and its result; jobs are kept for 7 days"},
		{Method: "DELETE", Path: "/v1/jobs/{id}", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: errs, Do: api.Handle(js.stop),
			Summary: "Stop a job; one that has ended stays as it is"},
	}
}

// View is a job as its caller sees it.
type View struct {
	ID     shop.JobID  `json:"id"`
	Kind   jobdb.Kind  `json:"kind" enum:"shop_export,shop_import,move_in,move_in_plan,move_in_undo"`
	State  jobdb.State `json:"state"`
	Done   int64       `json:"done" doc:"steps that are done"`
	Total  int64       `json:"total" doc:"steps; 0 until they are known"`
	Error  string      `json:"error" doc:"why it failed, as a refusal; empty otherwise"`
	Result any         `json:"result" doc:"null until it is done; what it contains depends on kind"`
}

// Show returns a job as this person sees it.
func (js *Jobs) Show(ctx context.Context, j jobdb.Job, to shop.UserID) (v View, err error) {
	v = View{ID: j.ID, Kind: j.Kind, State: j.State, Done: j.Done, Total: j.Total, Error: j.Error}
	if j.State != jobdb.Done {
		return v, nil
	}
	v.Result = json.RawMessage(j.Result)
	for _, k := range js.Kinds {
		if k.Name == j.Kind && k.Show != nil {
			v.Result, err = k.Show(ctx, j, to)
		}
	}
	return v, err
}

type named struct {
	ID shop.JobID `path:"id" json:"-"`
}

func (js *Jobs) show(ctx context.Context, c *api.Call, in named) (out api.Result[View], err error) {
	j, err := js.visible(ctx, c, in.ID)
	if err != nil {
		return out, err
	}
	out.Result, err = js.Show(ctx, j, c.Person)
	return out, err
}

// visible returns a job that the caller may see: one of a shop they own, or one they began without a
// shop. What a job answers may be the whole shop, so a role that was lowered ends the view of it.
func (js *Jobs) visible(ctx context.Context, c *api.Call, id shop.JobID) (jobdb.Job, error) {
	if c.Buyer {
		return jobdb.Job{}, jobdb.ErrNotFound
	}
	j, err := jobdb.Get(ctx, js.Store.Shop(c.Company), c.Person, id)
	if err == nil && j.Company != 0 && c.Role != shop.Owner && !(c.Role == shop.Admin && js.forAdmins(j.Kind)) {
		err = jobdb.ErrNotFound
	}
	return j, err
}

func (js *Jobs) forAdmins(kind jobdb.Kind) bool {
	return slices.ContainsFunc(js.Kinds, func(k Kind) bool { return k.Name == kind && k.Admins })
}

func (js *Jobs) stop(ctx context.Context, c *api.Call, in named) (out api.Result[View], err error) {
	j, err := js.visible(ctx, c, in.ID)
	if err != nil {
		return out, err
	}
	err = js.Store.Write(ctx, c.Company, func(tx *store.Tx) (err error) {
		j, err = jobdb.Stop(ctx, tx, c.Person, in.ID, ErrStopped.Error(), js.Now())
		return err
	})
	if err != nil {
		return out, err
	}
	js.discard(ctx, in.ID)
	out.Result, err = js.Show(ctx, j, c.Person)
	return out, err
}

// discard removes the file of a job that failed. If that does not succeed, the upkeep removes it.
func (js *Jobs) discard(ctx context.Context, id shop.JobID) {
	sha, err := jobdb.DetachFailed(ctx, js.Store, id)
	if err == nil && sha != "" {
		_ = js.Discard(ctx, sha)
	}
}

// reason is the text of an error that ends a job: a refusal, or INTERNAL for what only the operator
// can read.
func reason(err error) string {
	if refusal, ok := shop.AsRefusal(err); ok {
		return refusal.Error()
	}
	return api.Fault(err).Error()
}

// final reports whether a job would fail again with the same error.
func final(err error) bool {
	refusal, ok := shop.AsRefusal(err)
	return ok && refusal.Class != shop.Unavailable && !errors.Is(err, context.DeadlineExceeded)
}
