package compose

import (
	"cmp"
	"errors"
	"slices"

	"vitrine/compile/design"
	"vitrine/compile/icon"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	designdb "vitrine/internal/store/design"
	"vitrine/internal/store/release"
	"vitrine/render"
)

// maxBlocks limits the blocks drawn on a page, groups and their members included. maxDepth limits
// the nesting of groups, since a group may contain itself.
const (
	maxBlocks = 200
	maxDepth  = 4
)

// plan is what the design of a page begins with.
type plan struct {
	of       design.Resource
	bindings design.Bindings
	own      []designdb.Block // of the page
}

// plan reads the plan of a resource once.
func (p *page) plan(of design.Resource) error {
	if p.planned != nil && p.planned.of == of {
		return nil
	}
	p.uses(shop.Key{Kind: shop.KeyDesign})
	read := &plan{of: of}
	err := p.together(
		func() (err error) { read.bindings, err = load.Design(p.ctx, p.r); return err },
		func() (err error) { read.own, err = p.own(of); return err },
	)
	p.planned = read
	return err
}

// replaces reports whether a template of the shop replaces what the platform draws on the page
// with the plan.
func (p *page) replaces(at place) bool {
	_, replaces := p.planned.bindings.Template(at.of, at.above, at.special)
	return replaces
}

// design reads what the shop placed on the page: header, footer and template by the bindings, the
// page's own blocks, and the assets of its layout.
func (p *page) design(c *render.Content, at place) error {
	if err := p.plan(at.of); err != nil {
		return err
	}
	return p.together(
		func() error { return p.draw(c, at) },
		func() error { return p.layout(c, &render.FrameOf(c.Page).Layout, p.planned.bindings.Layout) },
	)
}

// draw reads the blocks of a page and lays them out.
func (p *page) draw(c *render.Content, at place) error {
	bindings, own := p.planned.bindings, p.planned.own
	resolved := bindings.Resolve(at.of, at.above)
	template, replaces := bindings.Template(at.of, at.above, at.special)
	header, footer := resolved[design.Header], resolved[design.Footer]
	l := &layer{page: p, at: at.of, category: p.section, number: at.number, blocks: map[shop.BlockID]designdb.Block{}}
	if err := l.fetch(own, header.GroupID, footer.GroupID, template); err != nil {
		return err
	}
	layout := &render.FrameOf(c.Page).Layout
	ownNodes := l.list(own) // first: it sets the flags of __page:top
	if a, ok := c.Page.(*render.ArticlePage); ok && len(a.Article.Gallery)+len(a.Article.Media) > 0 {
		ownNodes = append(ownNodes, &node{block: render.Block{Kind: render.BlockAlbum}})
	}
	body := l.template(template, at.special == design.BodyArticle, ownNodes)
	top, bottom := l.chrome(design.Header, header, l.kit.Kit.Top), l.chrome(design.Footer, footer, l.kit.Kit.Bottom)
	layout.HideHeader, layout.HideFooter, layout.HideSystem = l.hideHeader, l.hideFooter, l.hideSystem
	layout.Template = replaces
	var active map[shop.DocumentID]shop.ReleaseID
	l.read(func() (err error) { active, err = release.ActiveReleases(p.ctx, p.r, l.documents); return err })
	if err := p.together(l.reads...); err != nil {
		return err
	}
	render.FrameOf(c.Page).Pages = l.pages
	if at.number > max(l.pages, 1) && (l.pages > 0 || !listing(c.Page)) {
		return shop.ErrNotFound
	}
	if l.pages > 0 && layout.Template { // else the page has the pages of the platform's list
		switch page := c.Page.(type) {
		case *render.Rubric:
			page.Paging = render.Paging{Current: at.number, Pages: l.pages}
		case *render.Listing:
			page.Paging = render.Paging{Current: at.number, Pages: l.pages, Narrow: p.want.Narrow}
		}
	}
	place := placer{active: active}
	layout.Header, layout.Footer, layout.Body = place.blocks(top), place.blocks(bottom), place.blocks(body)
	c.Mounts = place.mounts
	for _, doc := range l.documents {
		p.uses(shop.Key{Kind: shop.KeyDocument, ID: int64(doc)})
	}
	return nil
}

