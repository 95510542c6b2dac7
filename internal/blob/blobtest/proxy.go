package blobtest

import (
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy is a TCP proxy between a client and a server whose connections can be cut.
type Proxy struct {
	addr string
	to   string

	mu       sync.Mutex
	up, down int64 // bytes that may still pass, per direction
	whole    bool
	frozen   chan struct{} // nil, or closed when it thaws
	delay    time.Duration // of each 4 KB
	open     map[net.Conn]bool
}

// newLine listens until the test ends.
func newLine(t testing.TB, to string) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Proxy{addr: listener.Addr().String(), to: to, whole: true, open: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { l.carry(conn) })
		}
	})
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		l.Cut()
		all.Wait()
	})
	return l
}

// Cut closes all connections, and each new one at once.
func (l *Proxy) Cut() { l.set(0, 0, false) }

// CutAfter passes a number of bytes in each direction, and then cuts.
func (l *Proxy) CutAfter(up, down int64) { l.set(up, down, false) }

// Freeze keeps all connections and accepts new ones, but passes nothing.
func (l *Proxy) Freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frozen == nil {
		l.frozen = make(chan struct{})
	}
}

// Slow delays each 4 KB in each direction.
func (l *Proxy) Slow(delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = delay
}

// hold waits as long as the next bytes are delayed, and while the proxy is frozen.
func (l *Proxy) hold() {
	l.mu.Lock()
	frozen, delay := l.frozen, l.delay
	l.mu.Unlock()
	time.Sleep(delay)
	if frozen != nil {
		<-frozen
	}
}

// Restore passes everything again.
func (l *Proxy) Restore() { l.set(0, 0, true) }

// set also closes open connections, so that none follows an older setting.
func (l *Proxy) set(up, down int64, whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up, l.down, l.whole, l.delay = up, down, whole, 0
	if l.frozen != nil {
		close(l.frozen)
		l.frozen = nil
	}
	l.hangUp()
}

func (l *Proxy) hangUp() {
	for conn := range l.open {
		conn.Close()
	}
	clear(l.open)
}

// carry copies in both directions until either side ends.
func (l *Proxy) carry(client net.Conn) {
	server, err := net.Dial("tcp", l.to)
	if err != nil {
		client.Close()
		return
	}
	l.mu.Lock()
	l.open[client], l.open[server] = true, true
	l.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { l.copy(server, client, &l.up) })
	both.Go(func() { l.copy(client, server, &l.down) })
	both.Wait()
	l.mu.Lock()
	delete(l.open, client)
	delete(l.open, server)
	l.mu.Unlock()
}

func (l *Proxy) copy(to, from net.Conn, left *int64) {
	defer to.Close()
	defer from.Close()
	chunk := make([]byte, 4<<10)
	for {
		n, err := from.Read(chunk)
		l.hold()
		passes := l.spend(left, int64(n))
		if passes > 0 {
			if _, err := to.Write(chunk[:passes]); err != nil {
				return
			}
		}
		if err != nil || passes < int64(n) {
			return
		}
	}
}

// spend returns how many of n bytes may pass. If not all of them may, it cuts all
// connections.
func (l *Proxy) spend(left *int64, n int64) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.whole {
		return n
	}
	passes := min(n, *left)
	*left -= passes
	if passes < n {
		l.up, l.down = 0, 0
	}
	return passes
}
