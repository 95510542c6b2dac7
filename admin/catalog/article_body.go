package catalog

import (
	"context"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	designdb "vitrine/internal/store/design"
)

// seedBody gives a new article two blocks: the manifest, whose refs determine the order of the
// article's blocks, and an empty text (document 3, 2.2).
func seedBody(ctx context.Context, tx *store.Tx, id shop.ArticleID) error {
	text := designdb.Block{
		Name:     "text",
		Sections: shop.Objects(`[{"type":"text","payload":{"v":2,"kind":"text","origin":"builder","text":"","props":{}}}]`),
	}
	if err := designdb.InsertBlock(ctx, tx, &text); err != nil {
		return err
	}
	top := designdb.Block{
		Name:     "__page:top",
		Sections: shop.Objects(`[{"type":"text","payload":{"v":2,"kind":"zone","props":{"refs":["` + text.ID.String() + `"]}}}]`),
	}
	if err := designdb.InsertBlock(ctx, tx, &top); err != nil {
		return err
	}
	return designdb.AttachBlocks(ctx, tx, store.EntityArticle, int64(id), []designdb.Attachment{{BlockID: top.ID}, {BlockID: text.ID, SortOrder: 1}})
}
