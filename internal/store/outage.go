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

// ErrCommitUnknown is returned to a writer whose commit was sent but never confirmed: without
// checking it is unknown whether it succeeded.
var ErrCommitUnknown = shop.Refuse(shop.Unavailable, shop.ErrUnavailable.Code).When(shop.ErrUnavailable.Meaning).
	With("the connection to the database broke during the commit: check whether the change was saved, or send it again with the same Idempotency-Key").RetryAfter(1)

// outageCodes are prefixes of the SQLSTATEs of a server that cannot serve for now,
// regardless of the statement.
var outageCodes = []string{
	"08",   // the connection
	"53",   // a full disk, no memory, too many connections
	"57P0", // shutting down, crashed, starting up
	"58",   // errors of the operating system
	readOnly,
	"VMOVE", // the shop moves to another installation
}

// queryCanceled is the SQLSTATE of a statement that exceeded its timeout.
const queryCanceled = "57014"

// IsUnavailable reports whether err only means that the database is unavailable for now: it is
// down, starting or stopping, has a full disk or no free connection. The same call may
// succeed later.
func IsUnavailable(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return slices.ContainsFunc(outageCodes, func(code string) bool { return strings.HasPrefix(refused.Code, code) })
	}
	var away *pgconn.ConnectError
	var cut *connectionError
	return errors.As(err, &away) || errors.As(err, &cut) || errors.Is(err, pgconn.ErrConnClosed)
}

// diskFull is the SQLSTATE of a server without space.
const diskFull = "53100"

// IsDiskFull reports whether the disk of the database is full.
func IsDiskFull(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == diskFull
}

// readOnly is the SQLSTATE of a write at a server that only answers reads: a standby that has not taken
// over yet, a primary that has become one, or one whose operator has set it so.
const readOnly = "25006"

// IsReadOnly reports whether the database only answers reads.
func IsReadOnly(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == readOnly
}

// TimedOut reports whether the database cancelled a statement that exceeded its timeout
// (statementTimeout).
func TimedOut(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == queryCanceled
}

// commit commits a transaction. If the server refuses, or the request was never sent,
// nothing was saved; if the request was sent and no answer came, it returns ErrCommitUnknown.
func commit(ctx context.Context, tx pgx.Tx) error {
	sent := !tx.Conn().IsClosed()
	err := tx.Commit(ctx)
	if err == nil {
		return nil
	}
	if sent && unanswered(err) {
		return fmt.Errorf("%w: commit: %w", ErrCommitUnknown, err)
	}
	return fmt.Errorf("commit: %w", err)
}

// unanswered reports whether a request may have reached the server while its answer never
// came. The driver reports a connection as closed when it has just read its end.
func unanswered(err error) bool {
	var refused *pgconn.PgError
	switch {
	case errors.Is(err, pgx.ErrTxCommitRollback), errors.Is(err, pgx.ErrTxClosed):
		return false
	case errors.As(err, &refused):
		return IsUnavailable(err)
	case errors.Is(err, pgconn.ErrConnClosed):
		return true
	}
	return !pgconn.SafeToRetry(err)
}

// connectionError is a connection failure that this side did not cause.
type connectionError struct{ error }

func (e *connectionError) Unwrap() error { return e.error }

// dbConn is a connection to the database whose failures can be distinguished from those of
// every other connection in the program. Timeouts are the caller's and not wrapped.
type dbConn struct{ net.Conn }

func (w dbConn) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	return n, wrapConnError(err)
}

func (w dbConn) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	return n, wrapConnError(err)
}

func wrapConnError(err error) error {
	var timeout net.Error
	if err == nil || errors.As(err, &timeout) && timeout.Timeout() {
		return err
	}
	return &connectionError{err}
}

// wrapConnections makes a pool wrap its connections as wires.
func wrapConnections(cfg *pgxpool.Config) {
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return dbConn{conn}, nil
	}
}
