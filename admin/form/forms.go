// Package form is the lead forms of a shop and what visitors send with them
// (document 3, 4.1, 4.2 and 4.6.8; CONTRACT-COMMERCE, "Forms and leads").
//
// A form is what visitors are asked, a lead what one of them sent. What may be asked
// and answered is compile/lead; here it is built, taken and looked through:
//
//	POST /forms                a form with its fields
//	GET  /forms/{id}/public    what it asks, for the page that shows it
//	GET  /forms/{id}/token     says when a page was shown, once
//	POST /form-files           a file, which waits in quarantine for its lead
//	POST /form-leads           a filled form, held to the form's fields
//	GET  /form-leads           what came in, with PUT, DELETE and export
//
// What strangers send is bounded by network and by form. What looks like spam is kept
// apart, without asking a third party (judge.go): nobody is told of it but the seller
// who looks for it, and the sender is thanked all the same. Forms have no draft. The
// public read and the lead itself are open to the sandboxed pages of site folders;
// files are not, since the specification lets JSON alone through there.
package form

import (
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

// Config is what forms stand on.
type Config struct {
	Store  *store.Store
	Blobs  blob.Store
	Intake *intake.Intake
	Now    func() time.Time // by which leads are counted
}

// Forms answers the endpoints of this package.
type Forms struct {
	Config
	key struct { // of tokens
		sync.Mutex
		value []byte
	}
	senders *budget.Budgets[sender]  // of leads
	provers *budget.Budgets[sender]  // of leads with a proof, beyond those
	floods  *budget.Budgets[ofForm]  // of leads that are kept as spam only
	files   *budget.Budgets[fromFor] // files of one network
	bytes   *budget.Budgets[fromFor] // megabytes of these
	flooded *budget.Budgets[ofForm]  // files of one form
}

// sender is who sends leads with one form.
type sender struct {
	ofForm
	from netip.Prefix
}

// ofForm is all who send with one form.
type ofForm struct {
	company shop.CompanyID
	form    shop.FormID
}

// fromFor is who sends files to one shop.
type fromFor struct {
	company shop.CompanyID
	from    netip.Prefix
}

// New begins with full budgets, which each process counts for itself.
func New(cfg Config) *Forms {
	return &Forms{
		Config:  cfg,
		senders: budget.New[sender](leadsOfOne, time.Minute, cfg.Now), provers: budget.New[sender](provenOfOne, time.Minute, cfg.Now),
		floods: budget.New[ofForm](floodAtOnce, time.Minute, cfg.Now), files: budget.New[fromFor](filesOfOne, time.Hour, cfg.Now),
		bytes: budget.New[fromFor](megabytesOfOne, time.Hour, cfg.Now), flooded: budget.New[ofForm](filesAtOnce, time.Hour, cfg.Now),
	}
}

// Endpoints is the table of this slice.
func (fs *Forms) Endpoints() []api.Endpoint {
	read, write := []shop.Scope{"forms:read"}, []shop.Scope{"forms:write"}
	reads, writes := []shop.Scope{"leads:read"}, []shop.Scope{"leads:write"}
	one, lead := api.Refuses(formdb.ErrNotFound), api.Refuses(formdb.ErrLeadNotFound)
	public := one.And(api.ErrNoCompany, store.ErrShopNotFound)
	return []api.Endpoint{
		{Method: "GET", Path: "/forms", Contour: api.LiveOnly, Scopes: read, Class: api.Read, Do: api.Handle(fs.forms), Summary: "All lead forms of the shop"},
		{Method: "POST", Path: "/forms", Scopes: write, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(errForm), Do: api.Handle(fs.createForm), Summary: "Create a lead form"},
		{Method: "GET", Path: "/forms/{id}", Contour: api.LiveOnly, Scopes: read, Class: api.Read, Errors: one, Do: api.Handle(fs.form), Summary: "One lead form"},
		{Method: "PUT", Path: "/forms/{id}", Scopes: write, Contour: api.RefusesDraft, Class: api.Write, Errors: one.And(errForm), Do: api.Handle(fs.updateForm), Summary: "Replace a lead form"},
		{Method: "DELETE", Path: "/forms/{id}", Scopes: write, Contour: api.RefusesDraft, Class: api.Write, Errors: one, Do: api.Handle(fs.deleteForm), Summary: "Delete a lead form softly; its leads stay"},
		{Method: "POST", Path: "/forms/{id}/test", Scopes: write, Contour: api.RefusesDraft, Class: api.Write, Errors: one.And(errLead), Do: api.Handle(fs.testForm), Summary: "Send a test with a form: a lead and an event that say so, and no letter"},
		{Method: "GET", Path: "/forms/{id}/leads", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(fs.leadsOfForm), Summary: "A page of what visitors sent with a form, newest first"},
		{Method: "GET", Path: "/forms/{id}/public", Contour: api.LiveOnly, Auth: api.Public, Sandbox: true, Class: api.Read, Errors: public, Do: api.Handle(fs.publicForm), Summary: "What a form asks, for the page that shows it; pages of site folders may call it"},
		{Method: "GET", Path: "/forms/{id}/token", Contour: api.LiveOnly, Auth: api.Public, Class: api.Read, Errors: public, Do: api.Handle(fs.token), Summary: "What a page sends with a form to say when it was shown; it is good once"},
		{Method: "POST", Path: "/form-files", Auth: api.Public, Contour: api.RefusesDraft, Class: api.Storage, Consumes: []string{"application/octet-stream", "multipart/form-data"}, Errors: public.And(errLead, media.ErrStorageLimit, shop.ErrInvalidRequest), Do: api.Handle(fs.takeFile), Summary: "Send a file for a field of a form; it waits an hour in quarantine for its lead"},
		{Method: "POST", Path: "/form-leads", Auth: api.Public, Sandbox: true, Contour: api.RefusesDraft, Class: api.Write, MaxBody: 256 << 10, Errors: public.And(errLead, errProof), Do: api.Handle(fs.createLead), Summary: "Send a filled form; pages of site folders may call it"},
		{Method: "GET", Path: "/form-leads", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: api.Refuses(errStatus), Do: api.Handle(fs.leads), Summary: "A page of what visitors sent, newest first"},
		{Method: "GET", Path: "/form-leads/export", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Produces: []string{"text/csv"}, Errors: api.Refuses(errStatus, errExportLarge, formdb.ErrNotFound), Do: api.Handle(fs.export), Summary: "Leads as CSV, oldest first"},
		{Method: "GET", Path: "/form-leads/{id}", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: lead, Do: api.Handle(fs.lead), Summary: "One lead with its files"},
		{Method: "PUT", Path: "/form-leads/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: lead.And(errStatus), Do: api.Handle(fs.changeLead), Summary: "Say where a lead stands, and note something about it; what is not sent stays"},
		{Method: "DELETE", Path: "/form-leads/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: lead, Do: api.Handle(fs.deleteLead), Summary: "Delete a lead with its files"},
		{Method: "GET", Path: "/form-leads/{id}/files/{file_id}", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Produces: []string{"application/octet-stream"}, Errors: api.Refuses(formdb.ErrFileNotFound), Do: api.Handle(fs.download), Summary: "A file of a lead, as a download"},
	}
}
