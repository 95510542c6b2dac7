package move

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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
	freeze  freeze
}

// maxPasses is how many passes run before the last one begins, whatever was written meanwhile.
const maxPasses = 8

// fewRows is so little that the last pass need not wait for another one.
const fewRows = 200

// tries is how often the last pass is tried.
const tries = 3

// heldTries is how often the last pass waits for a transaction of somebody else (ErrHeld). In the pauses
// everybody may write.
const (
	heldTries = 60
	heldPause = time.Second
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
	return m.frozen(ctx, func(tx pgx.Tx) error {
		m.did(stepFrozen)
		err := m.snapshot(ctx, func(read pgx.Tx) error {
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
	})
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
		m.company.from, m.To.ID, m.company.to, m.report.Origin, m.AdminURL, m.report.Freezes, m.freeze.total())
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
