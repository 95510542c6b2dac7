package catalog

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of categories (document 1, section 7).
var (
	errCategoryFile   = shop.Refuse(shop.NotFound, "CATEGORY_FILE_NOT_FOUND")
	errCategoryName   = shop.Refuse(shop.InvalidArgument, "CATEGORY_NAME_REQUIRED")
	errCategoryType   = shop.Refuse(shop.InvalidArgument, "CATEGORY_TYPE_INVALID")
	errCategoriesView = shop.Refuse(shop.InvalidArgument, "CATEGORIES_VIEW_UNKNOWN")
)

var categoryTypes = []string{"product", "page", "news", "site"}

const maxSidebar = 20

// categoryView is a section as the API shows it (document 1, 2.3).
type categoryView struct {
	ID               shop.CategoryID  `json:"id"`
	ParentID         shop.CategoryRef `json:"parent_id"`
	RootID           shop.CategoryRef `json:"root_id"`
	CompanyID        shop.CompanyID   `json:"company_id"`
	Name             string           `json:"name"`
	Type             string           `json:"type"`
	SEO              store.SEO        `json:"seo"`
	Order            int              `json:"order"`
	IsPublished      bool             `json:"is_published"`
	IsShowMenu       bool             `json:"is_show_menu"`
	IsHome           bool             `json:"is_home"`
	IsDeleted        bool             `json:"is_deleted"`
	PreviewID        *uuid.UUID       `json:"preview_id"`
	Preview          *fileView        `json:"preview"`
	Description      string           `json:"description"`
	PageTemplate     string           `json:"page_template"`
	CountProducts    int              `json:"count_products"`
	CountArticles    int              `json:"count_articles"`
	CreatedAt        *time.Time       `json:"created_at"`
	UpdatedAt        *time.Time       `json:"updated_at"`
	CreatedBy        shop.UserID      `json:"created_by"`
	UpdatedBy        shop.UserID      `json:"updated_by"`
	CommentsEnabled  string           `json:"comments_enabled"`
	QuestionsEnabled string           `json:"questions_enabled"`
	GalleryIDs       []shop.GalleryID `json:"gallery_ids"`
	SidebarConfig    json.RawMessage  `json:"sidebar_config"`
}

func viewCategory(company shop.CompanyID, c store.Category) categoryView {
	created, updated := c.CreatedAt.UTC(), c.UpdatedAt.UTC()
	return categoryView{
		ID: c.ID, ParentID: shop.CategoryRef(c.Parent), RootID: shop.CategoryRef(c.Root), CompanyID: company, Name: c.Name, Type: c.Type,
		SEO: c.SEO, Order: c.Order, IsPublished: c.IsPublished, IsShowMenu: c.IsShowMenu, IsHome: c.IsHome, IsDeleted: c.DeletedAt != nil,
		PreviewID: c.PreviewID, Preview: viewFile(c.PreviewID, c.PreviewPath), Description: c.Description, PageTemplate: c.PageTemplate,
		CountProducts: c.CountProducts, CountArticles: c.CountArticles, CreatedAt: &created, UpdatedAt: &updated,
		CreatedBy: c.CreatedBy, UpdatedBy: c.UpdatedBy, CommentsEnabled: c.CommentsEnabled, QuestionsEnabled: c.QuestionsEnabled,
		GalleryIDs: []shop.GalleryID{}, SidebarConfig: c.Sidebar,
	}
}

// menuOnly empties what view=menu does not fill (document 1, 4.3).
func (v categoryView) menuOnly() categoryView {
	menu := categoryView{
		ID: v.ID, ParentID: v.ParentID, Name: v.Name, Type: v.Type, SEO: store.SEO{Slug: v.SEO.Slug}, Order: v.Order, IsPublished: v.IsPublished,
		IsShowMenu: v.IsShowMenu, IsHome: v.IsHome, IsDeleted: v.IsDeleted, CountArticles: v.CountArticles, SidebarConfig: v.SidebarConfig,
	}
	if v.Preview != nil {
		menu.Preview = &fileView{URL: v.Preview.URL}
	}
	return menu
}

