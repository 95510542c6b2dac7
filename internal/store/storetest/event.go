package storetest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Event is an event that a shop has recorded.
type Event struct {
	ID   string
	Name string
	At   time.Time
	Body json.RawMessage
}

// Events returns the events of a shop, oldest first. t is a testing.TB or a rapid.T.
func Events(t interface{ Fatal(...any) }, db *pgxpool.Pool, company int) []Event {
	rows, err := db.Query(context.Background(), `SELECT event_id::text, name, at, body FROM event WHERE company_id = $1 ORDER BY id`, company)
	if err != nil {
		t.Fatal(err)
	}
	events, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Event])
	if err != nil {
		t.Fatal(err)
	}
	return events
}
