// Package policy manages which parts of a shop are closed, and what unlocks them
// (CONTRACT-COMMERCE, "Customers, closed resources, statistics"): policies for sections,
// products, articles and site folders. A policy is unlocked by a password, by membership in a
// customer group, or by being a signed-in customer.
//
// Policies are compiled (compile.Policy) and enforced by the edge; this package only stores them.
// They have no draft: they apply to the live shop at once, and a preview of its draft shows
// everything.
package policy

import (
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	policydb "vitrine/internal/store/policy"
)

// Config holds the dependencies of Policies.
type Config struct {
	Store *store.Store
	Hosts shop.Storefronts
	Now   func() time.Time
}

// Policies serves the endpoints of this package.
type Policies struct{ Config }

// New returns Policies with the given dependencies.
func New(cfg Config) *Policies { return &Policies{cfg} }

// Refusals of policies.
var (
	errInvalid = shop.Refuse(shop.InvalidArgument, "ACCESS_POLICY_INVALID").When("a field is invalid; the detail begins with its name")
	errHome    = shop.Refuse(shop.FailedPrecondition, "ACCESS_CLOSES_HOME").When("the policy would close the home page, directly or through a section above it; use a PIN to close a whole shop")
	errKind    = shop.Refuse(shop.FailedPrecondition, "ACCESS_POLICY_KIND").When("the policy is not unlocked by passwords")
)

// Endpoints lists the endpoints of this package.
func (ps *Policies) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("only owners and admins manage access policies")
	reads, writes := []shop.Scope{"access:read"}, []shop.Scope{"access:write"}
	one := api.Refuses(policydb.ErrNotFound)
	return []api.Endpoint{
		{Method: "GET", Path: "/access-policies", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Do: api.Handle(ps.list),
			Summary: "The access policies of the shop, newest first, with their passwords except for the secrets themselves"},
		{Method: "POST", Path: "/access-policies", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: api.Refuses(errInvalid, errHome, policydb.ErrLimit), Do: api.Handle(ps.create),
			Summary: "Close sections, products, articles and site folders to visitors without access; takes effect at once"},
		{Method: "GET", Path: "/access-policies/{id}", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(ps.read),
			Summary: "One policy"},
		{Method: "PUT", Path: "/access-policies/{id}", Edits: "/access-policies/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one.And(errInvalid, errHome), Do: api.Handle(ps.change),
			Summary: "Change a policy; fields that are not sent stay unchanged"},
		{Method: "DELETE", Path: "/access-policies/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one, Do: api.Handle(ps.remove),
			Summary: "Delete a policy and its passwords; its resources become open"},
		{Method: "POST", Path: "/access-policies/{id}/passwords", Secret: true, Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one.And(errInvalid, errKind, policydb.ErrLimit), Do: api.Handle(ps.grant),
			Summary: "Add a password; only this response contains it"},
		{Method: "DELETE", Path: "/access-policies/{id}/passwords/{grant_id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one.And(policydb.ErrGrantNotFound), Do: api.Handle(ps.revoke),
			Summary: "Revoke a password and the access it gave"},
	}
}
