package move

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

// Side is one of the two installations.
type Side struct {
	Store *store.Store
	URL   string // of the database, not through a pooler
	ID    uuid.UUID
}

// Config is what a move needs.
type Config struct {
	From, To Side
	Slug     string

	// Copy copies an object that the other bucket lacks.
	Copy func(ctx context.Context, sha string) error

	// Reseal returns a secret that was sealed for an owner at the one installation as the other one
	// seals it for another owner.
	Reseal func(sealed []byte, was, now string) ([]byte, error)

	// LinkKey returns what checks the links of the shop, sealed for the other installation.
	LinkKey func(was, now shop.CompanyID) []byte

	// Origin returns the address of the shop at the other installation.
	Origin   func(slug, domain string) string
	AdminURL string // of the other installation

	passed func()                      // for tests: called after each pass, before the last one
	step   func(m *mover, step string) // for tests: called after each step
}

// Report is what a move has done.
type Report struct {
	CompanyID shop.CompanyID `json:"company_id"` // at the other installation
	Was       shop.CompanyID `json:"was"`
	Slug      string         `json:"slug"`
	Origin    string         `json:"storefront_url"`
	Passes    int            `json:"passes"`
	Rows      int            `json:"rows"` // copied, some more than once

	// How often and for how long writes were refused, in this call and in those before that were
	// interrupted; of one that was killed, up to the last table that it had read.
	Freezes  int   `json:"freezes"`
	FrozenMS int64 `json:"frozen_ms"`
}

// Errors of moves that cannot begin.
var (
	ErrBusy       = errors.New("another process is moving this shop")
	ErrSame       = errors.New("both are the same installation")
	ErrSchema     = errors.New("the schemas of the databases differ: run the same release of vitrine on both, and vitrine migrate")
	ErrOlder      = errors.New("processes of an earlier release are running: stop them first")
	ErrGone       = errors.New("the shop has moved: it can only be moved back, under another slug or after vitrine shop delete here")
	ErrDiffers    = errors.New("the copy differs from the shop")
	ErrHeld       = errors.New("a transaction that writes to the shop does not end")
	errTangled    = errors.New("rows of the copy are in each other's way")
	ErrSlugTaken  = errors.New("the other installation has a shop with this slug: rename one of them (vitrine shop rename)")
	ErrDomainThen = errors.New("the other installation has a shop with the domain of this one")
)

// The steps of a move.
const (
	stepBegun    = "begun"    // the copy exists
	stepCopied   = "copied"   // a pass has ended
	stepFrozen   = "frozen"   // writes are refused
	stepCompared = "compared" // the copy is the shop
	stepHeld     = "held"     // a transaction of somebody else did not end in time
	stepGone     = "gone"     // the shop has gone and not arrived
)

func (m *mover) did(step string) {
	if m.step != nil {
		m.step(m, step)
	}
}

// mover is a move in progress.
type mover struct {
	Config
	lock    *pgx.Conn // at From: holds the locks
	read    *pgx.Conn // at From: reads snapshots
	write   *pgx.Conn // at To
	tables  []*table
	company struct{ from, to shop.CompanyID }
	known   map[int64]int64 // ids of people
	report  Report
	freeze  struct {
		began, noted time.Time // zero: none
		before       int64     // milliseconds of those before
	}
}

// maxPasses is how many passes run before the last one begins, whatever was written meanwhile.
const maxPasses = 8

// fewRows is so little that the last pass need not wait for another one.
const fewRows = 200

// tries is how often the last pass is tried.
const tries = 3

// A transaction that writes to the shop and does not ask (store.Beginner), such as one of an earlier
// release, is waited for only so long, because everybody else is refused meanwhile. Then they may write
// for a while before the next try.
const (
	heldWait  = "1s"
	heldPause = time.Second
	heldTries = 60
)

// Run moves the shop, or goes on with a move that was interrupted.
func Run(ctx context.Context, cfg Config) (report Report, err error) {
	m, gone, err := begin(ctx, cfg)
	if err != nil {
		return report, err
	}
	defer m.close(ctx)
	if !gone {
		m.did(stepBegun)
		if err := m.copyAll(ctx); err != nil {
			return m.report, err
		}
		m.did(stepGone)
	}
	return m.report, m.arrive(ctx)
}

// Undo removes what a move that has not ended copied, with the accounts that it created.
func Undo(ctx context.Context, cfg Config) error {
	m, gone, err := begin(ctx, cfg)
	if err != nil {
		return err
	}
	defer m.close(ctx)
	if gone {
		return ErrGone
	}
	return m.discard(ctx)
}

