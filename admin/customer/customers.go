// Package customer is the customers of a shop (CONTRACT-COMMERCE, "Customers"): who
// bought there, wrote to it or was added, the groups that they are in, a CSV that goes out
// and comes in, and the erasure of one of them.
//
// A customer is one address of e-mail, compared in lower case, or where none was given one
// person. The transaction that makes an order, a lead, a review or a question makes its
// customer; what they ordered and spent is counted by the database alone.
//
// All of it is personal data: rows need a sensitive scope, so that editors see none of it.
// It has no draft.
package customer

import (
	"vitrine/admin/api"
	"vitrine/compile/movein/header"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Config is what customers stand on.
type Config struct {
	Store *store.Store
}

// Customers answers the endpoints of this package.
type Customers struct{ Config }

// New makes the slice.
func New(cfg Config) *Customers { return &Customers{cfg} }

// Refusals of this package.
var (
	errCustomer = shop.Refuse(shop.InvalidArgument, "CUSTOMER_INVALID").When("a field makes no sense; the detail begins with its name")
	errGroup    = shop.Refuse(shop.InvalidArgument, "CUSTOMER_GROUP_INVALID").When("a group has no name of 1 to 255 characters, or a rule that is none; the detail begins with the field")
	errSort     = shop.Refuse(shop.InvalidArgument, "INVALID_SORT").When("sort is none of created_at, last_order_at, orders, spent and name, or sort.order none of asc and desc")
	errImport   = shop.Refuse(shop.InvalidArgument, "CUSTOMER_IMPORT_INVALID").When("the CSV has no column email in its first line")
	errTooLarge = shop.Refuse(shop.InvalidArgument, "CUSTOMER_IMPORT_TOO_LARGE").When("the CSV has more than 10,000 lines")
	errExport   = shop.Refuse(shop.FailedPrecondition, "EXPORT_TOO_LARGE").When("there is more than one export holds; narrow it")
)

// maxImport is how many bytes the body of an import may have.
const maxImport = 8 << 20

// Endpoints is the table of this slice.
func (cs *Customers) Endpoints() []api.Endpoint {
	role := api.ErrRole.With("customers are for owners and admins")
	reads, writes := []shop.Scope{"customers:read"}, []shop.Scope{"customers:write"}
	one, group := api.Refuses(store.ErrCustomerNotFound), api.Refuses(store.ErrCustomerGroupNotFound)
	named := api.Refuses(errGroup, store.ErrCustomerGroupTaken)
	return []api.Endpoint{
		{Method: "GET", Path: "/customers", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: api.Refuses(errSort), Do: api.Handle(cs.list),
			Summary: "The customers of the shop, newest first unless sorted otherwise"},
		{Method: "POST", Path: "/customers", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write,
			Errors: api.Refuses(errCustomer, store.ErrCustomerExists, store.ErrCustomerLimit), Do: api.Handle(cs.create), Summary: "Add a customer by hand"},
		{Method: "GET", Path: "/customers/export", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Produces: []string{"text/csv"},
			Errors: api.Refuses(errExport), Do: api.Handle(cs.export), Summary: "The customers as the CSV that the import reads"},
		{Method: "POST", Path: "/customers/import", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, MaxBody: maxImport,
			Errors: api.Refuses(errImport, errTooLarge, header.ErrForeign), Do: api.Handle(cs.imports), Summary: "Add and change customers from CSV, line by line"},
		{Method: "GET", Path: "/customers/{id}", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: one, Do: api.Handle(cs.read),
			Summary: "One customer"},
		{Method: "PUT", Path: "/customers/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write, Errors: one.And(errCustomer),
			Do: api.Handle(cs.change), Summary: "Change name, phone, note or groups of a customer; what is not sent stays"},
		{Method: "POST", Path: "/customers/{id}/erase", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write,
			Errors: one.And(store.ErrErasureBusy), Do: api.Handle(cs.erase), Summary: "Erase what the shop keeps of a customer; the sums of orders stay"},
		{Method: "GET", Path: "/customer-groups", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Do: api.Handle(cs.groups),
			Summary: "The groups of customers"},
		{Method: "POST", Path: "/customer-groups", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write,
			Errors: named.And(store.ErrCustomerGroupLimit), Do: api.Handle(cs.createGroup), Summary: "Add a group of customers, perhaps with a rule"},
		{Method: "GET", Path: "/customer-groups/{id}", Contour: api.LiveOnly, Manage: role, Scopes: reads, Class: api.Read, Errors: group, Do: api.Handle(cs.group),
			Summary: "One group of customers"},
		{Method: "PUT", Path: "/customer-groups/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write,
			Errors: named.And(store.ErrCustomerGroupNotFound), Do: api.Handle(cs.changeGroup), Summary: "Change name or rule of a group; what is not sent stays"},
		{Method: "DELETE", Path: "/customer-groups/{id}", Contour: api.RefusesDraft, Manage: role, Scopes: writes, Class: api.Write,
			Errors: group.And(store.ErrCustomerGroupInUse), Do: api.Handle(cs.removeGroup), Summary: "Delete a group that no promotion and no access policy is for; its customers stay"},
	}
}
