package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/shop"
)

// ErrInDoubt is the answer to a writer whose commit was sent and never
// confirmed: nobody can know without looking whether it counts.
var ErrInDoubt = shop.Refuse(shop.Unavailable, shop.ErrUnavailable.Code).When(shop.ErrUnavailable.Meaning).
	With("the database went away while this was saved: look whether it was, or send it again with the same Idempotency-Key").RetryAfter(1)

// outageCodes begin the SQLSTATEs of a server that cannot serve for now, whatever
// was asked of it.
var outageCodes = []string{
	"08",    // the connection
	"53",    // a full disk, no memory, too many connections
	"57P0",  // shutting down, crashed, starting up
	"58",    // errors of the operating system
	"25006", // read-only: a standby that has not taken over yet
}

// queryCanceled is the SQLSTATE of a statement that took longer than it may.
const queryCanceled = "57014"

// Outage reports that err says nothing about what was asked, only that the
// database cannot answer for now: it is away, starts or stops, has a full disk or
// no room for another connection. The same call may succeed later.
func Outage(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return slices.ContainsFunc(outageCodes, func(code string) bool { return strings.HasPrefix(refused.Code, code) })
	}
	var away *pgconn.ConnectError
	var cut *cutError
	return errors.As(err, &away) || errors.As(err, &cut) || errors.Is(err, pgconn.ErrConnClosed)
}

// TooLong reports that the database ended a statement that took longer than it
// may (statementTimeout).
func TooLong(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == queryCanceled
}

// commit ends a transaction. A server that refuses it, or was never asked, has
// kept nothing; silence after the question is ErrInDoubt.
func commit(ctx context.Context, tx pgx.Tx) error {
	asked := !tx.Conn().IsClosed()
	err := tx.Commit(ctx)
	if err == nil {
		return nil
	}
	if asked && unheard(err) {
		return fmt.Errorf("%w: commit: %w", ErrInDoubt, err)
	}
	return fmt.Errorf("commit: %w", err)
}

// unheard reports that a question may have reached the server and its answer
// never came. The driver calls a connection closed whose end it has just read.
func unheard(err error) bool {
	var refused *pgconn.PgError
	switch {
	case errors.Is(err, pgx.ErrTxCommitRollback), errors.Is(err, pgx.ErrTxClosed):
		return false
	case errors.As(err, &refused):
		return Outage(err)
	case errors.Is(err, pgconn.ErrConnClosed):
		return true
	}
	return !pgconn.SafeToRetry(err)
}

// cutError is the end of a connection that nobody here asked for.
type cutError struct{ error }

func (e *cutError) Unwrap() error { return e.error }

// wire is a connection to the database whose failures can be told from those of
// every other connection in the program. Time-outs are the caller's own.
type wire struct{ net.Conn }

func (w wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	return n, cut(err)
}

func (w wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	return n, cut(err)
}

func cut(err error) error {
	var timeout net.Error
	if err == nil || errors.As(err, &timeout) && timeout.Timeout() {
		return err
	}
	return &cutError{err}
}

// wired makes the connections of a pool wires.
func wired(cfg *pgxpool.Config) {
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return wire{conn}, nil
	}
}
