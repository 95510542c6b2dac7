// Package form is the lead forms of a shop and what visitors send with them
// (document 3, 4.1, 4.2 and 4.6.8).
//
// A form is what visitors are asked, a lead what one of them sent. Of both the
// specification shows the public read and the anonymous submission only; the
// builder here is the least that gives them something to read and to send:
//
//	POST /forms                a form with its fields
//	GET  /forms/{id}/public    what it asks, for the page that shows it
//	POST /form-leads           a filled form, held to the form's fields
//	GET  /forms/{id}/leads     what came in
//
// The two of visitors are open to the sandboxed pages of site folders, so how
// much one network and one form may send is bounded here. Forms have no draft.
// This package draws no page and sends no letter: the storefront shows a form,
// and who wants to hear of a lead reads the event lead.created.
package form

import (
	"time"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Config is what forms stand on.
type Config struct {
	Store *store.Store
	Now   func() time.Time // by which leads are counted
}

// Forms answers the endpoints of this package.
type Forms struct {
	store   *store.Store
	now     func() time.Time
	senders *budget.Budgets[sender] // of leads
}

// New begins with full budgets of leads, which each process counts for itself.
func New(cfg Config) *Forms {
	return &Forms{store: cfg.Store, now: cfg.Now, senders: budget.New[sender](leadsOfOne, time.Minute, cfg.Now)}
}

// Endpoints is the table of this slice.
func (fs *Forms) Endpoints() []api.Endpoint {
	read, write := []shop.Scope{"forms:read"}, []shop.Scope{"forms:write"}
	one := api.Refuses(store.ErrFormNotFound)
	public := one.And(api.ErrNoCompany, store.ErrShopNotFound)
	return []api.Endpoint{
		{Method: "GET", Path: "/forms", Contour: api.LiveOnly, Scopes: read, Class: api.Read, Do: api.Handle(fs.forms), Summary: "All lead forms of the shop"},
		{Method: "POST", Path: "/forms", Scopes: write, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(errForm), Do: api.Handle(fs.createForm), Summary: "Create a lead form"},
		{Method: "GET", Path: "/forms/{id}", Contour: api.LiveOnly, Scopes: read, Class: api.Read, Errors: one, Do: api.Handle(fs.form), Summary: "One lead form"},
		{Method: "PUT", Path: "/forms/{id}", Scopes: write, Contour: api.RefusesDraft, Class: api.Write, Errors: one.And(errForm), Do: api.Handle(fs.updateForm), Summary: "Replace a lead form"},
		{Method: "DELETE", Path: "/forms/{id}", Scopes: write, Contour: api.RefusesDraft, Class: api.Write, Errors: one, Do: api.Handle(fs.deleteForm), Summary: "Delete a lead form softly; its leads stay"},
		{Method: "GET", Path: "/forms/{id}/leads", Contour: api.LiveOnly, Scopes: []shop.Scope{"leads:read"}, Class: api.Read, Errors: one, Do: api.Handle(fs.leads), Summary: "A page of what visitors sent with a form, newest first"},
		{Method: "GET", Path: "/forms/{id}/public", Contour: api.LiveOnly, Auth: api.Public, Sandbox: true, Class: api.Read, Errors: public, Do: api.Handle(fs.publicForm), Summary: "What a form asks, for the page that shows it; pages of site folders may call it"},
		{Method: "POST", Path: "/form-leads", Auth: api.Public, Sandbox: true, Contour: api.RefusesDraft, Class: api.Write, MaxBody: 256 << 10, Errors: public.And(errLead), Do: api.Handle(fs.createLead), Summary: "Send a filled form; pages of site folders may call it"},
	}
}
