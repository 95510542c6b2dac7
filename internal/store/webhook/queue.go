package webhook

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// DueDelivery is a claimed attempt: everything that is sent, and where to.
type DueDelivery struct {
	Company     shop.CompanyID
	Webhook     shop.WebhookID
	ID          shop.WebhookDeliveryID
	Attempt     int
	MaxAttempts int // maximum number of attempts
	ByHand      bool
	Sequence    int64
	URL         string
	Host        string
	Event       string
	EventID     string
	At          time.Time
	Body        json.RawMessage
	Platform    int64    // that is told of its order; 0: the event is sent itself
	Protocol    string   // of the platform
	Shared      []byte   // the sealed secret of the platform; nil: none
	Secret      []byte   // sealed, as of when it was queued; nil: none
	Secrets     [][]byte // sealed, the present ones
}

// Subscription names a subscription: the ids of shops that came from other installations are unique
// only with the shop.
type Subscription struct {
	Company shop.CompanyID
	Webhook shop.WebhookID
}

// Of returns the subscription of a delivery.
func (d DueDelivery) Of() Subscription { return Subscription{d.Company, d.Webhook} }

// Waiting is a subscription with deliveries that are due.
type Waiting struct {
	Company     shop.CompanyID
	Webhook     shop.WebhookID
	Host        string
	Concurrency int // how many deliveries may be in flight at once; 0: deleted or disabled
}

// scanLimit is how many rows of subscriptions one scan of the queue passes.
const scanLimit = 512

// ClaimDeliveries claims due attempts for the duration of the lease, at most limit in total
// and at most allowed of each subscription. It walks from subscription to subscription,
// starting after the given one, and takes from each in turns, so that a subscription with many
// deliveries does not delay the others; next is the subscription after which to continue, 0
// at the end. skipped reports that a subscription was locked by another process: it should
// be tried again soon.
//
// The number of an attempt counts from here: an attempt of a process that dies counts as
// made.
func ClaimDeliveries(
	ctx context.Context, s *store.Store, after shop.WebhookID, allowed func(Waiting) int, now time.Time, lease time.Duration, limit int,
) (due []DueDelivery, next shop.WebhookID, skipped bool, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, lockWaiting, after, now, scanLimit, limit)
		if err != nil {
			return err
		}
		waiting, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
			Waiting
			Passed *shop.WebhookID // the last subscription passed; null: the end was reached
			Near   int             // subscriptions with something due
		}])
		if err != nil {
			return err
		}
		var companies []shop.CompanyID
		var ids []shop.WebhookID
		var limits []int
		for i, w := range waiting {
			skipped = i+1 < w.Near || w.Webhook == 0 && w.Near > 0
			if w.Passed != nil {
				next = *w.Passed
			}
			if w.Webhook == 0 {
				continue
			}
			if n := allowed(w.Waiting); n > 0 {
				companies, ids, limits = append(companies, w.Company), append(ids, w.Webhook), append(limits, min(n, limit))
			}
		}
		if len(ids) == 0 {
			return nil
		}
		// A separate statement, which sees the claims committed while the first one waited.
		rows, err = tx.Query(ctx, beginDeliveries, companies, ids, limits, now, now.Add(lease), limit, Gone)
		if err != nil {
			return err
		}
		due, err = pgx.CollectRows(rows, pgx.RowToStructByPos[DueDelivery])
		return err
	})
	return due, next, skipped, err
}

// lockWaiting walks along the index of due deliveries from subscription to subscription,
// and locks those with something due, except those of deleted shops. If the commit is lost in a crash, a later attempt
// merely reuses a number, so the commit need not wait for the disk.
const lockWaiting = `
	WITH RECURSIVE walk AS (
		(SELECT webhook_id, bulk, due_at, 1 AS n FROM webhook_delivery WHERE due_at IS NOT NULL AND webhook_id > $1
			ORDER BY webhook_id, bulk, due_at LIMIT 1)
		UNION ALL
		SELECT d.webhook_id, d.bulk, d.due_at, w.n + 1 FROM walk w CROSS JOIN LATERAL (
			SELECT webhook_id, bulk, due_at FROM webhook_delivery
			WHERE due_at IS NOT NULL AND (webhook_id, bulk) > (w.webhook_id, w.bulk) ORDER BY webhook_id, bulk, due_at LIMIT 1) d
		WHERE w.n < $3),
	near AS (SELECT DISTINCT webhook_id FROM walk WHERE due_at <= $2
			AND (NOT EXISTS (SELECT FROM webhook h WHERE h.id = webhook_id) OR EXISTS (
				SELECT FROM webhook h JOIN company c ON c.id = h.company_id AND c.deleted_at IS NULL WHERE h.id = webhook_id))
		ORDER BY webhook_id LIMIT $4),
	passed AS (
		SELECT CASE WHEN (SELECT count(*) FROM near) = $4 THEN (SELECT max(webhook_id) FROM near)
			WHEN (SELECT count(*) FROM walk) = $3 THEN (SELECT max(webhook_id) FROM walk) END AS last,
			(SELECT count(*) FROM near) AS near, set_config('synchronous_commit', 'off', true)),
	held AS (
		SELECT h.company_id, h.id, h.host, CASE WHEN h.is_active AND h.deleted_at IS NULL THEN h.room ELSE 0 END AS room
		FROM webhook h JOIN near ON near.webhook_id = h.id JOIN company c ON c.id = h.company_id AND c.deleted_at IS NULL
		WHERE shop_free(h.company_id) ORDER BY h.id, h.company_id FOR NO KEY UPDATE OF h SKIP LOCKED)
	SELECT coalesce(held.company_id, 0), coalesce(held.id, 0), coalesce(held.host, ''), coalesce(held.room, 0)::integer, passed.last, passed.near
	FROM passed LEFT JOIN held ON true`

