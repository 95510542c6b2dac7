package design

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	designdb "vitrine/internal/store/design"
)

// Refusals of content blocks (document 3, 2.1 and 8).
var (
	errBlockName     = shop.Refuse(shop.InvalidArgument, "BLOCK_NAME_INVALID").When("name is missing or too long")
	errBlockGroup    = shop.Refuse(shop.InvalidArgument, "BLOCK_GROUP_TYPE_INVALID").When("group_type is not one of the known types")
	errBlockSections = shop.Refuse(shop.InvalidArgument, "BLOCK_SECTIONS_INVALID").When("sections is not a list of objects")
	errSectionType   = shop.Refuse(shop.InvalidArgument, "BLOCK_SECTION_TYPE_INVALID").When("the type of a section is not one of the known types")
	errBlockTooLarge = shop.Refuse(shop.InvalidArgument, "BLOCK_TOO_LARGE").When("sections exceeds 64 KB")
)

const (
	maxName     = 255
	maxSections = 50
	maxBlock    = 64 << 10 // bytes of the sections as JSON
)

var sectionTypes = []string{"image", "slideshow", "text", "video"}

// blockItem is a block as sent by the client. All fields of a section other than its type are
// stored as they are (document 3, 2.1: a 200 does not prove that they have an effect).
type blockItem struct {
	Name      *string         `json:"name" required:"POST" len:"255" refuse:"BLOCK_NAME_INVALID"`
	GroupType *shop.GroupType `json:"group_type" len:"255" refuse:"BLOCK_GROUP_TYPE_INVALID"`
	Sections  shop.Objects    `json:"sections" doc:"as /docs/widgets describes them"`
	IsDeleted *bool           `json:"is_deleted" doc:"false restores a deleted block within 30 days"`
}

// apply updates a block from the request. Absent name and group type stay unchanged; absent
// sections become empty.
func (i blockItem) apply(b *designdb.Block) (err error) {
	if i.Name != nil {
		b.Name = strings.TrimSpace(*i.Name)
	}
	if i.GroupType != nil {
		b.GroupType = *i.GroupType
	}
	if n := utf8.RuneCountInString(b.Name); n < 1 || n > maxName {
		return errBlockName.At("name").With("1 to 255 characters")
	}
	if !slices.Contains(shop.GroupTypes, b.GroupType) {
		return errBlockGroup.At("group_type").With("one of " + shop.Words(shop.GroupTypes[1:]) + ", or empty")
	}
	b.Sections, err = readSections(i.Sections)
	return err
}

// readSections validates a list of sections and returns it in the stored form.
func readSections(raw shop.Objects) (shop.Objects, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return shop.Objects("[]"), nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil || compact.Len() > maxBlock {
		return nil, errBlockTooLarge.At("sections").With("at most 64 KB as JSON; put markup into an html document")
	}
	value, err := plainJSON(compact.Bytes())
	if err != nil {
		return nil, err
	}
	list, ok := value.([]any)
	if !ok || len(list) > maxSections {
		return nil, errBlockSections.At("sections").With("a list of at most 50")
	}
	for n, v := range list {
		section, ok := v.(map[string]any)
		if !ok {
			return nil, shop.AtEntry(errBlockSections.With("a section is an object"), "sections", n)
		}
		if kind, ok := section["type"].(string); !ok || !slices.Contains(sectionTypes, kind) {
			return nil, shop.AtEntry(errSectionType.At("type").With("one of "+strings.Join(sectionTypes, ", ")), "sections", n)
		}
	}
	return json.Marshal(list)
}

type blockRequest struct {
	Item blockItem `json:"item" required:"always"`
}

func (d *Design) blocks(ctx context.Context, c *api.Call, _ api.None) (api.Result[[]designdb.Block], error) {
	list, err := designdb.Blocks(ctx, d.store.Shop(c.Company))
	return api.Wrap(list), err
}

func (d *Design) block(ctx context.Context, c *api.Call, in blockPath) (out api.Result[designdb.Block], err error) {
	found, err := designdb.BlocksByID(ctx, d.store.Shop(c.Company), []shop.BlockID{in.ID})
	if err == nil && len(found) == 0 {
		err = designdb.ErrBlockNotFound
	}
	if err == nil {
		out.Result = found[0]
	}
	return out, err
}

func (d *Design) createBlock(ctx context.Context, c *api.Call, in blockRequest) (api.Result[designdb.Block], error) {
	var b designdb.Block
	if err := in.Item.apply(&b); err != nil {
		return api.Result[designdb.Block]{}, err
	}
	err := d.store.Write(ctx, c.Company, func(tx *store.Tx) error { return designdb.InsertBlock(ctx, tx, &b) })
	return api.Wrap(b), err
}

type updateBlock struct {
	ID shop.BlockID `path:"id" json:"-"`
	api.Basis
	Item blockItem `json:"item"`
}

// updateBlock replaces a block. The change may mount a document on pages that already show the
// block; those pages get its title like pages to which a block is attached.
func (d *Design) updateBlock(ctx context.Context, c *api.Call, in updateBlock) (api.Result[designdb.Block], error) {
	var b designdb.Block
	err := d.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockTree(ctx); err != nil {
			return err
		}
		found, deleted, err := designdb.LockBlock(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(found.UpdatedAt); err != nil {
			return err
		}
		if _, err := store.DeletedAfterEdit(deleted, in.Item.IsDeleted, d.now(), designdb.ErrBlockNotFound); err != nil {
			return err
		}
		if b = found; deleted != nil && in.Item.Sections == nil {
			in.Item.Sections = b.Sections // a restore without sections keeps the old ones
		}
		before := documentsIn(b)
		if err := in.Item.apply(&b); err != nil {
			return err
		}
		if err := designdb.UpdateBlock(ctx, tx, &b); err != nil {
			return err
		}
		mounted := slices.DeleteFunc(documentsIn(b), func(id shop.DocumentID) bool { return slices.Contains(before, id) })
		if len(mounted) == 0 {
			return nil
		}
		pages, err := designdb.BlockPages(ctx, tx.Reader, b.ID)
		if err != nil {
			return err
		}
		return d.giveSEO(ctx, tx, mounted, pages)
	})
	return api.Wrap(b), err
}

type blockPath struct {
	ID shop.BlockID `path:"id" json:"-"`
}

func (d *Design) deleteBlock(ctx context.Context, c *api.Call, in blockPath) (api.None, error) {
	return api.None{}, d.store.Write(ctx, c.Company, func(tx *store.Tx) error { return designdb.DeleteBlock(ctx, tx, in.ID, d.now()) })
}
