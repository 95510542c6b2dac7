package sitefile

import (
	"context"
	"errors"
	"strings"

	"vitrine/admin/api"
	"vitrine/compile/markup"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
	"vitrine/internal/store/sitefile"
)

type createSiteFile struct {
	CategoryID  shop.Int64 `json:"category_id" doc:"0: the root of the host"`
	Name        string     `json:"name" required:"always" len:"130" refuse:"INVALID_REQUEST"`
	Body        string     `json:"body" len:"body"`
	IsPublished bool       `json:"is_published"`
	InSitemap   bool       `json:"in_sitemap"`
}

func (s *SiteFiles) createSiteFile(ctx context.Context, c *api.Call, in createSiteFile) (out fullFileView, err error) {
	f := sitefile.SiteFile{Name: in.Name, Body: in.Body, IsPublished: in.IsPublished, InSitemap: in.InSitemap}
	if err := checkName("name", in.Name); err != nil {
		return out, err
	}
	if err := checkText(&f); err != nil {
		return out, err
	}
	err = s.writeFiles(ctx, c, func(tx *store.Tx) error {
		if f.Category, err = placeOf(ctx, tx, in.CategoryID); err != nil {
			return err
		}
		if err := checkPlace(f.Category, f.Name); err != nil {
			return err
		}
		company, err := company.Info(ctx, tx.Reader)
		if err != nil {
			return err
		}
		limit := company.Limits[store.LimitSiteFiles]
		if err := sitefile.Insert(ctx, tx, &f, limit, c.Person); err != nil {
			if errors.Is(err, sitefile.ErrLimit) {
				err = sitefile.ErrLimit.With(limitReached(limit))
			}
			return err
		}
		out, err = s.shown(ctx, tx, f)
		return err
	})
	return out, err
}

type updateSiteFile struct {
	ID shop.SiteFileID `path:"id" json:"-"`
	api.Basis
	CategoryID  *shop.Int64 `json:"category_id" doc:"moves the file; 0: the root of the host"`
	Name        *string     `json:"name" len:"130" refuse:"INVALID_REQUEST"`
	Body        *string     `json:"body" len:"body"`
	IsPublished *bool       `json:"is_published"`
	InSitemap   *bool       `json:"in_sitemap"`
	KnowVersion shop.Int64  `json:"know_version" doc:"the row_version that the change is based on; 0 skips the check"`
}

func (s *SiteFiles) updateSiteFile(ctx context.Context, c *api.Call, in updateSiteFile) (out fullFileView, err error) {
	err = s.writeFiles(ctx, c, func(tx *store.Tx) error {
		f, err := sitefile.Lock(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(f.UpdatedAt); err != nil {
			return err
		}
		if in.KnowVersion != 0 && int64(in.KnowVersion) != f.Version {
			return sitefile.ErrNotCurrent.With("row_version is " + shop.Int64(f.Version).String())
		}
		if err := in.apply(ctx, tx, &f); err != nil {
			return err
		}
		if err := sitefile.Update(ctx, tx, &f, c.Person); err != nil {
			return err
		}
		out, err = s.shown(ctx, tx, f)
		return err
	})
	return out, err
}

// apply applies the sent fields to a file and validates the changed ones.
func (in updateSiteFile) apply(ctx context.Context, tx *store.Tx, f *sitefile.SiteFile) error {
	if in.Name != nil {
		f.Name = *in.Name
		if err := checkName("name", f.Name); err != nil {
			return err
		}
	}
	if in.Body != nil {
		f.Body = *in.Body
	}
	if in.Body != nil || in.Name != nil { // the name determines the format
		if err := checkText(f); err != nil {
			return err
		}
	}
	if in.CategoryID != nil {
		to, err := placeOf(ctx, tx, *in.CategoryID)
		if err != nil {
			return err
		}
		f.Category = to
	}
	if in.CategoryID != nil || in.Name != nil {
		if err := checkPlace(f.Category, f.Name); err != nil {
			return err
		}
	}
	api.Set(&f.IsPublished, in.IsPublished)
	api.Set(&f.InSitemap, in.InSitemap)
	return nil
}

// checkText validates the body of a file and records whether search engines may index it.
func checkText(f *sitefile.SiteFile) error {
	f.NoIndex = strings.HasSuffix(f.Name, ".html") && markup.NoIndex([]byte(f.Body))
	return checkBody(f.Name, f.Body)
}

func (s *SiteFiles) deleteSiteFile(ctx context.Context, c *api.Call, in siteFileID) (out api.None, err error) {
	return out, s.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		return sitefile.Delete(ctx, tx, in.ID, c.Person)
	})
}

// writeFiles runs a change of site files under the lock of the sections.
func (s *SiteFiles) writeFiles(ctx context.Context, c *api.Call, change func(*store.Tx) error) error {
	return s.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockTree(ctx); err != nil {
			return err
		}
		return change(tx)
	})
}

// placeOf returns the section that a file is put into: an existing one, or 0 for the home
// category, which is the root (document 3, 2.5).
func placeOf(ctx context.Context, tx *store.Tx, id shop.Int64) (shop.CategoryID, error) {
	section, err := sectionOf(id)
	if err == nil && section != 0 {
		var row catalog.Category
		if row, err = catalog.GetCategory(ctx, tx.Reader, section); err == nil && row.IsHome {
			section = 0
		}
	}
	if errors.Is(err, errNoSection) || errors.Is(err, catalog.ErrCategoryNotFound) {
		return 0, sitefile.ErrCategory.With("category_id " + id.String())
	}
	return section, err
}

// shown returns a file that was just written.
func (s *SiteFiles) shown(ctx context.Context, tx *store.Tx, f sitefile.SiteFile) (fullFileView, error) {
	tree, err := load.Tree(ctx, tx.Reader, s.hosts)
	if err != nil {
		return fullFileView{}, err
	}
	return viewFull(f, tree)
}