// beginDeliveries takes as many deliveries of each subscription as its limit allows.
// Deliveries of a deleted or disabled subscription become dead, and so do those whose last
// attempt was begun but never recorded.
const beginDeliveries = `
	WITH picked AS (
		SELECT d.company_id, d.webhook_id, d.id, d.sequence, d.turn, h.is_active AND h.deleted_at IS NULL AND d.attempts < d.most AS live
		FROM unnest($1::integer[], $2::bigint[], $3::integer[]) s(company_id, webhook_id, room)
		JOIN webhook h ON h.company_id = s.company_id AND h.id = s.webhook_id
		CROSS JOIN LATERAL (
			SELECT f.*, row_number() OVER (ORDER BY bulk, due_at, id) AS turn FROM (
				(SELECT * FROM webhook_delivery WHERE company_id = s.company_id AND webhook_id = s.webhook_id AND NOT bulk AND due_at <= $4 ORDER BY due_at, id LIMIT s.room)
				UNION ALL
				(SELECT * FROM webhook_delivery WHERE company_id = s.company_id AND webhook_id = s.webhook_id AND bulk AND due_at <= $4 ORDER BY due_at, id LIMIT s.room)) f
			ORDER BY turn LIMIT s.room) d
		ORDER BY d.turn, d.webhook_id, d.company_id LIMIT $6),
	counted AS (
		SELECT p.*, CASE WHEN sequence IS NULL AND live THEN count(*) FILTER (WHERE sequence IS NULL AND live)
			OVER (PARTITION BY company_id, webhook_id ORDER BY turn) END AS step FROM picked p),
	stepped AS (
		UPDATE webhook h SET sequence = h.sequence + n.steps
		FROM (SELECT company_id, webhook_id, max(step) AS steps FROM counted GROUP BY company_id, webhook_id) n
		WHERE h.company_id = n.company_id AND h.id = n.webhook_id AND n.steps IS NOT NULL),
	begun AS (
		UPDATE webhook_delivery d SET
			attempts = d.attempts + c.live::integer, due_at = CASE WHEN c.live THEN $5::timestamptz END,
			sequence = coalesce(d.sequence, h.sequence + c.step),
			state = CASE WHEN c.live THEN d.state ELSE 'dead' END, dead_at = CASE WHEN NOT c.live THEN $4::timestamptz END,
			reason = CASE WHEN c.live THEN '' WHEN h.is_active AND h.deleted_at IS NULL THEN 'the last attempt ended with the process that made it' ELSE $7 END
		FROM counted c JOIN webhook h ON h.company_id = c.company_id AND h.id = c.webhook_id
		WHERE d.company_id = c.company_id AND d.webhook_id = c.webhook_id AND d.id = c.id AND d.due_at <= $4
		RETURNING d.*, h.url, h.host, h.platform_id, c.live, c.turn)
	SELECT b.company_id, b.webhook_id, b.id, b.attempts, b.most, b.by_hand, b.sequence, b.url, b.host, e.name, e.event_id::text, e.at, e.body,
		coalesce(b.platform_id, 0), coalesce(p.protocol, ''), p.sealed,
		(SELECT sealed FROM webhook_secret x WHERE x.company_id = b.company_id AND x.webhook_id = b.webhook_id AND x.version = b.secret),
		ARRAY(SELECT sealed FROM webhook_secret x WHERE x.company_id = b.company_id AND x.webhook_id = b.webhook_id
			AND (x.until IS NULL OR x.until > $4) ORDER BY version DESC LIMIT 5)
	FROM begun b JOIN event e ON e.company_id = b.company_id AND e.id = b.event_id
	LEFT JOIN assist_platform p ON p.company_id = b.company_id AND p.id = b.platform_id
	WHERE b.live ORDER BY b.turn, b.webhook_id`