type categoriesRequest struct {
	CompanyID shop.CompanyID `query:"company_id" json:"-"`
	View      string         `query:"view" json:"-"`
}

func (c *Catalog) categories(ctx context.Context, call *api.Call, in categoriesRequest) (api.Result[[]categoryView], error) {
	var none api.Result[[]categoryView]
	if in.View != "" && in.View != "full" && in.View != "menu" {
		return none, errCategoriesView.With("full or menu")
	}
	company, err := call.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return none, err
	}
	list, err := c.store.Shop(company).Categories(ctx, call.Visitor(company))
	if err != nil {
		return none, err
	}
	views := make([]categoryView, len(list))
	for i, row := range list {
		views[i] = viewCategory(company, row)
		if in.View == "menu" {
			views[i] = views[i].menuOnly()
		}
	}
	return api.Wrap(views), nil
}

type categoryAnswer struct {
	Result        categoryView  `json:"result"`
	ContentBlocks []store.Block `json:"content_blocks"`
}

type categoryPath struct {
	ID        shop.CategoryID `path:"id" json:"-"`
	CompanyID shop.CompanyID  `query:"company_id" json:"-"`
}

func (c *Catalog) category(ctx context.Context, call *api.Call, in categoryPath) (categoryAnswer, error) {
	company, err := call.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return categoryAnswer{}, err
	}
	row, err := c.store.Shop(company).Category(ctx, in.ID)
	return c.answer(ctx, call, company, row, err)
}

type categorySlug struct {
	Slug      string         `path:"slug" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-"`
}

func (c *Catalog) categoryBySlug(ctx context.Context, call *api.Call, in categorySlug) (categoryAnswer, error) {
	company, err := call.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return categoryAnswer{}, err
	}
	row, err := c.store.Shop(company).CategoryBySlug(ctx, in.Slug)
	return c.answer(ctx, call, company, row, err)
}

func (c *Catalog) answer(ctx context.Context, call *api.Call, company shop.CompanyID, row store.Category, err error) (categoryAnswer, error) {
	if err == nil && call.Visitor(company) && !row.IsPublished {
		err = store.ErrCategoryNotFound
	}
	if err != nil {
		return categoryAnswer{}, err
	}
	blocks, err := c.store.Shop(company).Attached(ctx, store.EntityCategory, int64(row.ID))
	return categoryAnswer{Result: viewCategory(company, row), ContentBlocks: blocks}, err
}

// categoryItem is what may be sent of a section: absent fields stay.
type categoryItem struct {
	Name             *string           `json:"name"`
	Type             *string           `json:"type"`
	ParentID         *shop.CategoryRef `json:"parent_id"`
	SEO              *seoItem          `json:"seo"`
	IsPublished      *bool             `json:"is_published"`
	IsShowMenu       *bool             `json:"is_show_menu"`
	IsHome           *bool             `json:"is_home"`
	IsDeleted        *bool             `json:"is_deleted"` // false restores
	PreviewID        optionalID        `json:"preview_id"`
	Description      *string           `json:"description"`
	PageTemplate     *string           `json:"page_template"`
	CommentsEnabled  *string           `json:"comments_enabled"`
	QuestionsEnabled *string           `json:"questions_enabled"`
	SidebarConfig    []struct {
		Type string `json:"type"`
	} `json:"sidebar_config"`
}