// begin opens the connections and finds out how far the move is.
func begin(ctx context.Context, cfg Config) (m *mover, gone bool, err error) {
	if cfg.From.ID == cfg.To.ID {
		return nil, false, ErrSame
	}
	opened := &mover{Config: cfg, known: map[int64]int64{}}
	m = opened
	defer func() {
		if err != nil {
			opened.close(ctx)
		}
	}()
	if err := m.connect(ctx); err != nil {
		return nil, false, err
	}
	if m.company.from, gone, err = m.find(ctx); err != nil {
		return nil, false, err
	}
	m.report.Was, m.report.Slug = m.company.from, cfg.Slug
	for _, c := range []*pgx.Conn{m.lock, m.write} {
		if err := exclusive(ctx, c, m.From.ID, m.company.from); err != nil {
			return nil, false, err
		}
	}
	list, err := company.TenantTables(ctx, m.From.Store)
	if err != nil {
		return nil, false, err
	}
	for _, t := range list {
		if store.LeftBehind[t.Base()] == "" {
			m.tables = append(m.tables, newTable(t))
		}
	}
	if err := m.describe(ctx); err != nil {
		return nil, false, err
	}
	if !gone {
		err = m.enter(ctx)
	}
	return m, gone, err
}

func (m *mover) connect(ctx context.Context) (err error) {
	for _, c := range []struct {
		conn **pgx.Conn
		url  string
	}{{&m.lock, m.From.URL}, {&m.read, m.From.URL}, {&m.write, m.To.URL}} {
		if *c.conn, err = store.Connect(ctx, c.url); err != nil {
			return err
		}
		// Rows are compared as texts; triggers see who writes.
		if _, err = (*c.conn).Exec(ctx, `SET timezone = 'UTC'; SET vitrine.moving = 'on'; SET vitrine.restoring = 'on'; SET vitrine.writes = 'asks'`); err != nil {
			return err
		}
	}
	return m.checkProcesses(ctx)
}

// checkProcesses refuses a move between databases of different schemas, or that processes of an earlier
// release work with: those do not send visitors to the other installation, and find rows by ids that
// several shops have.
func (m *mover) checkProcesses(ctx context.Context) (err error) {
	var versions [2]int64
	for i, c := range []*pgx.Conn{m.read, m.write} {
		if versions[i], _, err = store.SchemaOf(ctx, c); err != nil {
			return err
		}
		older, err := store.OlderProcesses(ctx, c)
		if err != nil {
			return err
		}
		if older > 0 {
			return fmt.Errorf("%w: %d work with the database %s", ErrOlder, older, []string{"here", "there"}[i])
		}
	}
	if versions[0] != versions[1] {
		return fmt.Errorf("%w: %d here, %d there", ErrSchema, versions[0], versions[1])
	}
	return nil
}

func (m *mover) close(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	for _, c := range []*pgx.Conn{m.lock, m.read, m.write} {
		if c != nil {
			_ = c.Close(ctx)
		}
	}
}

// find returns the shop that moves, and whether it has gone to the other installation already.
func (m *mover) find(ctx context.Context) (id shop.CompanyID, gone bool, err error) {
	var deleted bool
	var peer *uuid.UUID
	var peerID *shop.CompanyID
	err = m.lock.QueryRow(ctx, `
		SELECT c.id, c.deleted_at IS NOT NULL OR c.import_job IS NOT NULL, m.peer, m.peer_id, coalesce(m.origin, ''),
			coalesce(m.freezes, 0), coalesce(m.frozen_ms, 0)
		FROM company c LEFT JOIN shop_move m ON m.company_id = c.id AND m.gone WHERE c.slug = $1`, m.Slug).
		Scan(&id, &deleted, &peer, &peerID, &m.report.Origin, &m.report.Freezes, &m.report.FrozenMS)
	switch {
	case store.NoRow(err):
		return 0, false, store.ErrShopNotFound.With(m.Slug)
	case err != nil:
		return 0, false, err
	case peer != nil && *peer == m.To.ID:
		m.company.to, m.report.CompanyID = *peerID, *peerID
		return id, true, nil
	case peer != nil:
		return 0, false, ErrGone
	case deleted:
		return 0, false, store.ErrShopNotFound.With(m.Slug + " is deleted or incomplete")
	}
	return id, false, nil
}