// DeliveryResult is the result of an attempt.
type DeliveryResult struct {
	Due       DueDelivery
	At        time.Time // when it was sent
	Ended     time.Time
	OK        bool
	Quick     bool // the receiver was fast enough for more concurrent attempts
	Permanent bool // it is not tried again
	Code      int
	Error     string
	Again     time.Time // time of the next attempt, if any
}

// RecordDeliveries records the results of attempts and updates their subscriptions: three
// failures in a row reduce the concurrency to one attempt, each success doubles it again.
// If another process has repeated an attempt meanwhile, only a success counts. failing
// lists the subscriptions whose owner must be informed.
func RecordDeliveries(ctx context.Context, s *store.Store, ends []DeliveryResult) (failing []Failing, err error) {
	n := len(ends)
	companies, hooks, ids, attempts := make([]shop.CompanyID, n), make([]shop.WebhookID, n), make([]shop.WebhookDeliveryID, n), make([]int, n)
	oks, dead, again, ended, logs := make([]bool, n), make([]bool, n), make([]time.Time, n), make([]time.Time, n), make([]string, n)
	index := map[Subscription]int{} // index of a subscription in sums
	var sums deliverySums
	for i, e := range ends {
		companies[i], hooks[i], ids[i], attempts[i] = e.Due.Company, e.Due.Webhook, e.Due.ID, e.Due.Attempt
		oks[i], dead[i], again[i], ended[i] = e.OK, !e.OK && (e.Permanent || e.Due.Attempt >= e.Due.MaxAttempts), e.Again, e.Ended
		entry, err := json.Marshal([]WebhookAttempt{{e.Due.Attempt, e.At.UTC(), e.Code, e.Error, e.Ended.Sub(e.At).Milliseconds()}})
		if err != nil {
			return nil, err
		}
		logs[i] = string(entry)
		of := e.Due.Of()
		at, exists := index[of]
		if !exists {
			at = sums.add(e)
			index[of] = at
		}
		sums.count(at, e)
	}
	err = pgx.BeginFunc(ctx, s.Beside(), func(tx pgx.Tx) error {
		// In the lock order of ClaimDeliveries: the subscription, then its deliveries.
		_, err := tx.Exec(ctx, `
			SELECT FROM webhook h JOIN unnest($1::integer[], $2::bigint[]) r(company_id, id) USING (company_id, id)
			ORDER BY h.id, h.company_id FOR NO KEY UPDATE OF h`, sums.companies, sums.ids)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, noteDeliveries, companies, hooks, ids, attempts, oks, dead, again, ended, logs, Gone)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, noteWebhooks, sums.companies, sums.ids, sums.codes, sums.errors, sums.delivered, sums.any, sums.failures, sums.quick, sums.at)
		if err != nil {
			return err
		}
		failing, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Failing])
		return err
	})
	return failing, err
}

// deliverySums holds the summed results of a batch of attempts per subscription.
type deliverySums struct {
	companies []shop.CompanyID
	ids       []shop.WebhookID
	codes     []int
	errors    []string
	delivered []*time.Time
	any       []bool // something was delivered, not manually
	failures  []int  // failures since then, not manual
	quick     []bool
	at        []time.Time
}

func (s *deliverySums) add(e DeliveryResult) int {
	s.companies, s.ids = append(s.companies, e.Due.Company), append(s.ids, e.Due.Webhook)
	s.codes, s.errors, s.delivered = append(s.codes, 0), append(s.errors, ""), append(s.delivered, nil)
	s.any, s.failures, s.quick, s.at = append(s.any, false), append(s.failures, 0), append(s.quick, true), append(s.at, e.Ended)
	return len(s.ids) - 1
}

func (s *deliverySums) count(at int, e DeliveryResult) {
	s.codes[at], s.errors[at] = e.Code, e.Error
	if e.OK {
		s.delivered[at] = &e.Ended
	}
	switch {
	case e.Due.ByHand:
	case e.OK:
		s.any[at], s.failures[at], s.quick[at] = true, 0, s.quick[at] && e.Quick
	default:
		s.failures[at]++
	}
}

