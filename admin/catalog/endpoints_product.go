package catalog

import (
	"vitrine/admin/api"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// productEndpoints returns the endpoints of products, attributes, variants and groups.
func (c *Catalog) productEndpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/products", Auth: api.Public, Scopes: reads, Class: api.Read, Errors: api.Refuses(api.ErrAuthCompany, errSort), Do: api.Handle(c.products), Summary: "A page of the product list with the attributes that it can be filtered by; sort.field is id, name, price, rating, created_at or updated_at"},
		{Method: "GET", Path: "/products/{id}", Auth: api.Public, Scopes: reads, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, errProjection, catalog.ErrProductNotFound), Do: api.Handle(c.product), Summary: "One product"},
		{Method: "GET", Path: "/products/by-slug/{slug}", Auth: api.Public, Scopes: reads, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, errProjection, catalog.ErrProductNotFound), Do: api.Handle(c.productBySlug), Summary: "One product by its slug"},
		{Method: "POST", Path: "/products", Scopes: writes, Class: api.Write, Errors: wholeErrors, Do: api.Handle(c.createProduct), Summary: "Create a product with its variant sets and its stock, or nothing"},
		{Method: "PUT", Path: "/products/{id}", Edits: "/products/{id}", Scopes: writes, Class: api.Write, Errors: wholeErrors.And(catalog.ErrProductNotFound, store.ErrRestoreExpired), Do: api.Handle(c.updateProduct), Summary: "Change fields of a product, and with variants and stock its sets and its stock, all or nothing; seo and variants are replaced as a whole"},
		{Method: "DELETE", Path: "/products/{id}", Scopes: writes, Class: api.Write, Errors: api.Refuses(catalog.ErrProductNotFound), Undo: "It can be restored within 30 days: PUT /products/{id} with is_deleted false in item.", Do: api.Handle(c.deleteProduct), Summary: "Soft-delete a product; it can be restored for 30 days"},
		{Method: "POST", Path: "/products/batch", Scopes: writes, Class: api.Write, MaxBody: maxBatchBody, Do: api.Handle(c.createProducts), Summary: "Create up to 100 products; each succeeds or fails independently"},
		{Method: "PATCH", Path: "/products/batch", Scopes: writes, Class: api.Write, MaxBody: maxBatchBody, Errors: itemErrors, Do: api.Handle(c.editProducts), Summary: "Edit up to 100 products, either all the same way with ids and item, or individually with items; each succeeds or fails independently. dry_run writes nothing and answers what would change"},
		{Method: "GET", Path: "/products/export", Scopes: reads, Class: api.Read, Produces: []string{"text/csv"}, Do: api.Handle(c.exportProducts), Summary: "Export the catalogue as CSV in the format of the import"},
		{Method: "POST", Path: "/products/import", Scopes: writes, Class: api.Write, MaxBody: maxImportBody, Errors: importErrors, Do: api.Handle(c.importProducts), Summary: "Create and update products from a CSV; dry_run only reports"},
		{Method: "POST", Path: "/products/import/file", Scopes: writes, Class: api.Write, Consumes: []string{"text/csv", "multipart/form-data"}, Errors: importErrors.And(errImportEncoding), Do: api.Handle(c.importFile), Summary: "Create and update products from a CSV file: a raw body or the part file of a form, in UTF-8, UTF-16 or the named encoding"},
		{Method: "PUT", Path: "/products/{id}/variants", Edits: "/products/{id}", Scopes: writes, Class: api.Write, Errors: variantErrors, Do: api.Handle(c.setVariants), Summary: "Replace the variant sets of a product"},
		{Method: "GET", Path: "/products/{id}/ad-participation", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: api.Refuses(catalog.ErrProductNotFound), Do: api.Handle(c.adParticipation), Summary: "Whether feeds list a product"},
		{Method: "PUT", Path: "/products/{id}/ad-participation", Edits: "/products/{id}", Scopes: writes, Manage: errAdRole, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(catalog.ErrProductNotFound, errAdMode), Do: api.Handle(c.setAdParticipation), Summary: "Include a product in feeds or exclude it from all of them"},
		{Method: "GET", Path: "/attributes", Auth: api.Public, Scopes: reads, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany), Do: api.Handle(c.attributes), Summary: "The attributes that products may have, with their options"},
		{Method: "GET", Path: "/attributes/{id}", Auth: api.Public, Scopes: reads, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, catalog.ErrAttributeNotFound), Do: api.Handle(c.attribute), Summary: "One attribute"},
		{Method: "POST", Path: "/attributes", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: attributeErrors, Do: api.Handle(c.createAttribute), Summary: "Create an attribute of kind option, number or text"},
		{Method: "PUT", Path: "/attributes/{id}", Edits: "/attributes/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: attributeErrors.And(catalog.ErrAttributeNotFound, errAttributeInUse, errOptionInUse("<value>")), Do: api.Handle(c.updateAttribute), Summary: "Change an attribute; an option that products use cannot be deleted"},
		{Method: "DELETE", Path: "/attributes/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(catalog.ErrAttributeNotFound), Do: api.Handle(c.deleteAttribute), Summary: "Delete an attribute; products no longer show it"},
		{Method: "GET", Path: "/product-groups", Scopes: reads, Class: api.Read, Do: api.Handle(c.groups), Summary: "A page of the groups of linked products"},
		{Method: "GET", Path: "/product-groups/{id}", Scopes: reads, Class: api.Read, Errors: api.Refuses(catalog.ErrGroupNotFound), Do: api.Handle(c.group), Summary: "One group of linked products"},
		{Method: "POST", Path: "/product-groups", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(errGroup, catalog.ErrProductNotFound), Do: api.Handle(c.createGroup), Summary: "Link products as a group"},
		{Method: "PUT", Path: "/product-groups/{id}", Edits: "/product-groups/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(errGroup, catalog.ErrProductNotFound, catalog.ErrGroupNotFound), Do: api.Handle(c.updateGroup), Summary: "Change name or products of a group"},
		{Method: "DELETE", Path: "/product-groups/{id}", Scopes: writes, Contour: api.RefusesDraft, Class: api.Write, Errors: api.Refuses(catalog.ErrGroupNotFound), Do: api.Handle(c.deleteGroup), Summary: "Delete a group; its products stay"},
	}
}
