// Package customer manages the customers of a shop (CONTRACT-COMMERCE, "Customers"): people who
// ordered, wrote to the shop or were added by hand, their groups, CSV export and import, and
// erasure.
//
// A customer is identified by an e-mail address, compared in lower case, or without an address
// by a person. The transaction that creates an order, a lead, a review or a question creates
// its customer; the database alone counts their orders and spending.
//
// All of this is personal data: the endpoints require a sensitive scope, so that editors cannot
// see it. There is no draft.
package customer

import (
	"vitrine/admin/api"
	"vitrine/compile/movein/header"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
)

// Config holds the dependencies of customers.
type Config struct {
	Store *store.Store
}

// Customers implements the endpoints of this package.
type Customers struct{ Config }

// New returns Customers.
func New(cfg Config) *Customers { return &Customers{cfg} }

// Refusals of this package.
var (
	errCustomer = shop.Refuse(shop.InvalidArgument, "CUSTOMER_INVALID").When("a field is invalid; the detail begins with its name")
	errGroup    = shop.Refuse(shop.InvalidArgument, "CUSTOMER_GROUP_INVALID").When("the name of a group does not have 1 to 255 characters, or its rule is invalid; the detail begins with the field")
	errSort     = shop.Refuse(shop.InvalidArgument, "INVALID_SORT").When("the sort field or order is unknown")
	errImport   = shop.Refuse(shop.InvalidArgument, "CUSTOMER_IMPORT_INVALID").When("the first line of the CSV has no column email")
	errTooLarge = shop.Refuse(shop.InvalidArgument, "CUSTOMER_IMPORT_TOO_LARGE").When("the CSV has more than 10,000 lines")
)

// maxImport is the size limit of the body of an import, in bytes.
const maxImport = 8 << 20

// Endpoints returns the endpoint table of this package.
func (cs *Customers) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("only owners and admins may access customers")
	reads, writes := []shop.Scope{"customers:read"}, []shop.Scope{"customers:write"}
	one, group := api.Refuses(people.ErrCustomerNotFound), api.Refuses(people.ErrCustomerGroupNotFound)
	named := api.Refuses(errGroup, people.ErrCustomerGroupTaken)
	return []api.Endpoint{
		{Method: "GET", Path: "/customers", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: api.Refuses(errSort), Do: api.Handle(cs.list),
			Summary: "The customers of the shop, newest first unless sorted otherwise"},
		{Method: "POST", Path: "/customers", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write,
			Errors: api.Refuses(errCustomer, people.ErrCustomerExists, people.ErrCustomerLimit), Do: api.Handle(cs.create), Summary: "Add a customer by hand"},
		{Method: "GET", Path: "/customers/export", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Produces: []string{"text/csv"},
			Errors: api.Refuses(api.ErrExportLarge), Do: api.Handle(cs.export), Summary: "Export the customers as CSV in the format of the import"},
		{Method: "POST", Path: "/customers/import", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, MaxBody: maxImport,
			Errors: api.Refuses(api.ErrImportEmpty, errImport, errTooLarge, header.ErrForeign), Do: api.Handle(cs.imports), Summary: "Add and change customers from CSV, line by line"},
		{Method: "GET", Path: "/customers/{id}", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(cs.read),
			Summary: "One customer"},
		{Method: "PUT", Path: "/customers/{id}", Edits: "/customers/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one.And(errCustomer),
			Do: api.Handle(cs.change), Summary: "Change name, phone, note or groups of a customer; omitted fields stay"},
		{Method: "POST", Path: "/customers/{id}/erase", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write,
			Errors: one.And(privacy.ErrErasureBusy), Do: api.Handle(cs.erase), Summary: "Erase the personal data of a customer; the sums of orders stay. dry_run erases nothing and counts what would be"},
		{Method: "GET", Path: "/customer-groups", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Do: api.Handle(cs.groups),
			Summary: "The groups of customers"},
		{Method: "POST", Path: "/customer-groups", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write,
			Errors: named.And(people.ErrCustomerGroupLimit), Do: api.Handle(cs.createGroup), Summary: "Add a group of customers, optionally with a rule"},
		{Method: "POST", Path: "/customer-groups/preview", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read,
			Errors: api.Refuses(errGroup), Do: api.Handle(cs.previewGroup), Summary: "How many customers a rule matches; nothing is stored"},
		{Method: "GET", Path: "/customer-groups/{id}", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: group, Do: api.Handle(cs.group),
			Summary: "One group of customers"},
		{Method: "PUT", Path: "/customer-groups/{id}", Edits: "/customer-groups/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write,
			Errors: named.And(people.ErrCustomerGroupNotFound), Do: api.Handle(cs.changeGroup), Summary: "Change name or rule of a group; omitted fields stay"},
		{Method: "DELETE", Path: "/customer-groups/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write,
			Errors: group.And(people.ErrCustomerGroupInUse), Do: api.Handle(cs.removeGroup), Summary: "Delete a group that no promotion and no access policy uses; its customers stay"},
	}
}
