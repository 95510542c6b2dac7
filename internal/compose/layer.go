package compose

import (
	"encoding/json"
	"slices"

	"vitrine/compile/design"
	"vitrine/compile/widget"
	"vitrine/internal/shop"
	designdb "vitrine/internal/store/design"
	"vitrine/render"
)

// node is a block while the page is being built: pointers to mounts can only be taken once the
// final slices are allocated.
type node struct {
	block    render.Block
	document shop.DocumentID
	children []*node
	aside    []*node   // of columns
	cells    [][]*node // of the widget columns
}

// layer converts blocks into nodes. The nodes get the data of the shop that they show when the
// reads have run.
type layer struct {
	page      *page
	at        design.Resource // the resource of the page
	category  shop.CategoryID // the page's section, for listings without their own
	number    int             // requested page of the listing
	paged     bool            // a grid shows the page of the address
	pages     int             // of that grid
	narrowed  bool            // a listing has the filters of the address
	blocks    map[shop.BlockID]designdb.Block
	documents []shop.DocumentID
	enclosing []shop.BlockID // the blocks being drawn, outermost first
	drawn     int
	pictures  int            // number of files to read
	reads     []func() error // of what the nodes show

	templating                         bool   // a template is being drawn, not the page's own blocks
	slot                               string // design.Header or design.Footer while it is drawn, else empty
	kit                                props  // of a chromeKit among the page's own blocks
	hideHeader, hideFooter, hideSystem bool
}

// fetch reads the page's blocks and those that they reference, with one query per level.
func (l *layer) fetch(own []designdb.Block, groups ...shop.BlockID) error {
	wanted := slices.DeleteFunc(groups, func(id shop.BlockID) bool { return id == 0 })
	fresh := own
	for range maxDepth {
		for _, b := range fresh {
			l.blocks[b.ID] = b
			for _, s := range sectionsOf(b) {
				in := propsOf(s.Payload.Props)
				wanted = append(append(wanted, in.parts()...), in.Refs...)
			}
		}
		wanted = slices.DeleteFunc(wanted, func(id shop.BlockID) bool { _, known := l.blocks[id]; return known })
		if len(wanted) == 0 || len(l.blocks) > maxBlocks {
			return nil
		}
		var err error
		if fresh, err = designdb.BlocksByID(l.page.ctx, l.page.r, wanted); err != nil {
			return err
		}
		l.page.edit(fresh)
		wanted = nil
	}
	return nil
}

