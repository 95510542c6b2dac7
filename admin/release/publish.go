package release

import (
	"context"
	"encoding/json"

	"vitrine/admin/api"
	"vitrine/admin/intake"
	"vitrine/compile"
	"vitrine/compile/release"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/media"
	releasedb "vitrine/internal/store/release"
)

type publishRequest struct {
	releasePath
	SEOOverwrite bool `json:"seo_overwrite"` // also on pages that have a title
}

type seoView struct {
	Title       string                   `json:"title"`
	Description string                   `json:"description"`
	Pages       []releasedb.DocumentPage `json:"pages"` // the pages that were filled
}

// publishAnswer contains the URL at which the document is shown: the first page that mounts it,
// otherwise the release's own index.html; for a site folder the URL of its section.
type publishAnswer struct {
	URL         string         `json:"url"`
	Path        string         `json:"path"`
	EmbedPrefix string         `json:"embed_prefix"` // empty for site folders, whose files have no release URL
	SEO         seoView        `json:"seo"`
	Report      release.Report `json:"report"`
}

// publishOne publishes a release. The URL of a layout is the home page, where it is shown first;
// that of a site folder is its index.html.
func (h holderEndpoints) publishOne(ctx context.Context, c *api.Call, in publishRequest) (publishAnswer, error) {
	d, err := h.found(ctx, h.store.Shop(c.Company), in.ID)
	if err != nil {
		return publishAnswer{}, err
	}
	return h.publish(ctx, c, d, in.Release, in.SEOOverwrite)
}

// publish validates a release and makes it live. Two concurrent publishes both succeed, one after
// the other, and the later one remains live.
func (rs *Releases) publish(
	ctx context.Context, c *api.Call, d releasedb.Document, id shop.ReleaseID, overwrite bool,
) (out publishAnswer, err error) {
	built, err := rs.build(ctx, rs.store.Shop(c.Company), d, id)
	if err != nil {
		return out, err
	}
	if err := built.Report.Refusal(); err != nil {
		return out, err
	}
	doc := d.ID
	var made *intake.Reservation
	built.icons, made, err = rs.storeIcons(ctx, c.Company, built.Icons)
	defer made.Close(ctx)
	if err != nil {
		return out, err
	}
	if built.packed, err = rs.packFiles(ctx, rs.store.Shop(c.Company), d.Kind, built.files); err != nil {
		return out, err
	}
	err = rs.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockTree(ctx); err != nil { // pages may get the title
			return err
		}
		if _, err := releasedb.LockDocument(ctx, tx, d.Kind, doc); err != nil {
			return err
		}
		if err := rs.activate(ctx, tx, doc, id, built); err != nil {
			return err
		}
		pages := []releasedb.DocumentPage{}
		if d.Kind == shop.HTMLDocument {
			if pages, err = releasedb.FillSEO(ctx, tx, doc, built.Title, built.Description, overwrite); err != nil {
				return err
			}
		}
		out = publishAnswer{
			Report: built.Report,
			SEO:    seoView{Title: built.Title, Description: built.Description, Pages: pages},
		}
		if d.Kind != shop.SiteFolder {
			out.EmbedPrefix = shop.ReleaseRoot(doc, id)
		}
		if out.URL, out.Path, err = rs.locate(ctx, tx.Reader, d, out.EmbedPrefix); err != nil {
			return err
		}
		return made.Keep(ctx, tx)
	})
	return out, err
}

// activate changes the live release, unless the release was deleted while it was inspected or the
// shop exceeds the storage of its plan.
func (rs *Releases) activate(ctx context.Context, tx *store.Tx, doc shop.DocumentID, id shop.ReleaseID, b built) error {
	row, err := releasedb.GetRelease(ctx, tx.Reader, doc, id)
	if err != nil {
		return err
	}
	if err := keepIcons(ctx, tx, id, b.icons); err != nil {
		return err
	}
	if err := releasedb.SetReleaseFileTypes(ctx, tx, id, b.Types); err != nil {
		return err
	}
	if err := releasedb.RecordPacked(ctx, tx, b.packed); err != nil {
		return err
	}
	if used, limit, err := media.Storage(ctx, tx.Reader); err != nil {
		return err
	} else if limit > 0 && used > limit {
		return media.StorageFull(used, limit)
	}
	if row.Report, err = json.Marshal(b.Report); err != nil {
		return err
	}
	if err := media.RecordPictures(ctx, tx, id, b.Pictures); err != nil {
		return err
	}
	row.Title, row.Description, row.NoIndex = b.Title, b.Description, b.NoIndex
	return releasedb.Activate(ctx, tx, doc, row)
}

// locate returns the URL and path of the first live page that shows a document.
func (rs *Releases) locate(ctx context.Context, r store.Reader, d releasedb.Document, prefix string) (url, path string, err error) {
	company, err := company.Info(ctx, r)
	if err != nil {
		return "", "", err
	}
	switch d.Kind {
	case shop.LayoutFolder:
		return rs.urls.Storefront(company) + "/", "/", nil
	case shop.SiteFolder:
		path, err := rs.sectionPath(ctx, r, shop.CategoryID(d.Owner))
		return rs.urls.Storefront(company) + path, path, err
	}
	path = prefix + release.Index
	pages, err := releasedb.PagesMounting(ctx, r, d.ID)
	if err != nil {
		return "", "", err
	}
	if len(pages) > 0 {
		site, err := load.Tree(ctx, r, rs.hosts)
		if err != nil {
			return "", "", err
		}
		for _, id := range pages {
			if at := site.URL(compile.PageRef{Entity: compile.EntityCategory, ID: int64(id)}); at != "" {
				path = at
				break
			}
		}
	}
	return rs.urls.Storefront(company) + path, path, nil
}

// validate inspects a release without publishing it.
func (h holderEndpoints) validate(ctx context.Context, c *api.Call, in releasePath) (api.Result[release.Report], error) {
	r := h.store.Shop(c.Company)
	d, err := h.found(ctx, r, in.ID)
	if err != nil {
		return api.Result[release.Report]{}, err
	}
	built, err := h.build(ctx, r, d, in.Release)
	return api.Wrap(built.Report), err
}