// lockWait is how long a command waits for the statements of one that was killed.
const lockWait = "30s"

// exclusive makes sure that no other process, nor a statement that one has left behind, moves the shop.
func exclusive(ctx context.Context, c *pgx.Conn, from uuid.UUID, id shop.CompanyID) error {
	_, err := c.Exec(ctx, `SELECT set_config('lock_timeout', $1, false)`, lockWait)
	if err == nil {
		_, err = c.Exec(ctx, `SELECT pg_advisory_lock(hashtextextended('mover:' || $1::text || ':' || $2::integer::text, 0))`, from, id)
	}
	if code(err) == "55P03" {
		return ErrBusy
	}
	return err
}

func code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// describe reads what TenantTables does not say.
func (m *mover) describe(ctx context.Context) error {
	for _, t := range m.tables {
		err := m.write.QueryRow(ctx, `
			SELECT coalesce((SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
					WHERE i.indrelid = $1::regclass AND i.indisprimary), '{}'),
				coalesce((SELECT array_agg(attname::text) FROM pg_attribute WHERE attrelid = $1::regclass AND attidentity <> ''), '{}')`, t.Ident()).
			Scan(&t.primary, &t.identity)
		if err != nil {
			return err
		}
		if len(t.primary) == 0 {
			return fmt.Errorf("the table %s has no primary key", t.Name)
		}
	}
	return nil
}

// enter finds the shop that is being filled at the other installation, or creates it.
func (m *mover) enter(ctx context.Context) error {
	err := m.write.QueryRow(ctx, `SELECT company_id, freezes, frozen_ms FROM shop_move WHERE NOT gone AND peer = $1 AND peer_id = $2`, m.From.ID, m.company.from).
		Scan(&m.company.to, &m.report.Freezes, &m.report.FrozenMS)
	if store.NoRow(err) {
		err = m.create(ctx)
	}
	m.report.CompanyID = m.company.to
	return err
}

func (m *mover) create(ctx context.Context) error {
	if err := m.checkDomain(ctx); err != nil {
		return err
	}
	row, err := m.shopRow(ctx, m.lock)
	if err != nil {
		return err
	}
	columns, err := columnsOf(row)
	if err != nil {
		return err
	}
	list := company.Quoted(columns)
	err = pgx.BeginFunc(ctx, m.write, func(tx pgx.Tx) error {
		// Nothing finds a deleted shop, and the upkeep keeps one that moves.
		err := tx.QueryRow(ctx, `INSERT INTO company (`+list+`, deleted_at) SELECT `+list+`, now() FROM jsonb_populate_record(NULL::company, $1) RETURNING id`, row).Scan(&m.company.to)
		if err == nil {
			_, err = tx.Exec(ctx, `INSERT INTO shop_move (company_id, peer, peer_id, gone, freezes, frozen_ms) VALUES ($1, $2, $3, false, $4, $5)`,
				m.company.to, m.From.ID, m.company.from, m.report.Freezes, m.report.FrozenMS)
		}
		return err
	})
	if store.UniqueViolation(err, "company_slug_key") {
		return ErrSlugTaken
	}
	return err
}

// checkDomain refuses a shop whose domain another one has at the other installation.
func (m *mover) checkDomain(ctx context.Context) error {
	var domains []string
	err := m.lock.QueryRow(ctx, `SELECT coalesce(array_agg(domain), '{}') FROM company_domain WHERE company_id = $1 AND active_at IS NOT NULL`, m.company.from).Scan(&domains)
	if err != nil {
		return err
	}
	var taken bool
	err = m.write.QueryRow(ctx, `SELECT EXISTS (SELECT FROM company_domain WHERE domain = ANY($1) AND active_at IS NOT NULL AND company_id <> $2)`, domains, m.company.to).Scan(&taken)
	if err == nil && taken {
		err = ErrDomainThen
	}
	return err
}

// shopRow returns the columns of the shop's own row that move.
func (m *mover) shopRow(ctx context.Context, c querier) (row []byte, err error) {
	drop := []string{}
	for column := range unlisted {
		drop = append(drop, column[len("company."):])
	}
	err = c.QueryRow(ctx, `SELECT to_jsonb(c) - $2::text[] FROM company c WHERE id = $1`, m.company.from, drop).Scan(&row)
	return row, err
}

func columnsOf(row []byte) (columns []string, err error) {
	fields := map[string]json.RawMessage{}
	err = json.Unmarshal(row, &fields)
	for name := range fields {
		columns = append(columns, name)
	}
	return columns, err
}

