package catalog

import (
	"context"
	"slices"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Refusals of related articles (document 1, sections 7 and 8).
var (
	errSelfRelated = shop.Refuse(shop.InvalidArgument, "SELF_RELATED").When("ids contains the article itself")
	errManyRelated = shop.Refuse(shop.InvalidArgument, "TOO_MANY_RELATED").When("more than 50 related articles")
)

const maxRelated = 50

// relateRequest replaces the related articles of an article. Their order is kept; of repeated
// ids the first counts.
type relateRequest struct {
	ID shop.ArticleID `path:"id" json:"-"`
	api.Basis
	IDs *[]shop.ArticleID `json:"ids" required:"always" max:"50" refuse:"TOO_MANY_RELATED"`
}

func (c *Catalog) relateArticles(ctx context.Context, call *api.Call, in relateRequest) (api.Result[[]articleView], error) {
	views := []articleView{}
	if in.IDs == nil {
		return api.Wrap(views), shop.ErrInvalidRequest.At("ids").With("required; [] removes all of them")
	}
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := lockLivingArticle(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(old.UpdatedAt); err != nil {
			return err
		}
		ids, err := checkRelated(in.ID, *in.IDs)
		if err != nil {
			return err
		}
		rows, err := catalog.ArticlesByID(ctx, tx.Reader, false, ids)
		if err == nil && len(rows) != len(ids) {
			err = catalog.ErrArticleNotFound.At("ids").With("not all of them are articles of the shop")
		}
		if err != nil {
			return err
		}
		row := old
		row.Related, row.UpdatedBy = ids, call.Person
		if err := catalog.UpdateArticle(ctx, tx, old, row); err != nil {
			return err
		}
		views, err = viewArticles(ctx, tx.Reader, false, rows)
		return err
	})
	return api.Wrap(views), err
}

// checkRelated returns the ids without repetitions.
func checkRelated(of shop.ArticleID, ids []shop.ArticleID) ([]shop.ArticleID, error) {
	if len(ids) > maxRelated {
		return nil, errManyRelated.At("ids").With("at most 50")
	}
	if slices.Contains(ids, of) {
		return nil, errSelfRelated.At("ids").With("an article cannot be related to itself")
	}
	set := make([]shop.ArticleID, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(set, id) {
			set = append(set, id)
		}
	}
	return set, nil
}
