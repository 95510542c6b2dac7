package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// parent runs the processes of an edge. It serves nothing but operators: each process opens the
// address of the edge by itself once it can serve, and the kernel spreads connections over them. So
// a process that dies or waits gets no connections, and the parent needs neither database nor
// bucket.
//
// The processes end when their standard input does, so also if the parent is killed.
type parent struct {
	s      *Settings
	log    *slog.Logger
	given  map[string]*os.File // from systemd
	slots  []*slot
	whole  atomic.Bool // all slots have had a process that was ready
	deaths atomic.Int64

	mu   sync.Mutex
	keys [][32]byte // of session tickets, the newest first
}

// slot is the place of a process, in which one follows another.
type slot struct {
	number int
	now    atomic.Pointer[child] // nil: none runs
}

// child is a process as its parent sees it.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	client *http.Client // asks what operators ask
	done   chan struct{}
	err    error // valid once done is closed
}

// Times of processes.
const (
	ticketKeys   = 3
	keysEvery    = 12 * time.Hour // so sessions are resumed for 24 hours at least
	readyEvery   = 50 * time.Millisecond
	askTime      = 5 * time.Second
	firstPause   = 100 * time.Millisecond // before a process is replaced that ended soon
	longestPause = 10 * time.Second
	longLived    = 30 * time.Second               // after which a process has not ended soon
	endTime      = handOver + drainTime + askTime // for a process that is told to end
)

// runProcesses runs the processes of an edge until the context ends.
func runProcesses(ctx context.Context, s *Settings) (err error) {
	p := &parent{s: s, log: s.logger(), keys: make([][32]byte, ticketKeys)}
	for i := range p.keys {
		_, _ = rand.Read(p.keys[i][:]) // never fails
	}
	if p.given, err = activated(); err != nil {
		return err
	}
	if len(p.given) == 0 && !s.ReusePort { // the processes share the address with each other only
		l, err := open(edgeSocket, s.EdgeListen, false)
		if err != nil {
			return err
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	l, err := open("ops", s.OpsListen, false)
	if err != nil {
		return err
	}
	for number := range s.EdgeProcesses {
		p.slots = append(p.slots, &slot{number: number})
	}
	ops := opsServer(s.opsHosts(), p.operators(), p.log)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := ops.Serve(netutil.LimitListener(l, maxOpsConnections)); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("ops: %w", err)
		}
		return nil
	})
	group.Go(func() error { p.rotateKeys(ctx); return nil })
	var running, starting sync.WaitGroup
	starting.Add(len(p.slots))
	go func() {
		starting.Wait()
		p.whole.Store(true)
	}()
	first := make(chan struct{}) // the first process alone waits for what is unavailable, or says what is wrong
	started := sync.OnceFunc(func() { close(first) })
	for _, s := range p.slots {
		running.Add(1)
		group.Go(func() error {
			defer running.Done()
			ready := sync.OnceFunc(starting.Done)
			defer ready()
			if s.number > 0 {
				select {
				case <-ctx.Done():
					return nil
				case <-first:
				}
			}
			return p.keep(ctx, s, func() { started(); ready() })
		})
	}
	<-ctx.Done()
	running.Wait() // operators see what happens until the end
	end, cancel := context.WithTimeout(context.Background(), opsDrainTime)
	defer cancel()
	if ops.Shutdown(end) != nil {
		err = ops.Close()
	}
	return errors.Join(group.Wait(), err)
}

