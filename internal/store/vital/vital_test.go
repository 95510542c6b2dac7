package vital

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

func open(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate), storetest.FewConnections)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// notQueues are columns with the moment of work that is no queue of operators.
var notQueues = map[string]string{
	"cart_reminder.ended_at": "an end, no beginning",
}

// A table with the moment at which a row becomes due is measured.
func TestEveryQueueIsMeasured(t *testing.T) {
	t.Parallel()
	s := open(t)
	rows, err := s.Pool.Query(t.Context(), `
		SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name IN ('due_at', 'look_at', 'try_at', 'cert_at', 'remind_at', 'leased_until')`)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if len(columns) < 10 {
		t.Fatalf("only %v", columns)
	}
	all := ""
	for _, q := range queues {
		all += " " + q.due
	}
	for _, column := range columns {
		table, name, _ := strings.Cut(column, ".")
		if notQueues[column] == "" && !(regexp.MustCompile(`\b`+table+`\b`).MatchString(all) && strings.Contains(all, name)) {
			t.Errorf("%s is not measured", column)
		}
	}
}

func TestQueuesAreCountedWithTheirAge(t *testing.T) {
	t.Parallel()
	s := open(t)
	if _, err := s.Pool.Exec(t.Context(), `
		INSERT INTO company (id, slug, name, currency, deleted_at) OVERRIDING SYSTEM VALUE VALUES (1, 'one', 'One', 'EUR', NULL), (2, 'two', 'Two', 'EUR', now());
		INSERT INTO job (company_id, person_id, kind, state, due_at, created_at) VALUES
			(1, 1, 'export', 'queued', now() - interval '1 hour', now()), (2, 1, 'export', 'queued', now() - interval '1 day', now()),
			(1, 1, 'export', 'queued', now() + interval '1 hour', now()), (1, 1, 'export', 'failed', now(), now());
		INSERT INTO webhook (company_id, url, host, events) VALUES (1, 'https://a.test', 'a.test', '{}');
		INSERT INTO webhook_delivery (company_id, webhook_id, event_id, bulk, secret, created_at, due_at, state)
			SELECT 1, id, 1, false, 1, now() - interval '30 seconds', due, state FROM webhook,
				(VALUES ('-infinity'::timestamptz, 'queued'), (now() + interval '1 minute', 'retrying'), (NULL, 'dead')) d(due, state)`); err != nil {
		t.Fatal(err)
	}
	v, err := Current(t.Context(), s, []string{"jobs", "webhooks"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"jobs": "due 1 dead 1 oldest 3600", "webhooks": "due 1 dead 1 oldest 30"} {
		q := v.Queues[name]
		if got := fmt.Sprintf("due %d dead %d oldest %d", q.Due, q.Dead, int(q.Oldest)/10*10); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if v.Schema < 170 || len(v.Queues) != 2 {
		t.Errorf("%+v", v)
	}
}

// All processes together measure once per interval, and all have the result.
func TestOneProcessMeasuresForAll(t *testing.T) {
	t.Parallel()
	s := open(t)
	first, err := Current(t.Context(), s, Names())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pool.Exec(t.Context(), `INSERT INTO job (person_id, kind, due_at, created_at) VALUES (1, 'export', now() - interval '1 hour', now())`); err != nil {
		t.Fatal(err)
	}
	second, err := Current(t.Context(), s, Names())
	if err != nil {
		t.Fatal(err)
	}
	if !second.At.Equal(first.At) || second.Queues["jobs"].Due != 0 || len(second.Queues) != len(queues) {
		t.Errorf("measured again: %v, %v", first.At, second)
	}
	if _, err := s.Pool.Exec(t.Context(), `UPDATE vital SET at = at - $1::interval`, Every); err != nil {
		t.Fatal(err)
	}
	third, err := Current(t.Context(), s, Names())
	if err != nil || third.Queues["jobs"].Due != 1 {
		t.Errorf("%v, %v", third, err)
	}
}

// The statements read rows by an index that has nothing but what waits, whatever else a table has.
func TestMeasuringReadsIndexes(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, name := range slices.Sorted(slices.Values(Names())) {
		for _, sql := range []string{queues[name].due, queues[name].dead} {
			rows, err := s.Pool.Query(t.Context(), "EXPLAIN "+sql)
			if err != nil {
				t.Fatal(name, err)
			}
			plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				t.Fatal(name, err)
			}
			if text := strings.Join(plan, "\n"); sql != never && name != "purges" && !regexp.MustCompile(`Index|Bitmap`).MatchString(text) {
				t.Errorf("%s:\n%s", name, text)
			}
		}
	}
}

func TestTheLastUpkeepIsKnown(t *testing.T) {
	t.Parallel()
	s := open(t)
	if u, err := LastUpkeep(t.Context(), s); err != nil || !u.At.IsZero() {
		t.Fatal(u, err)
	}
	for i, failed := range []bool{true, false, true} {
		if err := RecordUpkeep(t.Context(), s, time.Duration(i)*time.Second, failed); err != nil {
			t.Fatal(err)
		}
	}
	u, err := LastUpkeep(t.Context(), s)
	if err != nil || u.Failures != 2 || u.Seconds != 2 || u.Succeeded.IsZero() || !u.Succeeded.Before(u.At) {
		t.Errorf("%+v, %v", u, err)
	}
}
