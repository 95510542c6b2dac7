package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	designdb "vitrine/internal/store/design"
)

var errCategoriesView = shop.Refuse(shop.InvalidArgument, "CATEGORIES_VIEW_UNKNOWN").When("view is not full or menu")

// categoryView is a section as the API shows it (document 1, 2.3).
type categoryView struct {
	ID               shop.CategoryID      `json:"id"`
	ParentID         shop.CategoryRef     `json:"parent_id"`
	RootID           shop.CategoryRef     `json:"root_id"`
	CompanyID        shop.CompanyID       `json:"company_id"`
	Name             string               `json:"name"`
	Type             compile.CategoryType `json:"type"`
	SEO              catalog.SEO          `json:"seo"`
	Order            int                  `json:"order"`
	IsPublished      bool                 `json:"is_published"`
	IsShowMenu       bool                 `json:"is_show_menu"`
	IsHome           bool                 `json:"is_home"`
	IsDeleted        bool                 `json:"is_deleted"`
	PreviewID        *uuid.UUID           `json:"preview_id"`
	Preview          *fileView            `json:"preview"`
	Description      string               `json:"description"`
	PageTemplate     string               `json:"page_template"`
	CountProducts    int                  `json:"count_products"`
	CountArticles    int                  `json:"count_articles"`
	CreatedAt        *time.Time           `json:"created_at"`
	UpdatedAt        *time.Time           `json:"updated_at"`
	CreatedBy        shop.UserID          `json:"created_by,omitempty"` // only for members, like the next one
	UpdatedBy        shop.UserID          `json:"updated_by,omitempty"`
	CommentsEnabled  triState             `json:"comments_enabled"`
	QuestionsEnabled triState             `json:"questions_enabled"`
	GalleryIDs       []shop.GalleryID     `json:"gallery_ids"`
	SidebarConfig    shop.Objects         `json:"sidebar_config"`
}

// viewCategory returns a section as visible to visitors.
func viewCategory(company shop.CompanyID, c catalog.Category) categoryView {
	created, updated := c.CreatedAt.UTC(), c.UpdatedAt.UTC()
	return categoryView{
		ID: c.ID, ParentID: shop.CategoryRef(c.Parent), RootID: shop.CategoryRef(c.Root), CompanyID: company, Name: c.Name, Type: compile.CategoryType(c.Type),
		SEO: c.SEO, Order: c.Order, IsPublished: c.IsPublished, IsShowMenu: c.IsShowMenu, IsHome: c.IsHome, IsDeleted: c.DeletedAt != nil,
		PreviewID: c.PreviewID, Preview: viewFile(c.PreviewID, c.PreviewPath), Description: c.Description, PageTemplate: c.PageTemplate,
		CountProducts: c.CountProducts, CountArticles: c.CountArticles, CreatedAt: &created, UpdatedAt: &updated,
		CommentsEnabled: triState(c.CommentsEnabled), QuestionsEnabled: triState(c.QuestionsEnabled),
		GalleryIDs: []shop.GalleryID{}, SidebarConfig: shop.Objects(c.Sidebar),
	}
}

// categoryCard is a section with its galleries.
type categoryCard struct {
	categoryView
	Galleries []galleryView `json:"galleries"`
}

// viewCategories converts sections, with the gallery data that lists show; members also see who
// wrote them.
func viewCategories(ctx context.Context, r store.Reader, visitor bool, rows []catalog.Category) ([]categoryView, error) {
	views := make([]categoryView, len(rows))
	for i, row := range rows {
		views[i] = viewCategory(r.Company, row)
		if !visitor {
			views[i].CreatedBy, views[i].UpdatedBy = row.CreatedBy, row.UpdatedBy
		}
	}
	var auto bool // only products report it
	err := galleryPreviews(ctx, r, store.EntityCategory, len(views), func(i int) galleryShow {
		v := &views[i]
		return galleryShow{int64(v.ID), &v.GalleryIDs, &v.Preview, &auto}
	})
	return views, err
}

func cardOfCategory(ctx context.Context, r store.Reader, visitor bool, row catalog.Category) (card categoryCard, err error) {
	views, err := viewCategories(ctx, r, visitor, []catalog.Category{row})
	if err != nil {
		return card, err
	}
	card.categoryView = views[0]
	card.Galleries, err = cardGalleries(ctx, r, card.GalleryIDs, nil)
	return card, err
}

type categoriesRequest struct {
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
	IsDeleted bool           `query:"filter.is_deleted" json:"-" doc:"true: deleted sections, which can be restored for 30 days; for members and keys, visitors' are ignored"`
	View      string         `query:"view" json:"-" enum:"full,menu" doc:"menu returns only the fields that a menu needs"`
}

// categories returns an api.Result[[]categoryView], for a menu already encoded.
func (c *Catalog) categories(ctx context.Context, call *api.Call, in categoriesRequest) (any, error) {
	if in.View != "" && in.View != "full" && in.View != "menu" {
		return nil, errCategoriesView.At("view").With("must be full or menu")
	}
	company, err := call.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return nil, err
	}
	r, err := call.Reader(ctx, company)
	if err != nil {
		return nil, err
	}
	visitor := call.Visitor(company)
	deleted := in.IsDeleted && !visitor
	if in.View == "menu" {
		return menu(ctx, r, visitor, deleted)
	}
	var list []catalog.Category
	if deleted {
		list, err = catalog.DeletedCategories(ctx, r)
	} else {
		list, err = catalog.Categories(ctx, r, visitor)
	}
	if err != nil {
		return nil, err
	}
	views, err := viewCategories(ctx, r, visitor, list)
	return api.Wrap(views), err
}

type categoryAnswer struct {
	Result        categoryCard     `json:"result"`
	ContentBlocks []designdb.Block `json:"content_blocks"`
}

type categoryPath struct {
	ID        shop.CategoryID `path:"id" json:"-"`
	CompanyID shop.CompanyID  `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
}

func (c *Catalog) category(ctx context.Context, call *api.Call, in categoryPath) (categoryAnswer, error) {
	return c.answer(ctx, call, in.CompanyID, func(r store.Reader, visitor bool) (catalog.Category, error) {
		return catalog.CategoryFor(ctx, r, visitor, in.ID)
	})
}

type categorySlug struct {
	Slug      string         `path:"slug" json:"-"`
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers without a key"`
}

func (c *Catalog) categoryBySlug(ctx context.Context, call *api.Call, in categorySlug) (categoryAnswer, error) {
	return c.answer(ctx, call, in.CompanyID, func(r store.Reader, visitor bool) (catalog.Category, error) {
		return catalog.CategoryBySlug(ctx, r, visitor, in.Slug)
	})
}

func (c *Catalog) answer(
	ctx context.Context, call *api.Call, named shop.CompanyID, read func(r store.Reader, visitor bool) (catalog.Category, error),
) (categoryAnswer, error) {
	company, err := call.Tenant(named, api.ErrNoCompany)
	if err != nil {
		return categoryAnswer{}, err
	}
	r, err := call.Reader(ctx, company)
	if err != nil {
		return categoryAnswer{}, err
	}
	row, err := read(r, call.Visitor(company))
	if err != nil {
		return categoryAnswer{}, err
	}
	card, err := cardOfCategory(ctx, r, call.Visitor(company), row)
	if err != nil {
		return categoryAnswer{}, err
	}
	blocks, err := designdb.AttachedBlocks(ctx, r, store.EntityCategory, int64(row.ID))
	return categoryAnswer{Result: card, ContentBlocks: blocks}, err
}