// copyAll copies until the shop has gone.
func (m *mover) copyAll(ctx context.Context) error {
	for m.report.Passes < maxPasses {
		n, err := m.passApart(ctx)
		if err != nil {
			return err
		}
		if m.passed != nil {
			m.passed()
		}
		m.did(stepCopied)
		if n <= fewRows && m.report.Passes > 1 {
			break
		}
	}
	held := 0
	for try := 1; ; {
		err := m.leave(ctx)
		switch {
		case errors.Is(err, ErrHeld) && held < heldTries:
			held++
			m.did(stepHeld)
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(heldPause):
			}
		case try < tries && (errors.Is(err, ErrDiffers) || errors.Is(err, errTangled)):
			try++
			if err := m.restart(ctx); err != nil {
				return err
			}
		default:
			return err
		}
		if _, err := m.passApart(ctx); err != nil {
			return err
		}
	}
}

// passApart is a pass outside of the freeze.
func (m *mover) passApart(ctx context.Context) (n int, err error) {
	err = m.snapshot(ctx, func(tx pgx.Tx) error {
		n, err = m.pass(ctx, tx)
		return err
	})
	if errors.Is(err, errTangled) {
		return fewRows + 1, m.restart(ctx)
	}
	if err == nil && n > fewRows {
		err = m.analyze(ctx)
	}
	return n, err
}

// analyze tells the planner of the other database what has come: its plans for empty tables would take
// the first visitors there seconds.
func (m *mover) analyze(ctx context.Context) error {
	for _, t := range m.tables {
		if _, err := m.write.Exec(ctx, `ANALYZE `+t.Ident()); err != nil {
			return err
		}
	}
	return nil
}

// restart removes the copy, so that the next pass begins with nothing in its way.
func (m *mover) restart(ctx context.Context) error {
	if err := m.discard(ctx); err != nil {
		return err
	}
	clear(m.known)
	return m.enter(ctx)
}

// leave makes the last pass while no write of the shop is committed, compares, and marks the shop as
// gone. Whatever interrupts it, the shop goes on selling here unless it has gone.
func (m *mover) leave(ctx context.Context) (err error) {
	if err := m.checkProcesses(ctx); err != nil {
		return err
	}
	if err := m.checkDomain(ctx); err != nil {
		return err
	}
	if err := m.beginFreeze(ctx); err != nil {
		return err
	}
	tx, err := m.lock.Begin(ctx)
	if err == nil {
		err = m.leaveFrozen(ctx, tx)
		err = errors.Join(err, unlessClosed(tx.Rollback(context.WithoutCancel(ctx)))) // ends the freeze
	}
	return errors.Join(err, m.endFreeze(context.WithoutCancel(ctx), err == nil))
}

func unlessClosed(err error) error {
	if errors.Is(err, pgx.ErrTxClosed) {
		return nil
	}
	return err
}

