package assist

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrSessionNotFound is returned for a session that does not exist or belongs to another platform.
var ErrSessionNotFound = shop.Refuse(shop.NotFound, "SESSION_NOT_FOUND").When("the platform has no such session, or it was deleted after its end")

// Kind is what a session is.
type Kind string

// The kinds.
const (
	Cart     Kind = "cart"
	Checkout Kind = "purchase"
)

// State is how far a session has come.
type State string

// The states. An open session has expired after ExpiresAt.
const (
	Open       State = "open"
	Completing State = "completing" // its order is being placed
	HandedOff  State = "handed_off" // the buyer has opened it in a browser, which has its cart from then on
	Completed  State = "completed"
	Canceled   State = "canceled"
)

// Session is a cart or a checkout that a platform fills.
type Session struct {
	ID         string
	Kind       Kind
	Platform   int64
	Person     shop.UserID // the guest whose cart it is
	Buyer      shop.UserID // the person who linked the platform; 0: none
	Signed     bool        // it was created by a signed request
	Input      json.RawMessage
	State      State
	ShownTotal int64  // the grand total that the platform was last answered
	CartID     string // the session of kind Cart that a checkout was made of; empty: none
	Order      shop.OrderID
	CreatedAt  time.Time
	UpdatedAt  time.Time
	ExpiresAt  time.Time
}

const sessionColumns = `id, kind, platform_id, person_id, coalesce(buyer_id, 0), signed, input, state, shown_total, coalesce(cart_id, ''), coalesce(order_id, 0),
	created_at, updated_at, expires_at`