// keep runs one process after another until the context ends. It returns an error if none has
// ever become ready: then a start must fail as it does for one process.
func (p *parent) keep(ctx context.Context, s *slot, started func()) error {
	lived, pause := false, firstPause
	for {
		begin := time.Now()
		c, err := p.start(s)
		if err == nil {
			s.now.Store(c)
			if p.awaitReady(ctx, c) {
				lived = true
				started()
			}
			select {
			case <-ctx.Done():
				p.end(s, c)
			case <-c.done:
			}
			s.now.Store(nil)
			_ = c.stdin.Close() // the process has ended
			err = c.err
		}
		if ctx.Err() != nil {
			return nil
		}
		if !lived {
			return fmt.Errorf("process %d: %w", s.number, err)
		}
		p.deaths.Add(1)
		if time.Since(begin) > longLived {
			pause = firstPause
		}
		p.log.Warn("a process has ended and is replaced", "process", s.number, "after", pause, "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

// start starts a process.
func (p *parent) start(s *slot) (*child, error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ops"), os.NewFile(uintptr(pair[1]), "ops")
	defer theirs.Close() //nolint:errcheck // the process has a copy
	conn, err := net.FileConn(ours)
	_ = ours.Close() // conn is a copy
	if err != nil {
		return nil, err
	}
	names, files := socketNames(p.given)
	c := &child{client: overOne(conn), done: make(chan struct{})}
	c.cmd = exec.Command(ownProgram, append(os.Args[1:len(os.Args):len(os.Args)], "--process", strconv.Itoa(s.number), "--sockets", strings.Join(names, ","))...)
	c.cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	c.cmd.ExtraFiles = append([]*os.File{theirs}, files...)
	c.cmd.Stdout, c.cmd.Stderr = os.Stdout, os.Stderr
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a Ctrl+C is for the parent
	if c.stdin, err = c.cmd.StdinPipe(); err == nil {
		err = startWithSlack(c.cmd)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	go func() {
		c.err = c.cmd.Wait()
		_ = conn.Close() // it may be closed
		close(c.done)
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	c.send(p.keys)
	return c, nil
}

// timerSlack is how much longer than asked the threads of a process may sleep. Under load, system
// calls take long enough for the monitor of Go's scheduler to wake every 20 µs, which costs a process
// with one scheduler thread a quarter of its processor time.
const timerSlack = 5 * time.Millisecond

// startWithSlack starts a command with timerSlack, which threads inherit from the one that starts
// them.
func startWithSlack(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	usual, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(timerSlack), 0, 0, 0)
	}
	if err != nil {
		return err
	}
	return errors.Join(cmd.Start(), unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(usual), 0, 0, 0))
}

// overOne is a client whose requests share one connection.
func overOne(conn net.Conn) *http.Client {
	var h2 http.Protocols
	h2.SetUnencryptedHTTP2(true)
	given := make(chan net.Conn, 1)
	given <- conn
	return &http.Client{Transport: &http.Transport{Protocols: &h2, DialContext: func(context.Context, string, string) (net.Conn, error) {
		select {
		case c := <-given:
			return c, nil
		default:
			return nil, net.ErrClosed
		}
	}}}
}

// send passes keys of session tickets to a process. A process that has ended does not read them.
func (c *child) send(keys [][32]byte) {
	var sent []byte
	for _, key := range keys {
		sent = append(sent, key[:]...)
	}
	_, _ = c.stdin.Write(sent)
}

// end tells a process to end, and kills it if it does not.
func (p *parent) end(s *slot, c *child) {
	_ = c.stdin.Close() // it may be closed
	select {
	case <-c.done:
		if c.err != nil {
			p.log.Warn("a process has ended with an error", "process", s.number, "error", c.err)
		}
	case <-time.After(endTime):
		p.log.Warn("a process that did not end is killed", "process", s.number)
		_ = c.cmd.Process.Kill() // it may have ended
		<-c.done
	}
}

// awaitReady waits until a process is ready; false: it has ended, or the context has.
func (p *parent) awaitReady(ctx context.Context, c *child) bool {
	for tick := time.NewTicker(readyEvery); ; {
		if a, err := c.ask(ctx, "/readyz"); err == nil && a.status == http.StatusOK {
			tick.Stop()
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-c.done:
			return false
		case <-tick.C:
		}
	}
}

// rotateKeys makes a new key of session tickets from time to time. The oldest one is forgotten.
func (p *parent) rotateKeys(ctx context.Context) {
	tick := time.NewTicker(keysEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.newKey()
		}
	}
}

func (p *parent) newKey() {
	p.mu.Lock()
	defer p.mu.Unlock()
	keys := make([][32]byte, ticketKeys)
	_, _ = rand.Read(keys[0][:]) // never fails
	copy(keys[1:], p.keys)
	p.keys = keys
	for _, s := range p.slots {
		if c := s.now.Load(); c != nil {
			c.send(keys)
		}
	}
}

// answered is what a process answered its parent.
type answered struct {
	status int
	kind   string // of content
	body   []byte
}

const maxAnswered = 64 << 20 // bytes

// ask asks a process what operators ask.
func (c *child) ask(ctx context.Context, target string) (a answered, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+target, nil)
	if err != nil {
		return a, err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return a, err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	var body bytes.Buffer
	_, err = io.Copy(&body, io.LimitReader(response.Body, maxAnswered))
	return answered{response.StatusCode, response.Header.Get("Content-Type"), body.Bytes()}, err
}