const noteDeliveries = `
	UPDATE webhook_delivery d SET
		state = CASE WHEN r.ok THEN 'delivered' WHEN r.over OR h.id IS NULL THEN 'dead' ELSE 'retrying' END,
		due_at = CASE WHEN NOT (r.ok OR r.over OR h.id IS NULL) THEN r.again END,
		delivered_at = CASE WHEN r.ok THEN r.ended END,
		dead_at = CASE WHEN NOT r.ok AND (r.over OR h.id IS NULL) THEN r.ended END,
		reason = CASE WHEN r.ok THEN '' WHEN r.over THEN r.entry::jsonb->0->>'error' WHEN h.id IS NULL THEN $10 ELSE '' END,
		log = d.log || r.entry::jsonb
	FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::integer[], $5::boolean[], $6::boolean[], $7::timestamptz[], $8::timestamptz[], $9::text[])
		r(company_id, webhook_id, id, attempt, ok, over, again, ended, entry)
	LEFT JOIN webhook h ON h.company_id = r.company_id AND h.id = r.webhook_id AND h.is_active AND h.deleted_at IS NULL
	WHERE d.company_id = r.company_id AND d.webhook_id = r.webhook_id AND d.id = r.id
		AND (r.ok AND d.state <> 'delivered' OR d.attempts = r.attempt AND d.state IN ('queued', 'retrying'))`

// The owner is informed of a subscription with a dead delivery, or with failures for an
// hour.
const noteWebhooks = `
	UPDATE webhook h SET
		last_status = r.code, last_error = r.error, last_delivered_at = coalesce(r.delivered, h.last_delivered_at),
		failures = CASE WHEN r.taken THEN r.failures ELSE h.failures + r.failures END,
		failing_since = CASE WHEN r.failures > 0 AND (r.taken OR h.failing_since IS NULL) THEN r.at WHEN r.taken THEN NULL ELSE h.failing_since END,
		told_at = CASE WHEN r.taken AND r.failures = 0 THEN NULL ELSE h.told_at END,
		room = CASE WHEN r.failures > 0 AND r.failures + CASE WHEN r.taken THEN 0 ELSE h.failures END >= 3 THEN 1
			WHEN NOT r.taken THEN h.room WHEN r.quick THEN least(h.room * 2, 32) ELSE least(h.room * 2, 8) END
	FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::text[], $5::timestamptz[], $6::boolean[], $7::integer[], $8::boolean[], $9::timestamptz[])
		r(company_id, id, code, error, delivered, taken, failures, quick, at)
	WHERE h.company_id = r.company_id AND h.id = r.id
	RETURNING h.company_id, h.id, h.url, h.last_error, h.failing_since,
		h.platform_id IS NULL AND h.is_active AND h.deleted_at IS NULL AND h.told_at IS NULL AND h.failing_since IS NOT NULL AND r.failures > 0 AND (
			h.failing_since <= r.at - interval '1 hour' OR EXISTS (
				SELECT FROM webhook_delivery d WHERE d.company_id = h.company_id AND d.webhook_id = h.id AND d.state = 'dead' AND d.dead_at >= h.failing_since))`

// Failing is a subscription that fails. The owner is not informed of platforms, whose addresses are
// their own.
type Failing struct {
	Company shop.CompanyID
	ID      shop.WebhookID
	URL     string
	Error   string
	Since   *time.Time
	Notify  bool // the owner has not been informed yet
}

// NotifyFailing queues a letter to the owner about a failing subscription, once until a
// delivery succeeds again.
func NotifyFailing(ctx context.Context, tx *store.Tx, id shop.WebhookID, letter store.PlatformLetter) error {
	tag, err := tx.DB.Exec(ctx, `
		UPDATE webhook SET told_at = $3 WHERE company_id = $1 AND id = $2 AND told_at IS NULL AND failing_since IS NOT NULL`, tx.Company, id, letter.CreatedAt)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return tx.LetterToOwner(ctx, letter)
}

// SweepEvents deletes events and deliveries from before a moment, and the subscriptions
// that were deleted before it.
func SweepEvents(ctx context.Context, s *store.Store, before time.Time) error {
	err := s.SweepBatches(ctx, `DELETE FROM webhook_delivery WHERE ctid = ANY(ARRAY(SELECT ctid FROM webhook_delivery WHERE created_at <= $1 LIMIT $2))`, before)
	if err == nil {
		err = s.SweepBatches(ctx, `DELETE FROM event WHERE ctid = ANY(ARRAY(SELECT ctid FROM event WHERE at <= $1 LIMIT $2))`, before)
	}
	if err == nil {
		err = s.SweepBatches(ctx, `DELETE FROM webhook WHERE ctid = ANY(ARRAY(SELECT ctid FROM webhook WHERE deleted_at <= $1 LIMIT $2))`, before)
	}
	return err
}