// listing reports whether a page has pages without any grid of its blocks.
func listing(page render.Page) bool {
	switch page.(type) {
	case *render.Rubric, *render.Listing:
		return true
	}
	return false
}

// layout adds the assets of the layout's folder to a page: a release that the edge compiles, and
// the icons generated from its image.
func (p *page) layout(c *render.Content, layout *render.Layout, group shop.BlockID) error {
	if group == 0 {
		return nil
	}
	d, err := release.DocumentOf(p.ctx, p.r, shop.LayoutFolder, int64(group))
	if errors.Is(err, release.ErrDocumentNotFound) {
		return nil // its first release invalidates KeyDesign
	}
	if err != nil {
		return err
	}
	p.uses(shop.Key{Kind: shop.KeyDocument, ID: int64(d.ID)})
	if d.Active == 0 {
		return nil
	}
	c.Layout = render.Release{Document: d.ID, ID: d.Active}
	files, err := release.ReleaseFiles(p.ctx, p.r, d.Active)
	for _, size := range icon.Sizes {
		path := icon.Path(size)
		if slices.ContainsFunc(files, func(f release.ReleaseFile) bool { return f.Path == path }) {
			layout.Icons = append(layout.Icons, render.Icon{Path: shop.ReleaseRoot(d.ID, d.Active) + path, Size: size})
		}
	}
	return err
}

// own returns the page's own blocks, in the order of the refs in the manifest block __page:top;
// unlisted ones come last (document 3, 2.2).
func (p *page) own(at design.Resource) (blocks []designdb.Block, err error) {
	switch {
	case at.ID == 0:
		return nil, nil
	case at.Type == design.Category:
		blocks, err = designdb.AttachedBlocks(p.ctx, p.r, store.EntityCategory, int64(at.ID))
	case at.Type == design.Article:
		blocks, err = designdb.AttachedBlocks(p.ctx, p.r, store.EntityArticle, int64(at.ID))
	}
	p.edit(blocks)
	var refs []shop.BlockID
	for _, b := range blocks {
		for _, s := range sectionsOf(b) {
			if s.Payload.Kind == "zone" {
				refs = append(refs, propsOf(s.Payload.Props).Refs...)
			}
		}
	}
	rank := func(b designdb.Block) int {
		if at := slices.Index(refs, b.ID); at >= 0 {
			return at
		}
		return len(refs)
	}
	slices.SortStableFunc(blocks, func(a, b designdb.Block) int { return cmp.Compare(rank(a), rank(b)) })
	return blocks, err
}

// edit gives blocks the sections that somebody is about to save.
func (p *page) edit(blocks []designdb.Block) {
	for i := range blocks {
		if sections, ok := p.unsaved[blocks[i].ID]; ok {
			blocks[i].Sections = sections
		}
	}
}

// place is the position of a page among the resources that slots are bound to.
type place struct {
	of      design.Resource
	above   []shop.CategoryID // of a product: its section and the ancestors of that, nearest first
	special string            // the additional body slot of rubrics and articles
	number  int               // page of a listing, from 1
}

// systemPage is the place of the platform's own pages: guarded zones, the 404.
var systemPage = place{of: design.Resource{Type: design.System}, number: 1}

// placeOf returns the place of a section, product or article.
func (p *page) placeOf(kind shop.ResourceType, id int64, section shop.CategoryID, number int) place {
	at := place{of: design.Resource{Type: kind, ID: shop.Int64(id)}, number: number}
	switch kind {
	case design.Product:
		if section != 0 {
			at.above = append(at.above, section)
			for _, c := range slices.Backward(p.site.Ancestors(section)) {
				at.above = append(at.above, c.ID)
			}
		}
	case design.Article:
		at.special = design.BodyArticle
	}
	return at
}