// apply writes the sent fields over a row. The deprecated sidebar_config is
// checked and dropped.
func (i categoryItem) apply(ctx context.Context, r store.Reader, c *store.Category) error {
	set(&c.Name, i.Name)
	set(&c.IsPublished, i.IsPublished)
	set(&c.IsShowMenu, i.IsShowMenu)
	set(&c.IsHome, i.IsHome)
	set(&c.Description, i.Description)
	set(&c.PageTemplate, i.PageTemplate)
	set(&c.CommentsEnabled, i.CommentsEnabled)
	set(&c.QuestionsEnabled, i.QuestionsEnabled)
	if i.ParentID != nil {
		if c.Parent = shop.CategoryID(*i.ParentID); int64(c.Parent) != int64(*i.ParentID) {
			return store.ErrCategoryNotFound
		}
	}
	if i.PreviewID.Set {
		c.PreviewID = i.PreviewID.ID
	}
	if len(i.SidebarConfig) > maxSidebar {
		return shop.ErrInvalidRequest.With("sidebar_config holds at most 20")
	}
	if c.Name = strings.TrimSpace(c.Name); c.Name == "" {
		return errCategoryName
	}
	if err := checkTriStates(c.CommentsEnabled, c.QuestionsEnabled); err != nil {
		return err
	}
	files := []*uuid.UUID{i.PreviewID.ID}
	if i.SEO != nil {
		slug := c.SEO.Slug
		if c.SEO = i.SEO.value(); c.SEO.Slug == "" {
			c.SEO.Slug = slug // a section without a slug would have no address at all
		}
		files = append(files, c.SEO.OGImageID)
	}
	return requireFiles(ctx, r, errCategoryFile, files...)
}

func set[T any](field *T, sent *T) {
	if sent != nil {
		*field = *sent
	}
}

type createCategory struct {
	Item categoryItem `json:"item"`
}

func (c *Catalog) createCategory(ctx context.Context, call *api.Call, in createCategory) (api.Result[categoryView], error) {
	var out api.Result[categoryView]
	row := store.Category{Type: "product", IsShowMenu: true, UpdatedBy: call.Person, Sidebar: json.RawMessage(`[]`)}
	set(&row.Type, in.Item.Type)
	if !slices.Contains(categoryTypes, row.Type) {
		return out, errCategoryType.With(strings.Join(categoryTypes, ", "))
	}
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if err := in.Item.apply(ctx, tx.Reader, &row); err != nil {
			return err
		}
		slug, explicit, err := slugFor(row.SEO.Slug, row.Name, "section")
		if err != nil {
			return err
		}
		row.SEO.Slug = slug
		if err := tx.InsertCategory(ctx, &row, explicit); err != nil {
			return err
		}
		row, err = tx.Category(ctx, row.ID)
		return err
	})
	return api.Wrap(viewCategory(call.Company, row)), err
}

type updateCategory struct {
	ID   shop.CategoryID `path:"id" json:"-"`
	Item categoryItem    `json:"item"`
}

func (c *Catalog) updateCategory(ctx context.Context, call *api.Call, in updateCategory) (api.Result[categoryView], error) {
	var row store.Category
	err := c.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		old, err := tx.LockCategory(ctx, in.ID)
		if err == nil && old.DeletedAt != nil {
			err = c.restoreCategory(ctx, tx, old, in.Item)
		}
		if err != nil {
			return err
		}
		row = old
		row.UpdatedBy = call.Person
		if err := in.Item.apply(ctx, tx.Reader, &row); err != nil {
			return err
		}
		if row.SEO.Slug != old.SEO.Slug {
			if row.SEO.Slug, err = shop.ParseSlug(row.SEO.Slug); err != nil {
				return err
			}
		}
		if err := tx.UpdateCategory(ctx, old, row); err != nil {
			return err
		}
		row, err = tx.Category(ctx, in.ID)
		return err
	})
	return api.Wrap(viewCategory(call.Company, row)), err
}

// restoreCategory brings a section back below its old parent or a new one, which
// must be there.
func (c *Catalog) restoreCategory(ctx context.Context, tx *store.Tx, old store.Category, item categoryItem) error {
	if _, err := c.restored(old.DeletedAt, item.IsDeleted, store.ErrCategoryNotFound); err != nil {
		return err
	}
	if old.Parent != 0 && item.ParentID == nil {
		if _, err := tx.Category(ctx, old.Parent); err != nil {
			return err
		}
	}
	return tx.RestoreCategory(ctx, old)
}

type categoryID struct {
	ID shop.CategoryID `path:"id" json:"-"`
}

func (c *Catalog) deleteCategory(ctx context.Context, call *api.Call, in categoryID) (api.None, error) {
	return api.None{}, c.store.Write(ctx, call.Company, func(tx *store.Tx) error { return tx.DeleteCategory(ctx, in.ID) })
}
