package catalog

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

type articleRequest struct {
	Item articleItem `json:"item" required:"always"`
}

func (c *Catalog) createArticle(ctx context.Context, call *api.Call, in articleRequest) (api.Result[articleCard], error) {
	var view articleCard
	row := catalog.Article{Author: catalog.Author{Mode: "none"}, UpdatedBy: call.Person}
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if err := in.Item.apply(ctx, tx, &row); err != nil {
			return err
		}
		slug, explicit, err := slugFor(row.SEO.Slug, row.Title, "article")
		if err != nil {
			return err
		}
		row.SEO.Slug = slug
		if err := catalog.InsertArticle(ctx, tx, &row, explicit); err != nil {
			return err
		}
		if err := seedBody(ctx, tx, row.ID); err != nil {
			return err
		}
		if err := in.Item.save(ctx, tx, store.EntityArticle, int64(row.ID)); err != nil {
			return err
		}
		view, err = savedArticle(ctx, tx, row.ID)
		return err
	})
	return api.Wrap(view), err
}

type updateArticle struct {
	ID shop.ArticleID `path:"id" json:"-"`
	api.Basis
	Item articleItem `json:"item"`
}

func (c *Catalog) updateArticle(ctx context.Context, call *api.Call, in updateArticle) (api.Result[articleCard], error) {
	var view articleCard
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := catalog.LockArticle(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(old.UpdatedAt); err != nil {
			return err
		}
		row := old
		row.UpdatedBy = call.Person
		if row.DeletedAt, err = store.DeletedAfterEdit(old.DeletedAt, in.Item.IsDeleted, c.now(), catalog.ErrArticleNotFound); err != nil {
			return err
		}
		if err := in.Item.apply(ctx, tx, &row); err != nil {
			return err
		}
		if row.SEO.Slug != old.SEO.Slug {
			if row.SEO.Slug, err = shop.ParseSlug(row.SEO.Slug); err != nil {
				return err
			}
		}
		if err := catalog.UpdateArticle(ctx, tx, old, row); err != nil {
			return err
		}
		if err := in.Item.save(ctx, tx, store.EntityArticle, int64(in.ID)); err != nil {
			return err
		}
		view, err = savedArticle(ctx, tx, in.ID)
		return err
	})
	return api.Wrap(view), err
}

type articleID struct {
	ID shop.ArticleID `path:"id" json:"-"`
}

func (c *Catalog) deleteArticle(ctx context.Context, call *api.Call, in articleID) (api.None, error) {
	return api.None{}, c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := lockLivingArticle(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		gone, now := old, c.now()
		gone.DeletedAt, gone.UpdatedBy = &now, call.Person
		return catalog.UpdateArticle(ctx, tx, old, gone)
	})
}

// lockLivingArticle locks and returns an article that is not deleted.
func lockLivingArticle(ctx context.Context, tx *store.Tx, id shop.ArticleID) (catalog.Article, error) {
	a, err := catalog.LockArticle(ctx, tx, id)
	if err == nil && a.DeletedAt != nil {
		err = catalog.ErrArticleNotFound
	}
	return a, err
}
