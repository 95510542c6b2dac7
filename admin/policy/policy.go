// Package policy is what of a shop is closed to strangers, and what opens it
// (CONTRACT-COMMERCE, "Customers, closed resources, statistics"): policies over
// sections, products, articles and site folders, each opened by a password, by a group
// of customers, or by being a customer who is signed in.
//
// What a policy closes is compiled (compile.Policy) and kept from strangers by the
// edge; here it is only written down. Policies have no draft: they hold for the live
// shop at once, and who previews its draft sees everything.
package policy

import (
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	policydb "vitrine/internal/store/policy"
)

// Config is what policies stand on.
type Config struct {
	Store *store.Store
	Hosts shop.Storefronts
	Now   func() time.Time
}

// Policies answers the endpoints of this package.
type Policies struct{ Config }

// New makes the slice.
func New(cfg Config) *Policies { return &Policies{cfg} }

// Refusals of policies.
var (
	errInvalid = shop.Refuse(shop.InvalidArgument, "ACCESS_POLICY_INVALID").When("a field makes no sense; the detail begins with its name")
	errHome    = shop.Refuse(shop.FailedPrecondition, "ACCESS_CLOSES_HOME").When("the policy would close the home page, by itself or by a section above it; a PIN closes a whole shop")
	errKind    = shop.Refuse(shop.FailedPrecondition, "ACCESS_POLICY_KIND").When("the policy does not open by passwords")
)

// Endpoints is the table of this slice.
func (ps *Policies) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("access policies are for owners and admins")
	reads, writes := []shop.Scope{"access:read"}, []shop.Scope{"access:write"}
	one := api.Refuses(policydb.ErrNotFound)
	return []api.Endpoint{
		{Method: "GET", Path: "/access-policies", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Do: api.Handle(ps.list),
			Summary: "What of the shop is closed, newest policy first, with its passwords but for the words themselves"},
		{Method: "POST", Path: "/access-policies", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: api.Refuses(errInvalid, errHome, policydb.ErrLimit), Do: api.Handle(ps.create),
			Summary: "Close sections, products, articles and site folders to strangers, at once"},
		{Method: "GET", Path: "/access-policies/{id}", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(ps.read),
			Summary: "One policy"},
		{Method: "PUT", Path: "/access-policies/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one.And(errInvalid, errHome), Do: api.Handle(ps.change),
			Summary: "Change a policy by its fields; what is not sent stays"},
		{Method: "DELETE", Path: "/access-policies/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one, Do: api.Handle(ps.remove),
			Summary: "Open what a policy closed, and forget its passwords"},
		{Method: "POST", Path: "/access-policies/{id}/passwords", Secret: true, Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one.And(errInvalid, errKind, policydb.ErrLimit), Do: api.Handle(ps.grant),
			Summary: "Add a password; the answer is the only one that shows it"},
		{Method: "DELETE", Path: "/access-policies/{id}/passwords/{grant_id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one.And(policydb.ErrGrantNotFound), Do: api.Handle(ps.revoke),
			Summary: "End a password, and what it opened for anybody"},
	}
}
