// Package vital measures what operators watch: what waits in the queues, certificates, the schema,
// and the last upkeep. One worker measures for all, at most every Every, and stores the result, so
// that the cost does not grow with the number of processes and scrapes.
package vital

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
)

const (
	// Every is the minimum time between two measurements.
	Every = 15 * time.Second

	// Most is the number of rows of a queue up to which they are counted.
	Most = 20_000
)

// Queue is what waits in a queue. Rows of deleted shops, which wait until they are restored, do not
// count.
type Queue struct {
	Due    int64   // rows that could be worked on now, up to Most
	Dead   int64   // rows that were given up and are still kept, up to Most
	Oldest float64 // seconds since the first of the due rows became due
}

// Vitals is a measurement.
type Vitals struct {
	At           time.Time // of the database
	Queues       map[string]Queue
	Certificates Certificates
	Schema       int64 // highest applied migration
}

// Certificates are those that an authority issued for domains of shops.
type Certificates struct {
	Count   int64
	Failing int64      // domains whose last attempt failed
	Soonest *time.Time // when the first one expires
}

// queue is a queue in the database. due selects the rows that wait, with their company, the moment
// since which they do, and whether they are due; an index has these rows alone, or the due ones
// first. dead selects the rows that were given up.
type queue struct{ due, dead string }

const never = "SELECT WHERE false"

// queues has all queues. A test compares it with the columns of the schema.
var queues = map[string]queue{
	"webhooks": {
		`SELECT company_id, greatest(due_at, created_at), due_at <= now() FROM webhook_delivery WHERE due_at IS NOT NULL`,
		`SELECT FROM webhook_delivery WHERE state = 'dead'`,
	},
	"letters": {
		`SELECT company_id, due_at, due_at <= now() FROM letter WHERE due_at IS NOT NULL`,
		`SELECT FROM letter WHERE state = 'failed'`,
	},
	"platform_letters": {
		`SELECT NULL::integer, due_at, true FROM platform_letter WHERE due_at <= now()`,
		`SELECT FROM platform_letter WHERE due_at IS NULL AND sent_at IS NULL AND error <> ''`,
	},
	"jobs": {
		`SELECT company_id, due_at, true FROM job WHERE state IN ('queued', 'running') AND due_at <= now()`,
		`SELECT FROM job WHERE state = 'failed'`,
	},
	"pictures": {
		`SELECT company_id, created_at, true FROM media_file
			WHERE status = 'stored' AND file_type = 'image' AND mime <> 'image/svg+xml' AND deleted_at IS NULL AND prepared <> sha256`, never,
	},
	"imported_pictures": {
		`SELECT company_id, due_at, due_at <= now() FROM move_in_picture WHERE state = 'waiting'`,
		`SELECT FROM move_in_picture WHERE state = 'failed'`,
	},
	"payments": {`SELECT company_id, look_at, true FROM payment WHERE look_at <= now()`, never},
	// A charge that is begun or being voided is ended by the worker, however long that takes.
	"charges": {`SELECT company_id, look_at, true FROM charge WHERE look_at <= now()`, never},
	"refunds": {
		`SELECT company_id, try_at, true FROM payment_refund WHERE try_at <= now()`,
		`SELECT FROM payment_refund WHERE state = 'failed'`,
	},
	"cart_reminders": {
		`SELECT s.id, c.since, true FROM company s CROSS JOIN LATERAL (
			SELECT greatest(updated_at + make_interval(hours => (s.settings -> 'cart_reminder' ->> 'after_hours')::integer), nullif(remind_at, '-infinity')) AS since
			FROM cart WHERE company_id = s.id AND remind_at < 'infinity' AND remind_at <= now()
				AND updated_at <= now() - make_interval(hours => (s.settings -> 'cart_reminder' ->> 'after_hours')::integer)
			ORDER BY updated_at LIMIT 100) c
		WHERE s.settings -> 'cart_reminder' ->> 'after_hours' IS NOT NULL AND NOT s.closed AND NOT s.blocked`, never,
	},
	"domains": {
		`SELECT company_id, look_at, true FROM company_domain
			WHERE active_at IS NULL AND proven_at IS NULL AND look_at <= now() AND asked_at > now() - interval '7 days'`, never,
	},
	"certificates": {
		`SELECT company_id, cert_at, true FROM company_domain
			WHERE cert_at <= now() AND (active_at IS NOT NULL OR proven_at IS NOT NULL) AND (active_at IS NOT NULL OR asked_at > now() - interval '7 days')`,
		`SELECT FROM company_domain WHERE (active_at IS NOT NULL OR proven_at IS NOT NULL) AND cert_fault <> ''`,
	},
	// The moment of a target is stored at least once a minute. One that no process claims was removed
	// from the settings.
	"purges": {`SELECT NULL::integer, at, true FROM purge_target WHERE at < now() - interval '2 minutes' AND leased_until > now() - interval '10 minutes'`, never},
}

