package storetest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// read adds how many rows of each table a plan has read.
func (n planNode) read(rows map[string]float64) {
	if n.Relation != "" && n.Kind != "ModifyTable" {
		rows[n.Relation] += (n.Returned + n.Filtered + n.Rechecked) * n.Loops
	}
	for _, below := range n.Plans {
		below.read(rows)
	}
}

// RowsRead executes a statement and returns how many rows of each table it reads, and its plan.
func RowsRead(t testing.TB, db interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}, sql string, args ...any) (rows map[string]float64, plan string) {
	t.Helper()
	err := db.QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+sql, args...).Scan(&plan)
	var plans []struct{ Plan planNode }
	if err == nil {
		err = json.Unmarshal([]byte(plan), &plans)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string]float64{}
	plans[0].Plan.read(rows)
	return rows, plan
}

// RowsExpected returns how many rows the planner expects a statement to return, and its plan.
func RowsExpected(t testing.TB, pool *pgxpool.Pool, sql string, args ...any) (rows float64, plan string) {
	t.Helper()
	err := pool.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+sql, args...).Scan(&plan)
	var plans []struct{ Plan planNode }
	if err == nil {
		err = json.Unmarshal([]byte(plan), &plans)
	}
	if err != nil {
		t.Fatal(err)
	}
	return plans[0].Plan.Rows, plan
}