// OfProfile reads the platform with a profile, and its session with an id. The platform is not found before
// its first session, unless the shop has blocked it; without such a session, s has no id.
func OfProfile(ctx context.Context, r store.Reader, profile, id string) (p Platform, found bool, s Session, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT p.id, p.protocol, p.name, p.blocked, coalesce(s.id, ''), coalesce(s.kind, ''), coalesce(s.platform_id, 0), coalesce(s.person_id, 0), coalesce(s.buyer_id, 0),
			coalesce(s.signed, false), coalesce(s.input, '{}'), coalesce(s.state, ''), coalesce(s.shown_total, 0), coalesce(s.cart_id, ''), coalesce(s.order_id, 0),
			coalesce(s.created_at, now()), coalesce(s.updated_at, now()), coalesce(s.expires_at, now())
		FROM assist_platform p LEFT JOIN assist_session s ON s.company_id = $1 AND s.id = $3 AND s.platform_id = p.id
		WHERE p.company_id = $1 AND p.protocol = 'ucp' AND p.name = $2`, r.Company, profile, id).
		Scan(&p.ID, &p.Protocol, &p.Name, &p.Blocked, &s.ID, &s.Kind, &s.Platform, &s.Person, &s.Buyer, &s.Signed, &s.Input, &s.State, &s.ShownTotal, &s.CartID, &s.Order,
			&s.CreatedAt, &s.UpdatedAt, &s.ExpiresAt)
	if store.NoRow(err) {
		return p, false, s, nil
	}
	return p, err == nil, s, err
}

// Get reads a session of a platform.
func Get(ctx context.Context, r store.Reader, platform int64, id string) (Session, error) {
	return one(ctx, r, `WHERE company_id = $1 AND id = $2 AND platform_id = $3`, r.Company, id, platform)
}

// LockByID reads and locks the session of a link that hands it over.
func LockByID(ctx context.Context, tx *store.Tx, id string) (Session, error) {
	return one(ctx, tx.Reader, `WHERE company_id = $1 AND id = $2 FOR UPDATE`, tx.Company, id)
}

// OpenCheckoutOf returns the checkout that is open for a cart; found is false if there is none.
func OpenCheckoutOf(ctx context.Context, r store.Reader, platform int64, cart string, now time.Time) (s Session, found bool, err error) {
	s, err = one(ctx, r, `WHERE company_id = $1 AND cart_id = $2 AND platform_id = $3 AND state IN ('open', 'completing', 'handed_off') AND expires_at > $4
		ORDER BY created_at DESC LIMIT 1`, r.Company, cart, platform, now)
	if err == ErrSessionNotFound {
		return s, false, nil
	}
	return s, err == nil, err
}

func one(ctx context.Context, r store.Reader, where string, args ...any) (s Session, err error) {
	rows, err := r.DB.Query(ctx, `SELECT `+sessionColumns+` FROM assist_session `+where, args...)
	if err != nil {
		return s, err
	}
	s, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Session])
	if store.NoRow(err) {
		err = ErrSessionNotFound
	}
	return s, err
}

// Create stores a new session and counts it for its platform.
func Create(ctx context.Context, tx *store.Tx, s Session) error {
	_, err := tx.DB.Exec(ctx, `
		WITH counted AS (UPDATE assist_platform SET sessions = sessions + 1, seen_at = $12 WHERE company_id = $1 AND id = $4)
		INSERT INTO assist_session (company_id, id, kind, platform_id, person_id, buyer_id, signed, input, state, shown_total, cart_id, created_at, updated_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, nullif($6, 0), $7, $8, $9, $10, nullif($11, ''), $12, $12, $13)`,
		tx.Company, s.ID, s.Kind, s.Platform, s.Person, s.Buyer, s.Signed, s.Input, s.State, s.ShownTotal, s.CartID, s.CreatedAt, s.ExpiresAt)
	return err
}

// Changes of a session as it was read are made only if nobody changed it meanwhile, which they report: no
// two changes of a session have the same time.
const (
	unchanged  = ` WHERE company_id = $1 AND id = $2 AND state = $3 AND updated_at = $4`
	changeTime = ` greatest($5, updated_at + interval '1 microsecond')`
)

// Save stores the input of a session as it was read, its buyer, and the total that its platform is answered.
func Save(ctx context.Context, tx *store.Tx, was, now Session) (saved bool, err error) {
	tag, err := tx.DB.Exec(ctx, `UPDATE assist_session SET updated_at =`+changeTime+`, input = $6, shown_total = $7, buyer_id = nullif($8, 0)`+unchanged,
		tx.Company, was.ID, was.State, was.UpdatedAt, now.UpdatedAt, now.Input, now.ShownTotal, now.Buyer)
	return tag.RowsAffected() > 0, err
}

// Show stores the total that the platform of a session as it was read is answered. It locks the session.
func Show(ctx context.Context, tx *store.Tx, was Session, total int64) (shown bool, err error) {
	tag, err := tx.DB.Exec(ctx, `UPDATE assist_session SET shown_total = $5`+unchanged, tx.Company, was.ID, was.State, was.UpdatedAt, total)
	return tag.RowsAffected() > 0, err
}

// Begin takes the right to place the order of a session as it was read, for its buyer. It returns the
// session as it is then.
func Begin(ctx context.Context, tx *store.Tx, was Session, now time.Time) (begun Session, mine bool, err error) {
	begun = was
	begun.State = Completing
	err = tx.DB.QueryRow(ctx, `UPDATE assist_session SET updated_at =`+changeTime+`, state = 'completing', buyer_id = nullif($6, 0)`+unchanged+` RETURNING updated_at`,
		tx.Company, was.ID, was.State, was.UpdatedAt, now, was.Buyer).Scan(&begun.UpdatedAt)
	if store.NoRow(err) {
		return was, false, nil
	}
	return begun, err == nil, err
}

// Reopen gives the right back that Begin took, unless another call has taken it over, which it reports.
func Reopen(ctx context.Context, tx *store.Tx, begun Session, now time.Time) (mine bool, err error) {
	tag, err := tx.DB.Exec(ctx, `UPDATE assist_session SET updated_at =`+changeTime+`, state = 'open'`+unchanged, tx.Company, begun.ID, begun.State, begun.UpdatedAt, now)
	return tag.RowsAffected() > 0, err
}

// Move changes the state of a session from one of some states, and reports whether it had one of
// them.
func Move(ctx context.Context, tx *store.Tx, id string, to State, now time.Time, from ...State) (moved bool, err error) {
	tag, err := tx.DB.Exec(ctx, `
		UPDATE assist_session SET state = $3, updated_at = $4 WHERE company_id = $1 AND id = $2 AND state = ANY($5)`, tx.Company, id, to, now, from)
	return tag.RowsAffected() > 0, err
}

// Sweep deletes sessions that expired before a moment, and the carts that were theirs alone. A batch reads
// only its own rows, however many sessions and carts there are.
func Sweep(ctx context.Context, s *store.Store, before time.Time) error {
	return s.SweepBatches(ctx, `
		WITH old AS MATERIALIZED (SELECT ctid AS at, company_id, person_id, state FROM assist_session WHERE expires_at < $1 ORDER BY expires_at LIMIT $2),
			emptied AS (DELETE FROM cart WHERE ctid = ANY(ARRAY(
				SELECT c.ctid FROM old o, LATERAL (SELECT ctid FROM cart WHERE company_id = o.company_id AND person_id = o.person_id LIMIT 1) c
				WHERE o.state IN ('open', 'canceled'))))
		DELETE FROM assist_session WHERE ctid = ANY(ARRAY(SELECT at FROM old)) AND expires_at < $1`, before)
}