// Names are the names of all queues.
func Names() []string {
	list := make([]string, 0, len(queues))
	for name := range queues {
		list = append(list, name)
	}
	return list
}

// Current returns the newest measurement, after making one of the named queues if it is older than
// Every and no other process makes one.
func Current(ctx context.Context, s *store.Store, names []string) (v Vitals, err error) {
	tag, err := s.Pool.Exec(ctx, `
		INSERT INTO vital AS v (name, at) VALUES ('queues', now()) ON CONFLICT (name) DO UPDATE SET at = now() WHERE v.at <= now() - $1::interval`, Every)
	if err != nil {
		return v, err
	}
	if tag.RowsAffected() > 0 {
		if v, err = measure(ctx, s, names); err == nil {
			_, err = s.Pool.Exec(ctx, `UPDATE vital SET body = $1 WHERE name = 'queues'`, v)
		}
		return v, err
	}
	return v, read(ctx, s, "queues", &v)
}

func measure(ctx context.Context, s *store.Store, names []string) (v Vitals, err error) {
	v.Queues = map[string]Queue{}
	b := &pgx.Batch{}
	for _, name := range names {
		q := queues[name]
		b.Queue(`
			SELECT (SELECT count(*) FROM (`+q.dead+` LIMIT $1) given_up), count(*), coalesce(extract(epoch FROM now() - min(since)), 0)::float8
			FROM (SELECT * FROM (`+q.due+`) waiting (company_id, since, due) LIMIT $1) few
			WHERE due AND NOT EXISTS (SELECT FROM company c WHERE c.id = few.company_id AND c.deleted_at IS NOT NULL)`, Most).
			QueryRow(func(row pgx.Row) error {
				var own Queue
				err := row.Scan(&own.Dead, &own.Due, &own.Oldest)
				own.Oldest = max(0, own.Oldest)
				v.Queues[name] = own
				return err
			})
	}
	b.Queue(`SELECT count(*) FILTER (WHERE cert_until > now()), count(*) FILTER (WHERE cert_fault <> ''), min(cert_until) FROM company_domain
		WHERE active_at IS NOT NULL OR proven_at IS NOT NULL`).
		QueryRow(func(row pgx.Row) error {
			return row.Scan(&v.Certificates.Count, &v.Certificates.Failing, &v.Certificates.Soonest)
		})
	b.Queue(`SELECT now(), coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).
		QueryRow(func(row pgx.Row) error { return row.Scan(&v.At, &v.Schema) })
	return v, s.Pool.SendBatch(ctx, b).Close()
}

// read reads a stored value; a missing one leaves it as it is.
func read(ctx context.Context, s *store.Store, name string, to any) error {
	var body json.RawMessage
	err := s.Pool.QueryRow(ctx, `SELECT body FROM vital WHERE name = $1`, name).Scan(&body)
	if store.NoRow(err) {
		return nil
	}
	return errors.Join(err, json.Unmarshal(body, to))
}

// Upkeep is how the last round of the upkeep went, of any process.
type Upkeep struct {
	At        time.Time // it ended
	Succeeded time.Time // the last one that did
	Seconds   float64
	Failures  int64 // rounds that failed, since the beginning
}

// RecordUpkeep stores how a round went.
func RecordUpkeep(ctx context.Context, s *store.Store, took time.Duration, failed bool) error {
	_, err := s.Pool.Exec(ctx, `
		INSERT INTO vital AS v (name, at, body)
		VALUES ('upkeep', now(), jsonb_build_object('At', now(), 'Seconds', $1::float8, 'Failures', $2::integer) || CASE $2 WHEN 0 THEN jsonb_build_object('Succeeded', now()) ELSE '{}' END)
		ON CONFLICT (name) DO UPDATE SET at = now(), body = v.body || excluded.body || jsonb_build_object('Failures', coalesce((v.body ->> 'Failures')::bigint, 0) + $2)`,
		took.Seconds(), map[bool]int{true: 1}[failed])
	return err
}

// LastUpkeep returns how the last round of the upkeep went; its times are zero before the first one.
func LastUpkeep(ctx context.Context, s *store.Store) (u Upkeep, err error) {
	return u, read(ctx, s, "upkeep", &u)
}
