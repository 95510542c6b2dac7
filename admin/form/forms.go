// Package form serves the lead forms of a shop and the leads that visitors send with them
// (document 3, 4.1, 4.2 and 4.6.8; CONTRACT-COMMERCE, "Forms and leads").
//
// A form defines what visitors are asked; a lead is what one visitor sent. The rules for fields
// and values are in compile/lead. This package stores forms, accepts leads and lists them:
//
//	POST /forms                creates a form with its fields
//	GET  /forms/{id}/public    returns its fields for the page that shows it
//	GET  /forms/{id}/token     returns a one-time token that proves when a page was shown
//	POST /form-files           accepts a file, which stays in quarantine until its lead arrives
//	POST /form-leads           accepts a filled form and validates it against the form's fields
//	GET  /form-leads           lists the leads; there are also PUT, DELETE and export
//
// Submissions are limited per network and per form. Suspected spam is kept apart, without asking
// a third party (judge.go): it is not reported, the seller finds it only by its status, and the
// sender gets the same response as for any other lead. Forms have no draft. The public form and
// the lead endpoint are open to the sandboxed pages of site folders; file uploads are not,
// because the specification allows only JSON there.
package form

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/internal/blob"
	"vitrine/internal/budget"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	formdb "vitrine/internal/store/form"
	"vitrine/internal/store/media"
)

// Config holds the dependencies of Forms.
type Config struct {
	Store  *store.Store
	Blobs  blob.Store
	Intake *intake.Intake
	Now    func() time.Time // clock of the rate limits
}

// Forms serves the endpoints of this package.
type Forms struct {
	Config
	key struct { // signs tokens
		sync.Mutex
		value []byte
	}
	leadBudgets     *budget.Budgets[sender]     // leads per sender
	provenBudgets   *budget.Budgets[sender]     // further leads per sender, with a proof of work
	spamBudgets     *budget.Budgets[formKey]    // leads per form that are kept as spam
	fileBudgets     *budget.Budgets[networkKey] // files per network
	megabyteBudgets *budget.Budgets[networkKey] // megabytes of files per network
	formFileBudgets *budget.Budgets[formKey]    // files per form
}

// sender identifies a network that sends leads with one form.
type sender struct {
	formKey
	from netip.Prefix
}

// formKey identifies a form.
type formKey struct {
	company shop.CompanyID
	form    shop.FormID
}

// networkKey identifies a network that sends files to one shop.
type networkKey struct {
	company shop.CompanyID
	from    netip.Prefix
}

func (k sender) String() string     { return fmt.Sprint(k.formKey, k.from) }
func (k formKey) String() string    { return fmt.Sprint(k.company, k.form) }
func (k networkKey) String() string { return fmt.Sprint(k.company, k.from) }

// New returns Forms. What a form keeps as spam is counted in its transaction, by each process alone.
func New(cfg Config) *Forms {
	return &Forms{
		Config:      cfg,
		leadBudgets: budget.Shared[sender]("leads", leadsPerNetwork, time.Minute, cfg.Now, cfg.Store.CountAttempts), provenBudgets: budget.Shared[sender]("proven leads", provenPerNetwork, time.Minute, cfg.Now, cfg.Store.CountAttempts),
		spamBudgets: budget.New[formKey](spamPerMinute, time.Minute, cfg.Now), fileBudgets: budget.Shared[networkKey]("files", filesPerNetwork, time.Hour, cfg.Now, cfg.Store.CountAttempts),
		megabyteBudgets: budget.Shared[networkKey]("megabytes of files", megabytesPerNetwork, time.Hour, cfg.Now, cfg.Store.CountAttempts), formFileBudgets: budget.Shared[formKey]("files of form", filesPerForm, time.Hour, cfg.Now, cfg.Store.CountAttempts),
	}
}

