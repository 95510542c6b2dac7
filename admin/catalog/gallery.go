package catalog

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/media"
)

// galleryPage is the default page size of the list of galleries.
const galleryPage = 50

// galleryView is a gallery as the API shows it (document 1, 2.6).
type galleryView struct {
	ID         shop.GalleryID    `json:"id"`
	Name       string            `json:"name"`
	Source     string            `json:"source" enum:"images,canvas"`
	CanvasID   shop.DocumentID   `json:"canvas_id"`
	Items      []galleryItemView `json:"items"`
	ItemsTotal int               `json:"items_total"` // number of items before a projection
	CreatedAt  time.Time         `json:"created_at"`
	UpdatedAt  time.Time         `json:"updated_at"`
}

type galleryItemView struct {
	ItemKey string      `json:"item_key"`
	Kind    galleryKind `json:"kind"`
	File    *fileView   `json:"file"`
	Poster  *fileView   `json:"poster"`
	HTML    string      `json:"html"`
	Caption string      `json:"caption"`
}

func viewGallery(g media.Gallery) galleryView {
	v := galleryView{
		ID: g.ID, Name: g.Name, Source: "images", CanvasID: g.CanvasID, Items: []galleryItemView{}, ItemsTotal: len(g.Items),
		CreatedAt: g.CreatedAt.UTC(), UpdatedAt: g.UpdatedAt.UTC(),
	}
	if g.CanvasID != 0 {
		v.Source = "canvas"
	}
	for _, i := range g.Items {
		v.Items = append(v.Items, galleryItemView{
			ItemKey: i.Key, Kind: galleryKind(i.Kind), File: viewGalleryFile(i.File), Poster: viewGalleryFile(i.Poster), HTML: i.HTML, Caption: i.Caption,
		})
	}
	return v
}

func viewGalleryFile(f *media.File) *fileView {
	if f == nil {
		return nil
	}
	return viewFile(&f.ID, f.Path)
}

// galleryEndpoints returns the endpoints of galleries (document 1, 4.5).
func (c *Catalog) galleryEndpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/galleries", Scopes: reads, Class: api.Read, Do: api.Handle(c.galleries), Summary: "A page of the galleries with their items, newest first"},
		{Method: "GET", Path: "/galleries/{id}", Scopes: reads, Class: api.Read, Errors: api.Refuses(media.ErrGalleryNotFound), Do: api.Handle(c.gallery), Summary: "One gallery with all its items"},
		{Method: "GET", Path: "/galleries/{id}/usage", Scopes: reads, Class: api.Read, Errors: api.Refuses(media.ErrGalleryNotFound), Do: api.Handle(c.galleryUsage), Summary: "The products, sections, articles and variant sets that show a gallery"},
		{Method: "POST", Path: "/galleries", Scopes: writes, Class: api.Write, MaxBody: maxGalleryBody, Errors: galleryErrors, Do: api.Handle(c.createGallery), Summary: "Create a gallery; the kind of an item follows from its file"},
		{Method: "PUT", Path: "/galleries/{id}", Edits: "/galleries/{id}", Scopes: writes, Class: api.Write, MaxBody: maxGalleryBody, Errors: galleryErrors.And(media.ErrGalleryNotFound, errGalleryManaged), Do: api.Handle(c.updateGallery), Summary: "Change name or items of a gallery; a list of items replaces all, an empty one only with items_replace"},
		{Method: "DELETE", Path: "/galleries/{id}", Scopes: writes, Class: api.Write, Errors: api.Refuses(media.ErrGalleryNotFound, media.ErrGalleryInUse), Do: api.Handle(c.deleteGallery), Summary: "Delete an unused gallery"},
	}
}

// galleryList spells its fields like the list of products (document 1, 4.5).
type galleryList struct {
	Result      []galleryView `json:"result"`
	Total       int           `json:"total"`
	CurrentPage int           `json:"currentPage"`
}

type galleriesRequest struct {
	api.Paging
}

func (c *Catalog) galleries(ctx context.Context, call *api.Call, in galleriesRequest) (out galleryList, err error) {
	number, limit, err := in.Page(galleryPage)
	if err != nil {
		return out, err
	}
	list, total, err := media.Galleries(ctx, c.store.Shop(call.Company), number, limit)
	out = galleryList{Result: []galleryView{}, Total: total, CurrentPage: number}
	for _, g := range list {
		out.Result = append(out.Result, viewGallery(g))
	}
	return out, err
}

type galleryID struct {
	ID shop.GalleryID `path:"id" json:"-"`
}

func (c *Catalog) gallery(ctx context.Context, call *api.Call, in galleryID) (api.Result[galleryView], error) {
	g, err := media.GetGallery(ctx, c.store.Shop(call.Company), in.ID)
	return api.Wrap(viewGallery(g)), err
}
