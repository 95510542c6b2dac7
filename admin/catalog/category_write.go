package catalog

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Refusals of categories (document 1, section 7).
var (
	errCategoryFile = shop.Refuse(shop.NotFound, "CATEGORY_FILE_NOT_FOUND").When("preview_id or seo.og_image_id is not a live picture of the shop")
	errCategoryName = shop.Refuse(shop.InvalidArgument, "CATEGORY_NAME_REQUIRED").When("name is missing or empty")
	errCategoryType = shop.Refuse(shop.InvalidArgument, "CATEGORY_TYPE_INVALID").When("type is not product, page, news or site")
)

const maxSidebar = 20

// categoryItem is a section in a request: absent fields keep their values.
type categoryItem struct {
	Name             *string               `json:"name" required:"POST"`
	Type             *compile.CategoryType `json:"type"`
	ParentID         *shop.CategoryRef     `json:"parent_id"`
	SEO              *seoItem              `json:"seo"`
	IsPublished      *bool                 `json:"is_published"`
	IsShowMenu       *bool                 `json:"is_show_menu"`
	IsHome           *bool                 `json:"is_home"`
	IsDeleted        *bool                 `json:"is_deleted"` // false restores
	PreviewID        optionalID            `json:"preview_id"`
	Description      *string               `json:"description" len:"100000"`
	PageTemplate     *string               `json:"page_template"`
	CommentsEnabled  *triState             `json:"comments_enabled"`
	QuestionsEnabled *triState             `json:"questions_enabled"`
	galleryLinks
	SidebarConfig []struct {
		Type string `json:"type"`
	} `json:"sidebar_config" doc:"deprecated: checked and dropped"`
}

// apply sets the sent fields on a row. It checks the deprecated sidebar_config and drops it.
func (i categoryItem) apply(ctx context.Context, tx *store.Tx, c *catalog.Category) error {
	api.Set(&c.Name, i.Name)
	api.Set(&c.Type, (*string)(i.Type))
	api.Set(&c.IsPublished, i.IsPublished)
	api.Set(&c.IsShowMenu, i.IsShowMenu)
	api.Set(&c.IsHome, i.IsHome)
	api.Set(&c.Description, i.Description)
	api.Set(&c.PageTemplate, i.PageTemplate)
	api.Set(&c.CommentsEnabled, (*string)(i.CommentsEnabled))
	api.Set(&c.QuestionsEnabled, (*string)(i.QuestionsEnabled))
	if i.ParentID != nil {
		if c.Parent = shop.CategoryID(*i.ParentID); int64(c.Parent) != int64(*i.ParentID) {
			return catalog.ErrCategoryNotFound.At("parent_id").With(strconv.FormatInt(int64(*i.ParentID), 10))
		}
	}
	if i.PreviewID.Set {
		c.PreviewID = i.PreviewID.ID
	}
	if err := i.check(c); err != nil {
		return err
	}
	if err := i.share(ctx, tx, maxGalleries); err != nil {
		return err
	}
	files := []namedFile{{"preview_id", i.PreviewID.ID}}
	if i.SEO != nil {
		slug := c.SEO.Slug
		if c.SEO = i.SEO.value(); c.SEO.Slug == "" {
			c.SEO.Slug = slug // a section without a slug would have no address
		}
		files = append(files, namedFile{"seo.og_image_id", c.SEO.OGImageID})
	}
	return requireFiles(ctx, tx.Reader, errCategoryFile, files...)
}

func (i categoryItem) check(c *catalog.Category) error {
	if c.Name = strings.TrimSpace(c.Name); c.Name == "" {
		return errCategoryName.At("name")
	}
	if known := compile.CategoryType("").Values(); !slices.Contains(known, c.Type) {
		return errCategoryType.At("type").With(strings.Join(known, ", "))
	}
	if len(i.SidebarConfig) > maxSidebar {
		return shop.ErrInvalidRequest.At("sidebar_config").With("at most 20 entries")
	}
	for n, entry := range i.SidebarConfig {
		if entry.Type == "" {
			return shop.AtEntry(shop.ErrInvalidRequest.At("type").With("required for every entry"), "sidebar_config", n)
		}
	}
	return checkTriStates("comments_enabled", c.CommentsEnabled, "questions_enabled", c.QuestionsEnabled)
}

type createCategory struct {
	Item categoryItem `json:"item" required:"always"`
}

func (c *Catalog) createCategory(ctx context.Context, call *api.Call, in createCategory) (out api.Result[categoryCard], err error) {
	row := catalog.Category{Type: "product", IsShowMenu: true, UpdatedBy: call.Person, Sidebar: json.RawMessage(`[]`)}
	err = c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if err := in.Item.apply(ctx, tx, &row); err != nil {
			return err
		}
		slug, explicit, err := slugFor(row.SEO.Slug, row.Name, "section")
		if err != nil {
			return shop.At(err, "seo.slug")
		}
		row.SEO.Slug = slug
		if err := catalog.InsertCategory(ctx, tx, &row, explicit); err != nil {
			return err
		}
		out.Result, err = in.Item.saved(ctx, tx, row.ID)
		return err
	})
	return out, err
}

// saved stores the links of a saved section and returns the section after the write.
func (i categoryItem) saved(ctx context.Context, tx *store.Tx, id shop.CategoryID) (card categoryCard, err error) {
	if err := i.save(ctx, tx, store.EntityCategory, int64(id)); err != nil {
		return card, err
	}
	row, err := catalog.GetCategory(ctx, tx.Reader, id)
	if err != nil {
		return card, err
	}
	return cardOfCategory(ctx, tx.Reader, false, row)
}

type updateCategory struct {
	ID shop.CategoryID `path:"id" json:"-"`
	api.Basis
	Item categoryItem `json:"item"`
}

func (c *Catalog) updateCategory(ctx context.Context, call *api.Call, in updateCategory) (out api.Result[categoryCard], err error) {
	err = c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := catalog.LockCategory(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(old.UpdatedAt); err != nil {
			return err
		}
		row := old
		row.UpdatedBy = call.Person
		if row.DeletedAt, err = store.DeletedAfterEdit(old.DeletedAt, in.Item.IsDeleted, c.now(), catalog.ErrCategoryNotFound); err != nil {
			return err
		}
		if err := in.Item.apply(ctx, tx, &row); err != nil {
			return err
		}
		if row.SEO.Slug != old.SEO.Slug {
			if row.SEO.Slug, err = shop.ParseSlug(row.SEO.Slug); err != nil {
				return shop.At(err, "seo.slug")
			}
		}
		write := func() error { return catalog.UpdateCategory(ctx, tx, old, row) }
		if call.Contour == shop.Dev || row.Parent == old.Parent && row.SEO.Slug == old.SEO.Slug {
			err = write()
		} else {
			err = c.sites.WriteWithoutLoops(ctx, tx, write)
		}
		if err != nil {
			return err
		}
		out.Result, err = in.Item.saved(ctx, tx, in.ID)
		return err
	})
	return out, err
}

type categoryID struct {
	ID shop.CategoryID `path:"id" json:"-"`
}

func (c *Catalog) deleteCategory(ctx context.Context, call *api.Call, in categoryID) (api.None, error) {
	return api.None{}, c.store.Write(ctx, call.Company, func(tx *store.Tx) error { return catalog.DeleteCategory(ctx, tx, in.ID) })
}