// Endpoints lists the endpoints of this package.
func (fs *Forms) Endpoints() []api.Endpoint {
	read, write := []shop.Scope{"forms:read"}, []shop.Scope{"forms:write"}
	reads, writes := []shop.Scope{"leads:read"}, []shop.Scope{"leads:write"}
	one, lead := api.Refuses(formdb.ErrNotFound), api.Refuses(formdb.ErrLeadNotFound)
	public := one.And(api.ErrNoCompany, store.ErrShopNotFound)
	return []api.Endpoint{
		{Method: "GET", Path: "/forms", Contour: api.LiveOnly, Scopes: read, Class: api.Read, Do: api.Handle(fs.forms), Summary: "All lead forms of the shop"},
		{Method: "POST", Path: "/forms", Scopes: write, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(errForm), Do: api.Handle(fs.createForm), Summary: "Create a lead form"},
		{Method: "GET", Path: "/forms/{id}", Contour: api.LiveOnly, Scopes: read, Class: api.Read, Errors: one, Do: api.Handle(fs.form), Summary: "One lead form"},
		{Method: "PUT", Path: "/forms/{id}", Edits: "/forms/{id}", Scopes: write, Contour: api.RefusesDraft, Class: api.Write, Errors: one.And(errForm), Do: api.Handle(fs.updateForm), Summary: "Replace a lead form"},
		{Method: "DELETE", Path: "/forms/{id}", Scopes: write, Contour: api.RefusesDraft, Class: api.Write, Errors: one, Do: api.Handle(fs.deleteForm), Summary: "Soft-delete a lead form; its leads stay"},
		{Method: "POST", Path: "/forms/{id}/test", Scopes: write, Contour: api.RefusesDraft, Class: api.Write, Errors: one.And(errLead), Do: api.Handle(fs.testForm), Summary: "Submit a form as a test: creates a lead and an event marked as a test, and no letter"},
		{Method: "GET", Path: "/forms/{id}/leads", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(fs.leadsOfForm), Summary: "A page of the leads of a form, newest first"},
		{Method: "GET", Path: "/forms/{id}/public", Contour: api.LiveOnly, Auth: api.Public, Sandbox: true, Class: api.Read, Errors: public, Do: api.Handle(fs.publicForm), Summary: "The public definition of a form, for the page that shows it; pages of site folders may call it"},
		{Method: "GET", Path: "/forms/{id}/token", Contour: api.LiveOnly, Auth: api.Public, Class: api.Read, Errors: public, Do: api.Handle(fs.token), Summary: "A one-time token that a page sends with a form to prove when the page was shown"},
		{Method: "POST", Path: "/form-files", Auth: api.Public, Contour: api.RefusesDraft, Class: api.Storage, Consumes: []string{"application/octet-stream", "multipart/form-data"}, Errors: public.And(errLead, media.ErrStorageLimit, shop.ErrInvalidRequest), Do: api.Handle(fs.takeFile), Summary: "Upload a file for a field of a form; it stays in quarantine for up to an hour until its lead arrives"},
		{Method: "POST", Path: "/form-leads", Auth: api.Public, Sandbox: true, Contour: api.RefusesDraft, Class: api.Write, MaxBody: 256 << 10, Errors: public.And(errLead, errProof), Do: api.Handle(fs.createLead), Summary: "Submit a form; pages of site folders may call it"},
		{Method: "GET", Path: "/form-leads", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: api.Refuses(errStatus), Do: api.Handle(fs.leads), Summary: "A page of leads, newest first"},
		{Method: "GET", Path: "/form-leads/export", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Produces: []string{"text/csv"}, Errors: api.Refuses(errStatus, api.ErrExportLarge, formdb.ErrNotFound), Do: api.Handle(fs.export), Summary: "Leads as CSV, oldest first"},
		{Method: "GET", Path: "/form-leads/{id}", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: lead, Do: api.Handle(fs.lead), Summary: "One lead with its files"},
		{Method: "PUT", Path: "/form-leads/{id}", Edits: "/form-leads/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: lead.And(errStatus), Do: api.Handle(fs.changeLead), Summary: "Change the status or the note of a lead; fields that are not sent stay unchanged"},
		{Method: "DELETE", Path: "/form-leads/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: lead, Do: api.Handle(fs.deleteLead), Summary: "Delete a lead with its files"},
		{Method: "GET", Path: "/form-leads/{id}/files/{file_id}", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Produces: []string{"application/octet-stream"}, Errors: api.Refuses(formdb.ErrFileNotFound), Do: api.Handle(fs.download), Summary: "A file of a lead, as a download"},
	}
}
