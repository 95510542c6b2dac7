package source

import (
	"encoding/json"
	"slices"

	"vitrine/compile"
	"vitrine/edge"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/render"
)

// maxBlocks bounds what one page draws, groups and their members counted, and
// maxDepth how deep groups stand in one another: a group may name itself.
const (
	maxBlocks = 200
	maxDepth  = 4
)

// node is a block on its way to the page: the places of mounts are known only
// when the final slices stand.
type node struct {
	block    render.Block
	document shop.DocumentID
	children []*node
}

// design reads what the shop put on the page: chrome and body by the bindings,
// and the page's own blocks.
func (p *page) design(c *edge.Content, ref compile.PageRef) error {
	p.uses(shop.Key{Kind: shop.KeyDesign})
	bindings, err := p.r.Bindings(p.ctx)
	if err != nil {
		return err
	}
	own, err := p.own(ref)
	if err != nil {
		return err
	}
	slots := map[string]shop.BlockID{}
	for _, slot := range []string{"header", "footer", "body"} {
		slots[slot] = bound(bindings, p.resources(ref, c.Section), slot)
	}
	l := &layer{page: p, category: c.Section, blocks: map[shop.BlockID]store.Block{}}
	if err := l.fetch(own, slots); err != nil {
		return err
	}
	layout := &render.FrameOf(c.Page).Layout
	header, footer := l.group(slots["header"]), l.group(slots["footer"])
	body := append(l.group(slots["body"]), l.list(own)...)
	layout.HideHeader, layout.HideFooter, layout.HideSystem = l.hideHeader, l.hideFooter, l.hideSystem
	if l.err != nil {
		return l.err
	}
	active, err := p.r.ActiveReleases(p.ctx, l.documents)
	if err != nil {
		return err
	}
	place := placer{active: active}
	layout.Header, layout.Footer, layout.Body = place.blocks(header), place.blocks(footer), place.blocks(body)
	c.Mounts = place.mounts
	for _, doc := range l.documents {
		p.uses(shop.Key{Kind: shop.KeyDocument, ID: int64(doc)})
	}
	return nil
}

func (p *page) own(ref compile.PageRef) ([]store.Block, error) {
	switch {
	case ref.ID == 0:
		return nil, nil
	case ref.Entity == compile.EntityCategory:
		return p.r.Attached(p.ctx, store.EntityCategory, ref.ID)
	case ref.Entity == compile.EntityArticle:
		return p.r.Attached(p.ctx, store.EntityArticle, ref.ID)
	}
	return nil, nil
}

// resource is something that slots are bound to.
type resource struct {
	kind string
	id   int64
}

// resources lists where a page looks for its slots, the nearest first: its own
// binding, then category_children of the sections above, then the shop.
func (p *page) resources(ref compile.PageRef, section shop.CategoryID) (list []resource) {
	switch ref.Entity {
	case compile.EntityCategory:
		list = append(list, resource{"category", ref.ID})
	case compile.EntityProduct:
		list = append(list, resource{"product", ref.ID})
	case compile.EntityArticle:
		list = append(list, resource{"article", ref.ID})
	}
	if ref.Entity == compile.EntityProduct && section != 0 {
		list = append(list, resource{"category_children", int64(section)})
		above := p.site.Ancestors(section)
		for _, c := range slices.Backward(above) {
			list = append(list, resource{"category_children", int64(c.ID)})
		}
	}
	return append(list, resource{"shop", 0})
}

func bound(bindings []store.Binding, from []resource, slot string) shop.BlockID {
	for _, r := range from {
		for _, b := range bindings {
			if b.Type == r.kind && b.ID == r.id && b.Slot == slot {
				return b.Group
			}
		}
	}
	return 0
}

// layer turns blocks into nodes.
type layer struct {
	page      *page
	category  shop.CategoryID // the section the page stands in, for listings without one
	blocks    map[shop.BlockID]store.Block
	documents []shop.DocumentID
	inside    []shop.BlockID // the blocks being drawn, outermost first
	drawn     int
	err       error

	hideHeader, hideFooter, hideSystem bool
}

// fetch reads the page's blocks and what they name, one query a level.
func (l *layer) fetch(own []store.Block, slots map[string]shop.BlockID) error {
	var wanted []shop.BlockID
	for _, id := range slots {
		if id != 0 {
			wanted = append(wanted, id)
		}
	}
	fresh := own
	for range maxDepth {
		for _, b := range fresh {
			l.blocks[b.ID] = b
			for _, s := range sectionsOf(b) {
				in := propsOf(s.Payload.Props)
				wanted = append(append(wanted, in.Widgets...), in.Refs...)
			}
		}
		wanted = slices.DeleteFunc(wanted, func(id shop.BlockID) bool { _, known := l.blocks[id]; return known })
		if len(wanted) == 0 || len(l.blocks) > maxBlocks {
			return nil
		}
		var err error
		if fresh, err = l.page.r.BlocksByID(l.page.ctx, wanted); err != nil {
			return err
		}
		wanted = nil
	}
	return nil
}

