package people

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// MaxViews is how many pages a person may arrange.
const MaxViews = 100

// ErrViewLimit refuses a view beyond MaxViews.
var ErrViewLimit = shop.Refuse(shop.ResourceExhausted, "VIEW_LIMIT_REACHED").
	When("the person has stored 100 views").WithField("limit_code", "views_max")

// View is how a person has arranged a page.
type View struct {
	Value     json.RawMessage // null: not at all
	UpdatedAt time.Time       // 1970: never
}

// GetView reads how a person has arranged a page.
func GetView(ctx context.Context, s *store.Store, person shop.UserID, page string) (View, error) {
	return viewOf(ctx, s.Pool, person, page)
}

func viewOf(ctx context.Context, q store.Querier, person shop.UserID, page string) (v View, err error) {
	err = q.QueryRow(ctx, `SELECT value, updated_at FROM person_view WHERE person_id = $1 AND page = $2`, person, page).Scan(&v.Value, &v.UpdatedAt)
	if store.NoRow(err) {
		return View{json.RawMessage("null"), time.Unix(0, 0).UTC()}, nil
	}
	v.UpdatedAt = v.UpdatedAt.UTC()
	return v, err
}

// SetView stores how a person has arranged a page, if basis accepts the present version.
func SetView(ctx context.Context, s *store.Store, person shop.UserID, page string, value json.RawMessage, basis func(updatedAt time.Time) error) (v View, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT FROM person WHERE id = $1 FOR NO KEY UPDATE`, person); err != nil {
			return err
		}
		was, err := viewOf(ctx, tx, person, page)
		if err == nil {
			err = basis(was.UpdatedAt)
		}
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			INSERT INTO person_view (person_id, page, value) SELECT $1, $2, $3
			WHERE EXISTS (SELECT FROM person_view WHERE person_id = $1 AND page = $2) OR (SELECT count(*) FROM person_view WHERE person_id = $1) < $4
			ON CONFLICT (person_id, page) DO UPDATE SET value = excluded.value, updated_at = now()`, person, page, value, MaxViews)
		if err == nil && tag.RowsAffected() == 0 {
			err = ErrViewLimit
		}
		if err != nil {
			return err
		}
		v, err = viewOf(ctx, tx, person, page)
		return err
	})
	return v, err
}
