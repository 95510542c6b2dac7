package store

import (
	"time"

	"vitrine/internal/shop"
)

// ErrRestoreExpired is returned when a deletion can no longer be undone.
var ErrRestoreExpired = shop.Refuse(shop.FailedPrecondition, "RESTORE_WINDOW_OVER").When("it was deleted more than 30 days ago")

// ErrShopDeleted refuses calls for a shop that its owner deleted and can still restore.
var ErrShopDeleted = shop.Refuse(shop.PermissionDenied, "SHOP_DELETED").When("the shop was deleted; for 30 days its owner can restore it with POST /v1/shop/restore")

// LiveShop returns a condition: the shop whose id is in a column was not deleted.
func LiveShop(column string) string {
	return `EXISTS (SELECT FROM company live WHERE live.id = ` + column + ` AND live.deleted_at IS NULL)`
}

// RestoreWindow is how long something deleted can be restored (document 1, section 3;
// document 3, 2.1).
const RestoreWindow = 30 * 24 * time.Hour

// DeletedAfterEdit returns the new deletion date when something deleted is edited: is_deleted false
// restores it within the window, any other edit returns missing.
func DeletedAfterEdit(deleted *time.Time, isDeleted *bool, now time.Time, missing *shop.Refusal) (*time.Time, error) {
	switch {
	case deleted == nil:
		return nil, nil
	case isDeleted == nil || *isDeleted:
		return nil, missing
	case now.Sub(*deleted) > RestoreWindow:
		return nil, ErrRestoreExpired.With("the 30 days have passed")
	}
	return nil, nil
}
