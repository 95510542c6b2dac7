package review

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/remark"
)

type ownRequest struct {
	ID        shop.ProductID `path:"id" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop; by default the product's"`
}

func (rs *Reviews) own(ctx context.Context, c *api.Call, in ownRequest) (out api.Result[view], err error) {
	company, err := rs.ofProduct(ctx, c, in.CompanyID, in.ID)
	if errors.Is(err, catalog.ErrProductNotFound) {
		err = remark.ErrReviewNotFound
	}
	if err != nil {
		return out, err
	}
	r, err := remark.ReviewOf(ctx, rs.Store.Shop(company), in.ID, c.Person)
	out = api.Wrap(viewOf(r))
	out.Result.Status = status(r.Status)
	return out, err
}

type photoRequest struct {
	ID        shop.RemarkID  `path:"id" json:"-"`
	File      uuid.UUID      `path:"file_id" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"for authors: the shop; by default the review's"`
}

// maxPhoto is larger than any re-encoded picture.
const maxPhoto = 10 << 20

func (rs *Reviews) photo(ctx context.Context, c *api.Call, in photoRequest) (out api.Raw, err error) {
	company, member := c.Company, c.ByKey() || c.Role.Known() && in.CompanyID == 0
	if !member {
		if company, err = rs.ofRemark(ctx, c, in.CompanyID, remark.Review, in.ID); err != nil {
			return out, err
		}
	}
	r, err := remark.Get(ctx, rs.Store.Shop(company), remark.Review, in.ID)
	if err == nil && !member && (r.Person == nil || *r.Person != c.Person) {
		err = remark.ErrReviewNotFound
	}
	if err != nil {
		return out, err
	}
	f, err := remark.Photo(ctx, rs.Store.Shop(company), r.ID, in.File)
	if err != nil {
		return out, err
	}
	body, err := rs.Blobs.ReadAll(ctx, f.SHA256, maxPhoto)
	return api.Raw{ContentType: f.MIME, Body: body}, err
}