func (m *mover) leaveFrozen(ctx context.Context, tx pgx.Tx) error {
	// Commits that were allowed end first, and those that come now are refused.
	_, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', $1, true)`, heldWait)
	if err == nil {
		_, err = tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('moving:' || $1::integer::text, 0)), pg_advisory_xact_lock(hashtextextended('moving:people', 0))`, m.company.from)
	}
	if code(err) == "55P03" {
		return ErrHeld
	}
	if err != nil {
		return err
	}
	m.did(stepFrozen)
	err = m.snapshot(ctx, func(read pgx.Tx) error {
		if _, err := m.pass(ctx, read); err != nil {
			return err
		}
		if err := m.compare(ctx, read); err != nil {
			return err
		}
		return m.raiseSequences(ctx, read)
	})
	if err == nil {
		m.did(stepCompared)
		err = m.checkDomain(ctx)
	}
	if err == nil {
		err = m.markGone(ctx, tx)
	}
	return err
}

// noteEvery is how often a freeze stores how long it has lasted, for a call that does not see its end.
const noteEvery = 100 * time.Millisecond

func (m *mover) beginFreeze(ctx context.Context) error {
	m.report.Freezes++
	m.freeze.before = m.report.FrozenMS
	_, err := m.write.Exec(ctx, `UPDATE shop_move SET freezes = $2 WHERE company_id = $1`, m.company.to, m.report.Freezes)
	m.freeze.began = time.Now()
	m.freeze.noted = m.freeze.began
	return err
}

// noteFreeze stores how long writes have been refused, if they are.
func (m *mover) noteFreeze(ctx context.Context) error {
	if m.freeze.began.IsZero() || time.Since(m.freeze.noted) < noteEvery {
		return nil
	}
	m.freeze.noted = time.Now()
	m.report.FrozenMS = m.freeze.before + time.Since(m.freeze.began).Milliseconds()
	_, err := m.write.Exec(ctx, `UPDATE shop_move SET frozen_ms = $2 WHERE company_id = $1`, m.company.to, m.report.FrozenMS)
	return err
}

// endFreeze stores it for a freeze after which the shop sells on.
func (m *mover) endFreeze(ctx context.Context, gone bool) error {
	m.freeze.noted = time.Time{}
	if gone {
		m.report.FrozenMS = m.freeze.before + time.Since(m.freeze.began).Milliseconds()
		return nil
	}
	err := m.noteFreeze(ctx)
	m.freeze.began = time.Time{}
	return err
}

// markGone ends the shop here, in the transaction of the freeze.
func (m *mover) markGone(ctx context.Context, pgTx pgx.Tx) error {
	domain := ""
	err := pgTx.QueryRow(ctx, `SELECT coalesce(min(domain), '') FROM company_domain WHERE company_id = $1 AND active_at IS NOT NULL`, m.company.from).Scan(&domain)
	if err != nil {
		return err
	}
	m.report.Origin = m.Origin(m.Slug, domain)
	if err := bump(ctx, pgTx, m.company.from); err != nil {
		return err
	}
	if _, err := pgTx.Exec(ctx, `UPDATE company SET deleted_at = now() WHERE id = $1`, m.company.from); err != nil {
		return err
	}
	_, err = pgTx.Exec(ctx, `INSERT INTO shop_move (company_id, peer, peer_id, gone, origin, admin_url, freezes, frozen_ms) VALUES ($1, $2, $3, true, $4, $5, $6, $7)`,
		m.company.from, m.To.ID, m.company.to, m.report.Origin, m.AdminURL, m.report.Freezes, m.freeze.before+time.Since(m.freeze.began).Milliseconds())
	if err != nil {
		return err
	}
	return pgTx.Commit(ctx)
}

// bump tells the processes of an installation that the shop has changed as a whole.
func bump(ctx context.Context, pgTx pgx.Tx, id shop.CompanyID) error {
	tx := &store.Tx{Reader: store.Reader{DB: pgTx, Company: id}, PG: pgTx}
	tx.Changed(shop.Key{Kind: shop.KeyShop})
	_, err := tx.Bump(ctx)
	return err
}

// arrive makes the copy the shop. It changes nothing once it is.
func (m *mover) arrive(ctx context.Context) error {
	return pgx.BeginFunc(ctx, m.write, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM shop_move WHERE company_id = $1 AND NOT gone`, m.company.to)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		for _, sql := range []string{
			`DELETE FROM shop_move_person WHERE company_id = $1`,
			`UPDATE company SET deleted_at = NULL WHERE id = $1`,
			// The calls that had begun will not end: whoever repeats them need not wait for them.
			`UPDATE idempotency_key SET lease_until = now() WHERE company_id = $1 AND status = 0`,
			`UPDATE person p SET main_company_id = $1 FROM member m WHERE m.company_id = $1 AND m.person_id = p.id AND m.role = 'owner' AND p.main_company_id IS NULL`,
		} {
			if _, err := tx.Exec(ctx, sql, m.company.to); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO shop_link_key (company_id, peer, was, sealed) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			m.company.to, m.From.ID, m.company.from, m.LinkKey(m.company.from, m.company.to))
		if err != nil {
			return err
		}
		return bump(ctx, tx, m.company.to)
	})
}

// discard removes the copy and the accounts that it created, unless somebody uses them.
func (m *mover) discard(ctx context.Context) error {
	var made []int64
	err := m.write.QueryRow(ctx, `SELECT coalesce(array_agg(id), '{}') FROM shop_move_person WHERE company_id = $1 AND made`, m.company.to).Scan(&made)
	if err != nil {
		return err
	}
	if _, err := company.DeleteCompany(ctx, m.To.Store, m.company.to); err != nil {
		return err
	}
	_, err = m.write.Exec(ctx, `
		DELETE FROM person p WHERE id = ANY($1) AND NOT EXISTS (SELECT FROM session s WHERE s.person_id = p.id)
			AND NOT EXISTS (SELECT FROM member m WHERE m.person_id = p.id)`, made)
	return err
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}
