package blob

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// A bucket that is frozen must not hold its callers: a connection that makes no progress is given
// up after stallTime, and a call, with its repetitions, after callTime and a second for each
// megabyte that it sends.
const (
	dialTime  = 5 * time.Second
	stallTime = 10 * time.Second
	callTime  = 20 * time.Second
)

// stalls returns a transport whose connections fail when nothing moves.
func stalls() *http.Transport {
	dialer := &net.Dialer{Timeout: dialTime, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return movingConn{conn}, nil
		},
		TLSHandshakeTimeout: dialTime, ResponseHeaderTimeout: stallTime, ExpectContinueTimeout: stallTime,
		MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute,
		DisableCompression: true, // objects are stored as they are
	}
}

// movingConn fails if nothing is sent or received for stallTime. The end of an idle connection is
// noticed by the transport.
type movingConn struct{ net.Conn }

func (c movingConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(stallTime)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write extends the time of a pending Read, too: the answer comes after the last byte of a request.
func (c movingConn) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(stallTime)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// errTooSlow is the cause of the end of a call that took too long.
var errTooSlow = errors.New("the bucket did not answer in time")

// call is a call of a bucket, whose answer must come in time.
type call struct {
	context.Context
	caller context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

// begin starts the time of a call that sends a number of bytes. The call is ended by end.
func begin(ctx context.Context, size int64) *call {
	bounded, cancel := context.WithCancelCause(ctx)
	return &call{bounded, ctx, cancel, time.AfterFunc(callTime+time.Duration(size>>20)*time.Second, func() { cancel(errTooSlow) })}
}

// answered stops the time: what was answered may be read for longer. An answer that did not come
// in time is ErrUnavailable.
func (c *call) answered(err error) error {
	c.timer.Stop()
	if err != nil && c.caller.Err() == nil && (errors.Is(context.Cause(c), errTooSlow) || errors.Is(err, context.DeadlineExceeded)) {
		return wrapAway(errTooSlow)
	}
	return err
}

func (c *call) end() {
	c.timer.Stop()
	c.cancel(nil)
}
