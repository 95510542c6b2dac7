package design

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	designdb "vitrine/internal/store/design"
	"vitrine/internal/store/release"
)

const maxAttached = 50

var errTooManyBlocks = shop.Refuse(shop.InvalidArgument, "TOO_MANY_BLOCKS").When("the page would have too many blocks")

// attachment places a block on a page.
type attachment struct {
	BlockID   shop.BlockID `json:"block_id" required:"always"`
	SortOrder shop.Int64   `json:"sort_order"`
}

// checkSet refuses a set of blocks that is invalid for every page, without looking the blocks up.
func checkSet(items []attachment) ([]designdb.Attachment, error) {
	if len(items) > maxAttached {
		return nil, errTooManyBlocks.At("items").With("at most 50")
	}
	set := make([]designdb.Attachment, 0, len(items))
	for n, it := range items {
		if it.SortOrder < math.MinInt32 || it.SortOrder > math.MaxInt32 {
			return nil, shop.AtEntry(shop.ErrInvalidRequest.At("sort_order").With("must fit in 32 bits"), "items", n)
		}
		if slices.ContainsFunc(set, func(a designdb.Attachment) bool { return a.BlockID == it.BlockID }) {
			return nil, shop.AtEntry(designdb.ErrDuplicateBlock.At("block_id").With("block "+it.BlockID.String()+" is listed twice"), "items", n)
		}
		set = append(set, designdb.Attachment{BlockID: it.BlockID, SortOrder: int(it.SortOrder)})
	}
	return set, nil
}

type attachToCategory struct {
	ID shop.CategoryID `path:"id" json:"-"`
	api.Basis
	Items []attachment `json:"items" required:"always" max:"50" refuse:"TOO_MANY_BLOCKS"`
}

// attachToCategory replaces the blocks of a section's page. A page without SEO texts gets those
// of the html documents that it newly mounts (document 3, 4.6.2).
func (d *Design) attachToCategory(ctx context.Context, c *api.Call, in attachToCategory) (api.Result[[]designdb.Block], error) {
	var blocks []designdb.Block
	set, err := checkSet(in.Items)
	if err != nil {
		return api.Wrap(blocks), err
	}
	err = d.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockTree(ctx); err != nil {
			return err
		}
		section, err := catalog.GetCategory(ctx, tx.Reader, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(section.UpdatedAt); err != nil {
			return err
		}
		before, err := designdb.AttachedBlocks(ctx, tx.Reader, store.EntityCategory, int64(in.ID))
		if err != nil {
			return err
		}
		if err := designdb.AttachBlocks(ctx, tx, store.EntityCategory, int64(in.ID), set); err != nil {
			return err
		}
		if blocks, err = designdb.AttachedBlocks(ctx, tx.Reader, store.EntityCategory, int64(in.ID)); err != nil {
			return err
		}
		return d.giveSEO(ctx, tx, newDocuments(before, blocks), []shop.CategoryID{in.ID})
	})
	return api.Wrap(blocks), err
}

type attachToArticle struct {
	ID shop.ArticleID `path:"id" json:"-"`
	api.Basis
	Items []attachment `json:"items" required:"always" max:"50" refuse:"TOO_MANY_BLOCKS"`
}

func (d *Design) attachToArticle(ctx context.Context, c *api.Call, in attachToArticle) (api.Result[[]designdb.Block], error) {
	var blocks []designdb.Block
	set, err := checkSet(in.Items)
	if err != nil {
		return api.Wrap(blocks), err
	}
	err = d.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		article, err := catalog.LockArticle(ctx, tx, in.ID)
		if err == nil && article.DeletedAt != nil {
			err = catalog.ErrArticleNotFound
		}
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(article.UpdatedAt); err != nil {
			return err
		}
		if err := designdb.AttachBlocks(ctx, tx, store.EntityArticle, int64(in.ID), set); err != nil {
			return err
		}
		blocks, err = designdb.AttachedBlocks(ctx, tx.Reader, store.EntityArticle, int64(in.ID))
		return err
	})
	return api.Wrap(blocks), err
}

