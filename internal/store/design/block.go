package design

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of content blocks (document 1, section 7).
var (
	ErrBlockNotFound  = shop.Refuse(shop.NotFound, "BLOCK_NOT_FOUND").When("no content block of the shop has this id")
	ErrDuplicateBlock = shop.Refuse(shop.InvalidArgument, "DUPLICATE_BLOCK_IN_SET").When("the list names one block twice")
)

// Block is a content block; a block with a group type is a group of blocks (document 3,
// 2.1).
type Block struct {
	ID        shop.BlockID   `json:"id"`
	Name      string         `json:"name"`
	GroupType shop.GroupType `json:"group_type"`
	Sections  shop.Objects   `json:"sections"`
	UpdatedAt time.Time      `json:"updated_at"`
	SortOrder int            `json:"sort_order"` // among the blocks of its owner, if it has one
}

const blockColumns = `b.id, b.name, b.group_type, b.sections, b.updated_at`

// Blocks lists the blocks of the shop that are not deleted.
func Blocks(ctx context.Context, r store.Reader) ([]Block, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+blockColumns+`, 0 FROM content_block b WHERE b.company_id = $1 AND b.deleted_at IS NULL ORDER BY b.id`, r.Company)
	return collectBlocks(rows, err)
}

// BlocksByID reads some blocks, in no particular order; missing ones are left out.
func BlocksByID(ctx context.Context, r store.Reader, ids []shop.BlockID) ([]Block, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+blockColumns+`, 0 FROM content_block b WHERE b.company_id = $1 AND b.id = ANY($2) AND b.deleted_at IS NULL`, r.Company, ids)
	return collectBlocks(rows, err)
}

// AttachedBlocks lists the blocks of a category or article in their order.
func AttachedBlocks(ctx context.Context, r store.Reader, owner int16, id int64) ([]Block, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+blockColumns+`, l.sort_order FROM block_link l JOIN content_block b ON b.company_id = $1 AND b.id = l.block_id
		WHERE l.company_id = $1 AND l.owner = $2 AND l.owner_id = $3 AND b.deleted_at IS NULL ORDER BY l.sort_order, b.id`, r.Company, owner, id)
	return collectBlocks(rows, err)
}

func collectBlocks(rows pgx.Rows, err error) ([]Block, error) {
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Block])
	if list == nil {
		list = []Block{}
	}
	return list, err
}

// InsertBlock adds a block.
func InsertBlock(ctx context.Context, tx *store.Tx, b *Block) error {
	tx.Changed(shop.Key{Kind: shop.KeyDesign})
	return tx.DB.QueryRow(ctx, `INSERT INTO content_block (company_id, name, group_type, sections) VALUES ($1, $2, $3, $4) RETURNING id, updated_at`,
		tx.Company, b.Name, b.GroupType, b.Sections).Scan(&b.ID, &b.UpdatedAt)
}

// LockBlock reads and locks a block for update and returns when it was deleted: an owner
// may restore it.
func LockBlock(ctx context.Context, tx *store.Tx, id shop.BlockID) (b Block, deleted *time.Time, err error) {
	err = tx.DB.QueryRow(ctx, `
		SELECT `+blockColumns+`, b.deleted_at FROM content_block b WHERE b.company_id = $1 AND b.id = $2 FOR UPDATE`, tx.Company, id).
		Scan(&b.ID, &b.Name, &b.GroupType, &b.Sections, &b.UpdatedAt, &deleted)
	if store.NoRow(err) {
		err = ErrBlockNotFound
	}
	return b, deleted, err
}

// UpdateBlock replaces a locked block. A deleted block is restored and appears again
// wherever it was attached, unless that place was rearranged meanwhile.
func UpdateBlock(ctx context.Context, tx *store.Tx, b *Block) error {
	tx.Changed(shop.Key{Kind: shop.KeyDesign})
	return tx.DB.QueryRow(ctx, `
		UPDATE content_block SET name = $3, group_type = $4, sections = $5, deleted_at = NULL, updated_at = now()
		WHERE company_id = $1 AND id = $2 RETURNING updated_at`, tx.Company, b.ID, b.Name, b.GroupType, b.Sections).Scan(&b.UpdatedAt)
}

// DeleteBlock soft-deletes a block. It stays attached where it was, but is not shown.
func DeleteBlock(ctx context.Context, tx *store.Tx, id shop.BlockID, at time.Time) error {
	tx.Changed(shop.Key{Kind: shop.KeyDesign})
	tag, err := tx.DB.Exec(ctx, `
		UPDATE content_block SET deleted_at = $3 WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, tx.Company, id, at)
	if err == nil && tag.RowsAffected() == 0 {
		return ErrBlockNotFound
	}
	return err
}

// Attachment is the place of a block on a page.
type Attachment struct {
	BlockID   shop.BlockID `json:"block_id"`
	SortOrder int          `json:"sort_order"`
}

// AttachBlocks replaces the blocks of a category or article. The blocks must belong to the shop,
// and each may occur once; the caller checks the latter.
func AttachBlocks(ctx context.Context, tx *store.Tx, owner int16, id int64, items []Attachment) error {
	ids, orders := make([]shop.BlockID, len(items)), make([]int, len(items))
	for i, it := range items {
		ids[i], orders[i] = it.BlockID, it.SortOrder
	}
	found, err := BlocksByID(ctx, tx.Reader, ids)
	if err != nil {
		return err
	}
	missing := func(it Attachment) bool {
		return !slices.ContainsFunc(found, func(b Block) bool { return b.ID == it.BlockID })
	}
	if n := slices.IndexFunc(items, missing); n >= 0 {
		return shop.AtEntry(ErrBlockNotFound.At("block_id"), "items", n)
	}
	if _, err := tx.DB.Exec(ctx, `DELETE FROM block_link WHERE company_id = $1 AND owner = $2 AND owner_id = $3`,
		tx.Company, owner, id); err != nil {
		return err
	}
	_, err = tx.DB.Exec(ctx, `
		INSERT INTO block_link (company_id, owner, owner_id, block_id, sort_order)
		SELECT $1, $2, $3, * FROM unnest($4::bigint[], $5::integer[])`, tx.Company, owner, id, ids, orders)
	if err != nil {
		return err
	}
	if owner == store.EntityCategory {
		tx.Changed(shop.Key{Kind: shop.KeyCategory, ID: id})
	} else {
		tx.Changed(shop.Key{Kind: shop.KeyArticle, ID: id})
	}
	return tx.TouchParent(ctx, owner, id)
}

// BlockPages lists the sections that show a block on their page.
func BlockPages(ctx context.Context, r store.Reader, id shop.BlockID) ([]shop.CategoryID, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT owner_id::integer FROM block_link WHERE company_id = $1 AND owner = $2 AND block_id = $3 ORDER BY 1`,
		r.Company, store.EntityCategory, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CategoryID])
}
