package access

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type auditRequest struct {
	Person shop.UserID `query:"filter.user_id" json:"-" doc:"only changes by this person"`
	Key    shop.KeyID  `query:"filter.key_id" json:"-" doc:"only changes by this key"`
	Path   string      `query:"filter.path" json:"-" doc:"only changes through this endpoint, such as /products/{id}"`
	Since  time.Time   `query:"filter.since" json:"-" doc:"only changes at or after this time, RFC 3339"`
	api.Paging
}

// audit lists who changed what with which key, newest first. Its scope is sensitive, so only
// owners and admins can use it.
func (a *Access) audit(ctx context.Context, c *api.Call, in auditRequest) (api.List[store.AuditEntry], error) {
	var out api.List[store.AuditEntry]
	number, limit, err := in.Page(20)
	if err != nil {
		return out, err
	}
	filter := store.AuditFilter{Person: in.Person, Key: in.Key, Path: in.Path, Since: in.Since}
	out.Result, out.Total, err = a.store.Shop(c.Company).AuditLog(ctx, filter, number, limit)
	out.CurrentPage = number
	return out, err
}
