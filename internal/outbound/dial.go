package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// dialler opens connections to public addresses.
type dialler struct {
	lookUp  func(ctx context.Context, host string) ([]netip.Addr, error)
	allowed []netip.Prefix // allowed although not public
	time    time.Duration  // timeout for connecting
}

// lookUp uses the resolver of the system.
func lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// dial connects to the first address of a host that answers. It tries only addresses that
// pass the check; a host without any is ErrNotAllowed.
func (d *dialler) dial(ctx context.Context, network, hostport string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.time)
	defer cancel()
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotAllowed, err)
	}
	addrs, err := d.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	socket := net.Dialer{Control: d.control}
	var failed error
	for _, addr := range addrs {
		conn, err := socket.DialContext(ctx, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// addresses returns the addresses of a host that may be dialled. There is one look-up, and
// its result is what is dialled.
func (d *dialler) addresses(ctx context.Context, host string) (may []netip.Addr, err error) {
	addrs := []netip.Addr{}
	if literal, err := netip.ParseAddr(host); err == nil {
		addrs = append(addrs, literal)
	} else if addrs, err = d.lookUp(ctx, host); err != nil {
		return nil, err
	}
	refused := ErrNotAllowed
	for _, addr := range addrs {
		if err := d.check(addr); err != nil {
			refused = err
			continue
		}
		if ctx.Value(onlyAllowed{}) != nil && !d.allows(addr) {
			refused = fmt.Errorf("%w: only https", ErrNotAllowed)
			continue
		}
		may = append(may, addr.Unmap())
	}
	if len(may) == 0 {
		return nil, refused
	}
	return may, nil
}

func (d *dialler) check(addr netip.Addr) error {
	what := check(addr)
	if what == "" {
		return nil
	}
	if d.allows(addr) {
		return nil
	}
	return fmt.Errorf("%w: %s (%s)", ErrNotAllowed, addr, what)
}

// onlyAllowed marks the context of a request that may only reach addresses that Allow names.
type onlyAllowed struct{}

func (d *dialler) allows(addr netip.Addr) bool {
	return slices.ContainsFunc(d.allowed, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
}

// control checks the address of a socket just before it connects.
func (d *dialler) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotAllowed, err)
	}
	return d.check(at.Addr())
}