// newDocuments lists the documents that the blocks of a page mount now and did
// not mount before.
func newDocuments(before, now []designdb.Block) []shop.DocumentID {
	mounted := map[shop.DocumentID]bool{}
	for _, b := range before {
		for _, id := range documentsIn(b) {
			mounted[id] = true
		}
	}
	var fresh []shop.DocumentID
	for _, b := range now {
		for _, id := range documentsIn(b) {
			if !mounted[id] {
				fresh = append(fresh, id)
			}
		}
	}
	return fresh
}

// mountingSection is the part of a section that mounts something: a document
// in {kind: "html", props: {html: {documentId}}} (CONTRACT, "Storefront host"),
// blocks in {kind: "group", props: {widgets}}, in columns, and in the legacy
// kinds zone and chromeKit.
type mountingSection struct {
	Payload struct {
		Kind  string `json:"kind"`
		Props struct {
			HTML struct {
				DocumentID shop.DocumentID `json:"documentId"`
			} `json:"html"`
			Widgets []shop.BlockID `json:"widgets"`
			Grid    struct {
				Main, Aside []shop.BlockID
			} `json:"grid"`
			Cells []struct {
				Widgets []shop.BlockID `json:"widgets"`
			} `json:"cells"`
			Refs []shop.BlockID `json:"refs"`
			Kit  struct {
				Top, Bottom []shop.BlockID
			} `json:"kit"`
		} `json:"props"`
	} `json:"payload"`
}

// mountsOf parses the sections of a block. It skips sections of any other form, which mount
// nothing.
func mountsOf(b designdb.Block) (list []mountingSection) {
	var raw []json.RawMessage
	if json.Unmarshal(b.Sections, &raw) != nil {
		return nil
	}
	for _, text := range raw {
		var s mountingSection
		if json.Unmarshal(text, &s) == nil {
			list = append(list, s)
		}
	}
	return list
}

// documentsIn lists the html documents that the block itself mounts.
func documentsIn(b designdb.Block) (ids []shop.DocumentID) {
	for _, s := range mountsOf(b) {
		if s.Payload.Kind == "html" && s.Payload.Props.HTML.DocumentID > 0 {
			ids = append(ids, s.Payload.Props.HTML.DocumentID)
		}
	}
	return ids
}

// membersOf lists the blocks that a group consists of.
func membersOf(b designdb.Block) (ids []shop.BlockID) {
	for _, s := range mountsOf(b) {
		switch p := s.Payload.Props; s.Payload.Kind {
		case "group":
			ids = append(ids, slices.Concat(p.Widgets, p.Grid.Main, p.Grid.Aside)...)
		case "columns":
			for _, cell := range p.Cells {
				ids = append(ids, cell.Widgets...)
			}
		case "zone":
			ids = append(ids, p.Refs...)
		case "chromeKit":
			ids = append(ids, slices.Concat(p.Kit.Top, p.Kit.Bottom)...)
		}
	}
	return ids
}

// giveSEO copies the title and description of the live releases of docs to those of the pages
// that have none.
func (d *Design) giveSEO(ctx context.Context, tx *store.Tx, docs []shop.DocumentID, pages []shop.CategoryID) error {
	if len(docs) == 0 || len(pages) == 0 {
		return nil
	}
	active, err := release.ActiveReleases(ctx, tx.Reader, docs)
	if err != nil {
		return err
	}
	for _, id := range docs { // in the order of the page: the first title wins
		if active[id] == 0 {
			continue
		}
		live, err := release.GetRelease(ctx, tx.Reader, id, active[id])
		if err != nil {
			return err
		}
		if _, err := release.FillSEO(ctx, tx, id, live.Title, live.Description, false, pages...); err != nil {
			return err
		}
	}
	return nil
}
