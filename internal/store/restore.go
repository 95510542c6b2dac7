package store

import (
	"time"

	"vitrine/internal/shop"
)

// ErrRestoreOver answers when a deleted thing is asked back too late.
var ErrRestoreOver = shop.Refuse(shop.FailedPrecondition, "RESTORE_WINDOW_OVER").When("it was deleted more than 30 days ago")

// RestoreWindow is how long a deleted thing can come back (document 1, section
// 3; document 3, 2.1).
const RestoreWindow = 30 * 24 * time.Hour

// Restored decides about the deletion date when something deleted is edited:
// is_deleted false brings it back within the window, anything else finds
// nothing.
func Restored(deleted *time.Time, isDeleted *bool, now time.Time, missing *shop.Refusal) (*time.Time, error) {
	switch {
	case deleted == nil:
		return nil, nil
	case isDeleted == nil || *isDeleted:
		return nil, missing
	case now.Sub(*deleted) > RestoreWindow:
		return nil, ErrRestoreOver.With("30 days are over")
	}
	return nil, nil
}
