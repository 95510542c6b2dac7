package movein

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Place says which pictures belong where in an object.
type Place struct {
	Kind      string
	Object    int64
	Addresses []string        // of all its pictures, each once
	Places    json.RawMessage // addresses by their place
}

// Places records where the pictures of objects belong, and queues those that were not queued. A
// picture that an earlier import fetched is used again while the library has it.
func Places(ctx context.Context, tx *store.Tx, id shop.JobID, list []Place, now time.Time) error {
	if len(list) == 0 {
		return nil
	}
	b := &pgx.Batch{}
	for _, p := range list {
		b.Queue(`DELETE FROM move_in_use WHERE company_id = $1 AND kind = $2 AND object_id = $3`, tx.Company, p.Kind, p.Object)
		b.Queue(`
			INSERT INTO move_in_place (company_id, kind, object_id, move_in_id, places) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (company_id, kind, object_id) DO UPDATE SET move_in_id = excluded.move_in_id, places = excluded.places`,
			tx.Company, p.Kind, p.Object, id, p.Places)
		b.Queue(`
			INSERT INTO move_in_picture (company_id, move_in_id, address, due_at, state, file_id)
			SELECT $1, $2, a.address, $4, CASE WHEN k.file_id IS NULL THEN 'waiting' ELSE 'done' END, k.file_id
			FROM unnest($3::text[]) AS a(address) LEFT JOIN LATERAL (
				SELECT o.file_id FROM move_in_picture o JOIN media_file f ON f.company_id = o.company_id AND f.id = o.file_id
				WHERE o.company_id = $1 AND o.state = 'done' AND md5(o.address) = md5(a.address)
				LIMIT 1) k ON true
			ON CONFLICT DO NOTHING`, tx.Company, id, p.Addresses, now)
		b.Queue(`
			INSERT INTO move_in_use (company_id, picture_id, kind, object_id)
			SELECT $1, p.id, $4, $5 FROM move_in_picture p WHERE p.company_id = $1 AND p.move_in_id = $2
				AND md5(p.address) = ANY(ARRAY(SELECT md5(a) FROM unnest($3::text[]) AS a))
			ON CONFLICT DO NOTHING`, tx.Company, id, p.Addresses, p.Kind, p.Object)
	}
	b.Queue(`
		UPDATE move_in SET fetching = true WHERE company_id = $1 AND id = $2 AND NOT fetching
			AND EXISTS (SELECT FROM move_in_picture WHERE company_id = $1 AND move_in_id = $2 AND state = 'waiting')`, tx.Company, id)
	return tx.DB.SendBatch(ctx, b).Close()
}

// Picture is a picture to fetch, with the lease of a worker.
type Picture struct {
	Company  shop.CompanyID
	ID       int64
	Import   shop.JobID
	Person   shop.UserID // who began the import
	Address  string
	Attempts int
}

// ClaimPictures leases pictures that are due: of each shop at most perShop at a time, so that a
// shop with many or slow ones does not delay others.
func ClaimPictures(ctx context.Context, s *store.Store, now, until time.Time, perShop, most int) ([]Picture, error) {
	rows, err := s.Pool.Query(ctx, `
		WITH due AS (
			SELECT p.company_id, p.id FROM (SELECT DISTINCT company_id FROM move_in WHERE fetching) c,
				LATERAL (
					SELECT p.company_id, p.id FROM move_in_picture p JOIN move_in m ON m.company_id = p.company_id AND m.id = p.move_in_id
					WHERE p.company_id = c.company_id AND p.state = 'waiting' AND p.due_at <= $1 AND m.undo_job IS NULL
						AND NOT EXISTS (SELECT FROM company o WHERE o.id = c.company_id AND o.deleted_at IS NOT NULL) AND `+store.NotMoving("c.company_id")+`
					ORDER BY p.due_at, p.id LIMIT $3 FOR UPDATE OF p SKIP LOCKED) p
			LIMIT $4)
		UPDATE move_in_picture p SET attempts = attempts + 1, due_at = $2 FROM due, move_in m
		WHERE p.company_id = due.company_id AND p.id = due.id AND m.company_id = p.company_id AND m.id = p.move_in_id
		RETURNING p.company_id, p.id, p.move_in_id, m.person_id, p.address, p.attempts`, now, until, perShop, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Picture])
}

// Settle records that a picture was fetched, or that it failed for a reason.
func Settle(ctx context.Context, tx *store.Tx, p Picture, file *uuid.UUID, reason string) error {
	state := "done"
	if file == nil {
		state = "failed"
	}
	_, err := tx.DB.Exec(ctx, `
		UPDATE move_in_picture SET state = $3, file_id = $4::uuid, reason = $5, fetched = $4::uuid IS NOT NULL WHERE company_id = $1 AND id = $2`,
		tx.Company, p.ID, state, file, reason)
	if err == nil {
		_, err = tx.DB.Exec(ctx, `
			UPDATE move_in SET fetching = false WHERE company_id = $1 AND id = $2
				AND NOT EXISTS (SELECT FROM move_in_picture WHERE company_id = $1 AND move_in_id = $2 AND state = 'waiting')`, tx.Company, p.Import)
	}
	return err
}

