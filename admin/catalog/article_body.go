package catalog

import (
	"context"
	"encoding/json"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// seedBody gives a new article two blocks: the manifest, whose refs determine the order of the
// article's blocks, and an empty text (document 3, 2.2).
func seedBody(ctx context.Context, tx *store.Tx, id shop.ArticleID) error {
	text := store.Block{
		Name:     "text",
		Sections: json.RawMessage(`[{"type":"text","payload":{"v":2,"kind":"text","origin":"builder","text":"","props":{}}}]`),
	}
	if err := tx.InsertBlock(ctx, &text); err != nil {
		return err
	}
	top := store.Block{
		Name:     "__page:top",
		Sections: json.RawMessage(`[{"type":"text","payload":{"v":2,"kind":"zone","props":{"refs":["` + text.ID.String() + `"]}}}]`),
	}
	if err := tx.InsertBlock(ctx, &top); err != nil {
		return err
	}
	return tx.Attach(ctx, store.EntityArticle, int64(id), []store.Attachment{{BlockID: top.ID}, {BlockID: text.ID, SortOrder: 1}})
}
