package people

import (
	"context"
	"encoding/json"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// MaxViews is how many pages a person may arrange.
const MaxViews = 100

// ErrViewLimit refuses a view beyond MaxViews.
var ErrViewLimit = shop.Refuse(shop.ResourceExhausted, "VIEW_LIMIT_REACHED").
	When("the person has stored 100 views").WithField("limit_code", "views_max")

// View returns how a person has arranged a page; null if they have not.
func View(ctx context.Context, s *store.Store, person shop.UserID, page string) (value json.RawMessage, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT value FROM person_view WHERE person_id = $1 AND page = $2`, person, page).Scan(&value)
	if store.NoRow(err) {
		return json.RawMessage("null"), nil
	}
	return value, err
}

// SetView stores how a person has arranged a page. Concurrent calls may exceed MaxViews by their
// number.
func SetView(ctx context.Context, s *store.Store, person shop.UserID, page string, value json.RawMessage) error {
	tag, err := s.Pool.Exec(ctx, `
		INSERT INTO person_view (person_id, page, value) SELECT $1, $2, $3
		WHERE EXISTS (SELECT FROM person_view WHERE person_id = $1 AND page = $2) OR (SELECT count(*) FROM person_view WHERE person_id = $1) < $4
		ON CONFLICT (person_id, page) DO UPDATE SET value = excluded.value, updated_at = now()`, person, page, value, MaxViews)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrViewLimit
	}
	return err
}
