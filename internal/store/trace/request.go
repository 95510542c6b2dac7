package trace

import (
	"context"
	"errors"
	"sync"
)

// Request is one request whose statements are traced. It is safe for concurrent use. A nil
// Request has no failed statement.
type Request struct {
	id string

	mu                sync.Mutex
	statement, caller string // of the statement that failed last
	err               error
}

type requestKey struct{}

// WithRequest returns a context whose statements belong to the request with an id.
func WithRequest(ctx context.Context, id string) (context.Context, *Request) {
	r := &Request{id: id}
	return context.WithValue(ctx, requestKey{}, r), r
}

func requestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

func (r *Request) set(statement, caller string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statement, r.caller, r.err = statement, caller, err
}

// Failed returns the name of the statement that failed with an error, and the function that
// issued it, as arguments of a log line. It returns none if err does not wrap the error of
// the request's last failed statement.
func (r *Request) Failed(err error) []any {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil || !errors.Is(err, r.err) {
		return nil
	}
	return []any{"statement", r.statement, "caller", r.caller}
}
