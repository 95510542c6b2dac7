package draft

import (
	"context"

	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// galleriesShown selects the galleries that rows of the draft show.
const galleriesShown = `
	SELECT gallery_id AS id, draft_picked FROM draft.gallery_link WHERE company_id = $1 AND NOT draft_gone
	UNION ALL SELECT gallery_id, draft_picked FROM draft.variant_set WHERE company_id = $1 AND NOT draft_gone AND gallery_id <> 0`

// pickGalleries adds galleries that exist only in the draft and that only picked rows show:
// they are discarded together.
func pickGalleries(ctx context.Context, tx *store.Tx) error {
	_, err := tx.DB.Exec(ctx, `
		WITH shown AS (`+galleriesShown+`),
		galleries AS (
			UPDATE draft.gallery d SET draft_picked = true
			WHERE d.company_id = $1 AND d.draft_base IS NULL AND d.id IN (SELECT id FROM shown WHERE draft_picked)
			AND d.id NOT IN (SELECT id FROM shown WHERE NOT draft_picked)
			RETURNING d.id)
		UPDATE draft.gallery_item d SET draft_picked = true WHERE d.company_id = $1 AND d.gallery_id IN (SELECT id FROM galleries)`,
		tx.Company)
	return err
}

// lockPickedGalleries locks the galleries being published and those that published rows
// show, as edits of the live shop do (LockGallery). Galleries that the draft deletes are
// locked against new links.
func lockPickedGalleries(ctx context.Context, tx *store.Tx) error {
	if _, err := tx.DB.Exec(ctx, `
		SELECT FROM public.gallery l WHERE l.company_id = $1 AND l.id IN (
			SELECT id FROM draft.gallery WHERE company_id = $1 AND draft_picked AND deleted_at IS NOT NULL) ORDER BY l.id FOR UPDATE`,
		tx.Company); err != nil {
		return err
	}
	_, err := tx.DB.Exec(ctx, `
		SELECT FROM public.gallery l WHERE l.company_id = $1 AND l.id IN (
			SELECT id FROM (`+galleriesShown+`) s WHERE draft_picked
			UNION SELECT id FROM draft.gallery WHERE company_id = $1 AND draft_picked
			UNION SELECT gallery_id FROM draft.gallery_item WHERE company_id = $1 AND draft_picked) ORDER BY l.id FOR KEY SHARE`, tx.Company)
	return err
}

// galleriesInUse finds galleries that the draft deletes while something that is not deleted
// shows them.
func galleriesInUse(ctx context.Context, tx *store.Tx, things []*draftThing) (list []Conflict, err error) {
	var deleted []string
	for _, w := range things {
		if w.item.Kind == "gallery" && w.item.Change == "deleted" {
			deleted = append(deleted, w.item.ID)
		}
	}
	used, err := selectIDs(ctx, tx, `SELECT DISTINCT gallery_id FROM (`+media.GalleryUses+`) u`, deleted)
	for _, id := range used {
		list = append(list, Conflict{Ref: Ref{"gallery", id}, Field: "deleted_at", Code: media.ErrGalleryInUse.Code})
	}
	return list, err
}
