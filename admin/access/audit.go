package access

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrAuditForbidden keeps the audit log from editors.
var ErrAuditForbidden = shop.Refuse(shop.PermissionDenied, "ROLE_REQUIRED").When("the person is no member of the shop, or the role is too low").With("the audit log is for owners and admins")

type auditRequest struct {
	Person shop.UserID `query:"filter.user_id" json:"-" doc:"changes by this person"`
	Key    shop.KeyID  `query:"filter.key_id" json:"-" doc:"changes by this key"`
	Path   string      `query:"filter.path" json:"-" doc:"changes through this endpoint, as /products/{id}"`
	Since  time.Time   `query:"filter.since" json:"-" doc:"changes from this moment on, RFC 3339"`
	api.Paging
}

// audit lists who changed what with which key, newest first. A key needs a
// sensitive scope for it, which only owners and admins can grant.
func (a *Access) audit(ctx context.Context, c *api.Call, in auditRequest) (api.List[store.AuditEntry], error) {
	var out api.List[store.AuditEntry]
	if !c.Role.Manages() {
		return out, ErrAuditForbidden
	}
	number, limit, err := in.Page(20)
	if err != nil {
		return out, err
	}
	filter := store.AuditFilter{Person: in.Person, Key: in.Key, Path: in.Path, Since: in.Since}
	out.Result, out.Total, err = a.store.Shop(c.Company).AuditLog(ctx, filter, number, limit)
	out.CurrentPage = number
	return out, err
}
