package storetest

import (
	"context"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Line is the connection to the database, which a test can cut: Lay is a setting of
// store.Open. The zero value is connected. Cut after increasing numbers of steps, it
// interrupts every exchange of a call with the database in turn, including the answer of a
// commit.
type Line struct {
	mu    sync.Mutex
	cut   bool
	steps int // remaining messages before the cut; 0: no cut requested
	conns map[net.Conn]bool
}

// Apply makes a pool's connections use the line.
func (l *Line) Apply(cfg *pgxpool.Config) {
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if l.isCut() {
			return nil, syscall.ECONNREFUSED
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.conns == nil {
			l.conns = map[net.Conn]bool{}
		}
		l.conns[conn] = true
		return lineConn{conn, l}, nil
	}
}

// Cut closes all connections and refuses new ones, after the given number of messages in
// either direction.
func (l *Line) Cut(after int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.steps = after; after == 0 {
		l.sever()
	}
}

// Mend allows connections again.
func (l *Line) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut, l.steps = false, 0
}

// sever is called with mu held.
func (l *Line) sever() {
	l.cut = true
	for conn := range l.conns {
		_ = conn.Close() // an error means that the pool has closed it already
	}
	clear(l.conns)
}

func (l *Line) isCut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut
}

// step counts a message, and reports whether it may pass.
func (l *Line) step() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.steps > 0 {
		if l.steps--; l.steps == 0 {
			l.sever()
		}
	}
	return !l.cut
}

// lineConn is one connection of a line.
type lineConn struct {
	net.Conn
	line *Line
}

func (s lineConn) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if err == nil && !s.line.step() {
		return 0, syscall.ECONNRESET
	}
	return n, err
}

func (s lineConn) Write(p []byte) (int, error) {
	if !s.line.step() {
		return 0, syscall.EPIPE
	}
	return s.Conn.Write(p)
}

// FailInserts makes every insert into a table of a database fail with the SQLSTATE of a server
// failure: a full disk, a shutdown.
func FailInserts(ctx context.Context, url, table, code string) error {
	return beforeInserts(ctx, url, table, `RAISE EXCEPTION USING ERRCODE = '`+code+`', MESSAGE = 'befallen'`)
}

// SlowInserts makes every insert into a table of a database take a while, so that a test can
// interrupt a transaction at that point.
func SlowInserts(ctx context.Context, url, table string, by time.Duration) error {
	return beforeInserts(ctx, url, table, fmt.Sprintf(`PERFORM pg_sleep(%g); RETURN NEW`, by.Seconds()))
}

func beforeInserts(ctx context.Context, url, table, do string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `
		CREATE OR REPLACE FUNCTION befallen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN `+do+`; END $$;
		CREATE OR REPLACE TRIGGER befallen BEFORE INSERT ON `+table+` FOR EACH ROW EXECUTE FUNCTION befallen()`)
	return err
}
