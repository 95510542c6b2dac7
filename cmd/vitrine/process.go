package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"

	"vitrine/internal/gate"
)

type edgeCmd struct {
	Process int    `hidden:"" default:"-1" help:"Number of this process among those of an edge; set by their parent."`
	Sockets string `hidden:"" help:"Names of the listening sockets given to this process; set by its parent."`
}

// Run serves the storefronts.
func (c *edgeCmd) Run(ctx context.Context, s *Settings) error {
	if c.Process >= 0 {
		return c.runProcess(ctx, s)
	}
	if s.EdgeProcesses > 1 && s.EdgeProcesses <= maxProcesses {
		return runProcesses(ctx, s)
	}
	return run(ctx, s, roles{edge: true})
}

// process is one of several processes of an edge, as its parent set it up: standard input delivers
// the keys of session tickets and ends with the parent, the first of the files is the connection on
// which the parent asks what operators ask, and the others are listening sockets.
type process struct {
	number  int
	ops     net.Listener
	given   map[string]*os.File
	tickets *gate.Tickets
}

const firstFile = 3 // of those that a process is given beside the standard ones

// ticketKeys are the keys that the processes of an edge share; nil for the only process.
func (p *process) ticketKeys() *gate.Tickets {
	if p == nil {
		return nil
	}
	return p.tickets
}

func (c *edgeCmd) runProcess(ctx context.Context, s *Settings) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p := &process{number: c.Process, given: map[string]*os.File{}, tickets: &gate.Tickets{}}
	if err := p.readKeys(); err != nil {
		return fmt.Errorf("--process is for the parent of several processes: %w", err)
	}
	go func() {
		for p.readKeys() == nil {
		}
		stop() // the parent wants it, or is dead
	}()
	file := os.NewFile(firstFile, "ops")
	conn, err := net.FileConn(file)
	if err != nil {
		return errors.Join(fmt.Errorf("--process is for the parent of several processes: %w", err), file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	p.ops = &oneConn{conn: conn, done: make(chan struct{})}
	for i, name := range strings.FieldsFunc(c.Sockets, func(r rune) bool { return r == ',' }) {
		p.given[name] = os.NewFile(uintptr(firstFile+1+i), name)
	}
	s.EdgeCache /= int64(s.EdgeProcesses)
	s.EdgeShops /= int64(s.EdgeProcesses)
	return run(ctx, s, roles{edge: true, process: p})
}

// readKeys waits for keys of session tickets from the parent.
func (p *process) readKeys() error {
	var sent [ticketKeys * 32]byte
	if _, err := io.ReadFull(os.Stdin, sent[:]); err != nil {
		return err
	}
	keys := make([][32]byte, ticketKeys)
	for i := range keys {
		copy(keys[i][:], sent[i*32:])
	}
	p.tickets.Set(keys)
	return nil
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn net.Conn
	once sync.Once
	end  sync.Once
	done chan struct{}
}

func (l *oneConn) Accept() (c net.Conn, err error) {
	l.once.Do(func() { c = l.conn })
	if c == nil {
		<-l.done
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l *oneConn) Close() error {
	l.end.Do(func() { close(l.done) })
	return nil
}

func (l *oneConn) Addr() net.Addr { return l.conn.LocalAddr() }
