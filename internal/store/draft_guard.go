package store

import (
	"context"
	"database/sql"
	"fmt"
)

// guardDraft makes tables added by migrations refuse writes of the draft contour, unless
// the migration called draft_share for them (migration 0010). A handler that writes to the
// live shop uses Live.
func guardDraft(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, `SELECT draft_guard()`); err != nil {
		return fmt.Errorf("guard the live tables against the draft contour: %w", err)
	}
	return nil
}