// sectionsOf reads a block's sections. What a shop stored is drawn as far as it
// can be read: a section that cannot draws nothing.
func sectionsOf(b store.Block) []section {
	var raw []json.RawMessage
	if json.Unmarshal(b.Sections, &raw) != nil {
		return nil
	}
	list := make([]section, len(raw))
	for i, text := range raw {
		list[i] = sectionOf(text)
	}
	return list
}

func (l *layer) group(id shop.BlockID) []*node {
	if b, ok := l.blocks[id]; ok {
		return l.block(b)
	}
	return nil
}

func (l *layer) list(blocks []store.Block) (nodes []*node) {
	for _, b := range blocks {
		nodes = append(nodes, l.block(b)...)
	}
	return nodes
}

// block draws the sections of a block. A group inside itself draws nothing.
func (l *layer) block(b store.Block) (nodes []*node) {
	if len(l.inside) > maxDepth || l.drawn > maxBlocks || slices.Contains(l.inside, b.ID) {
		return nil
	}
	l.inside = append(l.inside, b.ID)
	defer func() { l.inside = l.inside[:len(l.inside)-1] }()
	for _, s := range sectionsOf(b) {
		l.drawn++
		if n := l.section(s); n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

func (l *layer) section(s section) *node {
	in := propsOf(s.Payload.Props)
	switch s.Payload.Kind {
	case "html":
		if in.HTML.DocumentID == 0 {
			return nil
		}
		l.documents = append(l.documents, in.HTML.DocumentID)
		return &node{block: render.Block{Kind: render.BlockHTML, Boxed: in.HTML.Boxed}, document: in.HTML.DocumentID}
	case "group":
		return &node{block: render.Block{Kind: render.BlockGroup}, children: l.members(in.Widgets)}
	case "zone":
		l.hideHeader = l.hideHeader || in.HideSiteHeader
		l.hideFooter = l.hideFooter || in.HideSiteFooter
		l.hideSystem = l.hideSystem || in.HideSystemBlock
		return nil // its refs name the page's own blocks, which stand beside it
	case "breadcrumbs":
		return &node{block: render.Block{Kind: render.BlockBreadcrumbs}}
	case "pageHeading":
		return &node{block: render.Block{Kind: render.BlockPageHeading}}
	case "productListing":
		return l.productListing(in)
	case "articleGrid":
		return l.articleGrid(in)
	case "text", "":
		if text := in.Text + s.Payload.Text; s.Type == "text" && text != "" {
			return &node{block: render.Block{Kind: render.BlockText, Text: text}}
		}
	}
	return nil
}

func (l *layer) members(ids []shop.BlockID) (nodes []*node) {
	for _, id := range ids {
		if b, ok := l.blocks[id]; ok {
			nodes = append(nodes, l.block(b)...)
		}
	}
	return nodes
}

// productListing draws the listing of a section, of the page's own section, or
// of the whole shop (document 3, 2.2).
func (l *layer) productListing(in props) *node {
	f := store.ProductFilter{PublishedOnly: true, Listed: true, Sort: "created_at", Number: 1, Limit: clamp(in.Listing.Limit, 24, 100)}
	if in.Listing.Source != "shop" {
		f.Category, f.Subtree = in.Listing.CategoryID, true
		if f.Category == 0 {
			f.Category = l.category
		}
	}
	rows, err := l.page.r.Products(l.page.ctx, f)
	if err != nil {
		l.err = err
	}
	l.page.uses(shop.Key{Kind: shop.KeyProducts})
	return &node{block: render.Block{Kind: render.BlockProductListing, Products: render.ProductGrid{Products: l.page.cards(rows)}}}
}

func (l *layer) articleGrid(in props) *node {
	category := in.ArticleGrid.CategoryID
	if category == 0 {
		category = l.category
	}
	rows, _, err := l.page.r.Articles(l.page.ctx, store.ArticleFilter{
		Category: category, Subtree: true, PublishedOnly: true, Number: 1, Limit: clamp(in.ArticleGrid.Limit, 20, 48),
	})
	if err != nil {
		l.err = err
	}
	l.page.uses(shop.Key{Kind: shop.KeyArticle})
	return &node{block: render.Block{Kind: render.BlockArticleGrid, Articles: render.ArticleGrid{
		Articles: l.page.articleCards(rows), Columns: clamp(in.ArticleGrid.Columns, 3, 6),
	}}}
}

func clamp(n, fallback, most int) int {
	if n <= 0 {
		return fallback
	}
	return min(n, most)
}

// placer lays nodes out as the page's blocks and notes where documents go. A
// document without a live release draws nothing.
type placer struct {
	active map[shop.DocumentID]shop.ReleaseID
	mounts []edge.Mount
}

func (p *placer) blocks(nodes []*node) []render.Block {
	if len(nodes) == 0 {
		return nil
	}
	out := make([]render.Block, len(nodes))
	for i, n := range nodes {
		out[i] = n.block
		out[i].Group = p.blocks(n.children)
		if n.document == 0 {
			continue
		}
		if release, live := p.active[n.document]; live {
			p.mounts = append(p.mounts, edge.Mount{Release: edge.Release{Document: n.document, ID: release}, Into: &out[i]})
		} else {
			out[i].Kind = render.BlockNone
		}
	}
	return out
}