// sectionsOf reads a block's sections. Stored sections may be malformed: unreadable ones draw
// nothing.
func sectionsOf(b designdb.Block) []section {
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

// template draws a page's template followed by its own blocks; those of an article go into the
// main column (document 3, 2.2).
func (l *layer) template(id shop.BlockID, article bool, own []*node) []*node {
	l.templating = true
	nodes := l.group(id)
	l.templating = false
	if len(nodes) == 0 || !article || len(own) == 0 {
		return append(nodes, own...)
	}
	text := &node{block: render.Block{Kind: render.BlockArticleText}, children: own}
	if columns := find(nodes, render.BlockColumns); columns != nil {
		columns.children = append(columns.children, text)
		return nodes
	}
	return append(nodes, text)
}

// find returns the first node of a kind among nodes and their children.
func find(nodes []*node, kind render.BlockKind) *node {
	for _, n := range nodes {
		if n.block.Kind == kind {
			return n
		}
		if found := find(n.children, kind); found != nil {
			return found
		}
	}
	return nil
}

func (l *layer) list(blocks []designdb.Block) (nodes []*node) {
	for _, b := range blocks {
		nodes = append(nodes, l.block(b)...)
	}
	return nodes
}

// block draws the sections of a block. A group inside itself draws nothing.
func (l *layer) block(b designdb.Block) (nodes []*node) {
	if len(l.enclosing) > maxDepth || l.drawn > maxBlocks || slices.Contains(l.enclosing, b.ID) {
		return nil
	}
	l.enclosing = append(l.enclosing, b.ID)
	defer func() { l.enclosing = l.enclosing[:len(l.enclosing)-1] }()
	for i, s := range sectionsOf(b) {
		l.drawn++
		if n := l.section(s); n != nil {
			n.block.Place = render.Place{Block: b.ID, Section: i}
			n.block.Wrap = wrap(s)
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
		return l.members(in)
	case "zone":
		l.hideHeader = l.hideHeader || in.HideSiteHeader
		l.hideFooter = l.hideFooter || in.HideSiteFooter
		l.hideSystem = l.hideSystem || in.HideSystemBlock
		if !l.templating && l.slot == "" {
			return nil // its refs name the page's own blocks, which are drawn anyway
		}
		return &node{block: render.Block{Kind: render.BlockGroup}, children: l.blocksOf(in.Refs)}
	case "chromeKit":
		return l.chromeKit(in)
	case "heading":
		if h := widget.ReadHeading(s.Raw); h.Text != "" {
			return &node{block: render.Block{Kind: render.BlockWidget, Widget: &render.Widget{Kind: "heading", Words: h}}}
		}
	case "breadcrumbs":
		return l.top(render.BlockBreadcrumbs)
	case "pageHeading":
		return l.top(render.BlockPageHeading)
	case "productListing":
		return l.productListing(s)
	case "articleGrid":
		return l.articleGrid(s)
	case "text", "":
		if text := in.Text + s.Payload.Text; s.Type == "text" && text != "" {
			return &node{block: render.Block{Kind: render.BlockText, Text: text, Literal: s.Payload.Origin == "builder"}}
		}
	default:
		return l.widget(s)
	}
	return nil
}

// top draws a part of the page's top layer, which the page can switch off in its template.
func (l *layer) top(kind render.BlockKind) *node {
	return l.onTop(&node{block: render.Block{Kind: kind}})
}

func (l *layer) onTop(n *node) *node {
	if l.templating && l.hideSystem {
		return nil
	}
	return n
}

// chromeKit draws the part of a kit for the current slot. A kit among the page's own blocks sets
// the page's header and footer (document 3, 2.2).
func (l *layer) chromeKit(in props) *node {
	switch ids := map[string][]shop.BlockID{design.Header: in.Kit.Top, design.Footer: in.Kit.Bottom}[l.slot]; {
	case l.slot != "":
		return &node{block: render.Block{Kind: render.BlockGroup}, children: l.blocksOf(ids)}
	case !l.templating:
		l.kit = in
	}
	return nil
}

// chrome draws the header or the footer: from the page's own kit if it has one and the page
// itself binds no group, else from the group bound to the slot.
func (l *layer) chrome(slot string, bound design.Bound, kit []shop.BlockID) []*node {
	l.slot = slot
	defer func() { l.slot = "" }()
	if len(kit) > 0 && (bound.GroupID == 0 || bound.Source != l.at) {
		return l.blocksOf(kit)
	}
	return l.group(bound.GroupID)
}

// members draws a group: its blocks in order, or in the columns of its grid.
func (l *layer) members(in props) *node {
	if len(in.Grid.Main)+len(in.Grid.Aside) == 0 {
		return &node{block: render.Block{Kind: render.BlockGroup}, children: l.blocksOf(in.Widgets)}
	}
	return &node{
		block: render.Block{Kind: render.BlockColumns}, children: l.blocksOf(in.Grid.Main), aside: l.blocksOf(in.Grid.Aside),
	}
}

func (l *layer) blocksOf(ids []shop.BlockID) (nodes []*node) {
	for _, id := range ids {
		if b, ok := l.blocks[id]; ok {
			nodes = append(nodes, l.block(b)...)
		}
	}
	return nodes
}

// placer converts nodes into the page's blocks and collects the mounts of documents. A document
// without a live release draws nothing.
type placer struct {
	active map[shop.DocumentID]shop.ReleaseID
	mounts []render.Mount
}

func (p *placer) blocks(nodes []*node) []render.Block {
	if len(nodes) == 0 {
		return nil
	}
	out := make([]render.Block, len(nodes))
	for i, n := range nodes {
		out[i] = n.block
		out[i].Group, out[i].Aside = p.blocks(n.children), p.blocks(n.aside)
		for _, cell := range n.cells {
			out[i].Widget.Cells = append(out[i].Widget.Cells, p.blocks(cell))
		}
		if n.document == 0 {
			continue
		}
		if release, live := p.active[n.document]; live {
			p.mounts = append(p.mounts, render.Mount{Release: render.Release{Document: n.document, ID: release}, Into: &out[i]})
		} else {
			out[i].Kind = render.BlockNone
		}
	}
	return out
}
