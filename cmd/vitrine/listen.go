package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"golang.org/x/sys/unix"
)

// listeners are the listeners of a process, each nil if its role runs elsewhere.
//
// They are opened before everything else, so that an address in use is reported at once;
// connections made before the process serves have to wait. A process that shares its addresses
// with others opens them when it can serve: until then the others get all connections.
type listeners struct {
	ops, admin, edge, plain net.Listener

	given map[string]*os.File // listening sockets from systemd or from the parent, by name
	kept  []net.Listener      // those of given sockets, which others keep open
	older int                 // sockets of an address that older processes than a successor have; 0: addresses are not shared
}

// Names of listening sockets that a process is given.
const (
	edgeSocket  = "edge"
	plainSocket = "edge-http"
	adminSocket = "admin"
)

// activated are the listening sockets that systemd gives this process.
func activated() (map[string]*os.File, error) {
	given := map[string]*os.File{}
	for _, file := range activation.Files(true) {
		if given[file.Name()] != nil {
			return nil, fmt.Errorf("two listening sockets are called %q", file.Name())
		}
		given[file.Name()] = file
	}
	return given, nil
}

// openEarly opens what this process does not share with others.
func (d *listeners) openEarly(s *Settings, r roles) (err error) {
	if r.process != nil {
		d.ops, d.given, d.older = r.process.ops, r.process.given, s.EdgeProcesses
	} else {
		if d.ops, err = open("ops", s.OpsListen, false); err != nil {
			return err
		}
		if d.given, err = activated(); err != nil {
			return err
		}
		d.older = 1
	}
	if !s.ReusePort {
		d.older = 0
	}
	if d.shares(s, r) {
		return nil
	}
	return d.openAll(s, r, false)
}

// openLate opens what this process shares with others.
func (d *listeners) openLate(s *Settings, r roles) error {
	if !d.shares(s, r) {
		return nil
	}
	return d.openAll(s, r, true)
}

func (d *listeners) shares(s *Settings, r roles) bool { return s.ReusePort || r.process != nil }

func (d *listeners) openAll(s *Settings, r roles, shared bool) (err error) {
	only := edgeSocket
	if !r.edge {
		only = adminSocket
	}
	for _, l := range []struct {
		opens         bool
		name, address string
		to            *net.Listener
	}{
		{r.admin, adminSocket, s.AdminListen, &d.admin}, {r.edge, edgeSocket, s.EdgeListen, &d.edge}, {r.edge && s.EdgeHTTPListen != "", plainSocket, s.EdgeHTTPListen, &d.plain},
	} {
		if !l.opens {
			continue
		}
		if file := d.take(l.name, l.name == only); file != nil {
			*l.to, err = net.FileListener(file)
			_ = file.Close() // the listener has a copy
			if err != nil {
				return fmt.Errorf("%s: the socket given to this process: %w", l.name, err)
			}
			d.kept = append(d.kept, *l.to)
		} else if *l.to, err = open(l.name, l.address, shared); err != nil {
			return err
		}
	}
	for name := range d.given {
		return fmt.Errorf("this process was given a listening socket called %q, which it has no use for", name)
	}
	return nil
}

// take returns a given socket by its name, or the only one.
func (d *listeners) take(name string, only bool) *os.File {
	if _, named := d.given[name]; !named && only && len(d.given) == 1 {
		for name = range d.given {
		}
	}
	file := d.given[name]
	delete(d.given, name)
	return file
}

// open listens at an address, which other processes may do, too, if it is shared.
func open(name, address string, shared bool) (net.Listener, error) {
	var config net.ListenConfig
	if shared {
		config.SetMultipathTCP(false) // else steer is not supported
		config.Control = func(_, _ string, socket syscall.RawConn) (err error) {
			if failed := socket.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) }); failed != nil {
				return failed
			}
			return err
		}
	}
	l, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// Times of a hand-over to a process that shares an address.
const (
	handOver    = time.Second // for which the older process still accepts: longer than it takes to establish a connection
	steerEvery  = 50 * time.Millisecond
	spreadEvery = time.Minute
)

// leave prepares the end of a listener whose address is shared, so that no connection is lost.
//
// The connections of a socket that others keep open are accepted by them, once this process has
// stopped listening. Those that it has accepted get time for their request.
//
// The kernel resets connections that wait in the queue of a socket that is closed. So the newer
// sockets of the address get all new connections first, while this one empties its queue.
func (d *listeners) leave(l net.Listener, stopListening func()) {
	if slices.Contains(d.kept, l) {
		stopListening()
		time.Sleep(handOver)
		return
	}
	if d.older == 0 {
		return
	}
	for end := time.Now().Add(handOver); time.Now().Before(end); time.Sleep(steerEvery) {
		if steer(l, d.older) != nil {
			return // not shared
		}
	}
}

// spread gives all sockets of shared addresses their share again, after older ones have ended.
func (d *listeners) spread(ctx context.Context) {
	tick := time.NewTicker(spreadEvery)
	defer tick.Stop()
	for d.older > 0 {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, l := range []net.Listener{d.admin, d.edge, d.plain} {
			if l != nil {
				_ = control(l, func(fd int) error { // fails if nothing was steered
					return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DETACH_REUSEPORT_BPF, 0)
				})
			}
		}
	}
}

// steer sends new connections to the socket of an address with a number, in the order in which they
// began to listen (socket(7), SO_ATTACH_REUSEPORT_CBPF). Without such a socket all get their share.
func steer(l net.Listener, number int) error {
	return control(l, func(fd int) error {
		return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF, &unix.SockFprog{
			Len: 1, Filter: &unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: uint32(number)},
		})
	})
}

func control(l net.Listener, do func(fd int) error) (err error) {
	socket, ok := l.(syscall.Conn)
	if !ok {
		return fmt.Errorf("%T is no socket", l)
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	if failed := raw.Control(func(fd uintptr) { err = do(int(fd)) }); failed != nil {
		return failed
	}
	return err
}

// close closes the listeners that no server has closed.
func (d *listeners) close() {
	for _, l := range []net.Listener{d.ops, d.admin, d.edge, d.plain} {
		if l != nil {
			_ = l.Close() // its server may have closed it already
		}
	}
}

// socketNames lists given sockets in the order of their names, for child processes.
func socketNames(given map[string]*os.File) (names []string, files []*os.File) {
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		files = append(files, given[name])
	}
	return names, files
}