// Retry puts a picture back until due, for a reason.
func Retry(ctx context.Context, s *store.Store, p Picture, reason string, due time.Time) error {
	_, err := s.Pool.Exec(ctx, `
		UPDATE move_in_picture SET reason = $3, due_at = $4 WHERE company_id = $1 AND id = $2 AND state = 'waiting'`, p.Company, p.ID, reason, due)
	return err
}

// Placing is an object whose pictures can be placed.
type Placing struct {
	Kind   string
	Object int64
	Import shop.JobID
	Places json.RawMessage
	Placed json.RawMessage // the gallery that an import wrote last; null: none did
	Files  map[string]File // of the pictures that were fetched, by address
}

// File is a picture in the library; Path is its storage path.
type File struct {
	ID   uuid.UUID `json:"id"`
	Path string    `json:"path"`
}

// Placings locks the objects that show a picture and returns those of which every picture was
// tried at least once.
func Placings(ctx context.Context, tx *store.Tx, picture int64) ([]Placing, error) {
	return placings(ctx, tx, `EXISTS (
		SELECT FROM move_in_use u WHERE u.company_id = o.company_id AND u.kind = o.kind AND u.object_id = o.object_id AND u.picture_id = $2)`, picture)
}

// PlacingOf is Placings for one object.
func PlacingOf(ctx context.Context, tx *store.Tx, kind string, object int64) ([]Placing, error) {
	return placings(ctx, tx, `o.kind = $2 AND o.object_id = $3`, kind, object)
}

func placings(ctx context.Context, tx *store.Tx, which string, args ...any) ([]Placing, error) {
	rows, err := tx.DB.Query(ctx, `
		SELECT o.kind, o.object_id, o.move_in_id, o.places, o.placed, (
			SELECT coalesce(jsonb_object_agg(p.address, jsonb_build_object('id', f.id, 'path', f.path)), '{}')
			FROM move_in_use u JOIN move_in_picture p ON p.company_id = u.company_id AND p.id = u.picture_id
				JOIN media_file f ON f.company_id = p.company_id AND f.id = p.file_id
			WHERE u.company_id = o.company_id AND u.kind = o.kind AND u.object_id = o.object_id AND p.state = 'done')
		FROM move_in_place o WHERE o.company_id = $1 AND `+which+` AND NOT EXISTS (
			SELECT FROM move_in_use u JOIN move_in_picture p ON p.company_id = u.company_id AND p.id = u.picture_id
			WHERE u.company_id = o.company_id AND u.kind = o.kind AND u.object_id = o.object_id AND p.state = 'waiting' AND p.reason = '')
		ORDER BY o.kind, o.object_id FOR UPDATE`, append([]any{tx.Company}, args...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Placing])
}

// SetPlaced records the gallery that was written to an object.
func SetPlaced(ctx context.Context, tx *store.Tx, kind string, object int64, placed any) error {
	_, err := tx.DB.Exec(ctx, `UPDATE move_in_place SET placed = $4 WHERE company_id = $1 AND kind = $2 AND object_id = $3`, tx.Company, kind, object, placed)
	return err
}

// Failure is a picture that could not be fetched.
type Failure struct {
	Address string `json:"address"`
	Reason  string `json:"reason"`
}

// Fetched is how far the pictures of an import are.
type Fetched struct {
	Done   int64     `json:"done" doc:"settled, failed ones too"`
	Total  int64     `json:"total"`
	Failed []Failure `json:"failed" doc:"at most 1000"`
}

// Pictures returns how far the pictures of an import are.
func Pictures(ctx context.Context, r store.Reader, id shop.JobID) (f Fetched, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE state <> 'waiting'), count(*) FROM move_in_picture WHERE company_id = $1 AND move_in_id = $2`,
		r.Company, id).Scan(&f.Done, &f.Total)
	if err != nil {
		return f, err
	}
	rows, err := r.DB.Query(ctx, `
		SELECT address, reason FROM move_in_picture WHERE company_id = $1 AND move_in_id = $2 AND state = 'failed' ORDER BY id LIMIT 1000`, r.Company, id)
	if err != nil {
		return f, err
	}
	f.Failed, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Failure])
	return f, err
}

// FetchedFiles returns the files that an import brought into the library.
func FetchedFiles(ctx context.Context, r store.Reader, id shop.JobID) ([]uuid.UUID, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT DISTINCT file_id FROM move_in_picture WHERE company_id = $1 AND move_in_id = $2 AND fetched`, r.Company, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
