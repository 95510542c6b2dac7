package push

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	maxAttempts = 5                // attempts per call
	callTime    = 2 * time.Minute  // per attempt
	uploadTime  = 15 * time.Minute // per attempt to upload a file
	maxAnswer   = 16 << 20         // bytes
	maxWait     = 2 * time.Minute  // the longest accepted Retry-After
	firstWait   = time.Second      // doubles with each attempt
)

// client calls the admin API and retries calls that may succeed later.
type client struct {
	http *http.Client
	base *url.URL
	key  string
	wait func(context.Context, time.Duration) error
}

func newClient(o Options) (*client, error) {
	base, err := url.Parse(strings.TrimRight(o.Admin, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("the admin address %q is not an http(s) URL", o.Admin)
	}
	if o.Key == "" {
		return nil, ErrKey
	}
	c := &client{http: o.Client, base: base, key: o.Key, wait: o.Wait}
	if c.http == nil {
		c.http = http.DefaultClient
	}
	if c.wait == nil {
		c.wait = wait
	}
	return c, nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// request is one call. idempotent allows repeating it although the server may have carried it out:
// reads, and idempotent writes.
type request struct {
	method, url string
	body        func() (io.ReadCloser, error)
	size        int64
	headers     map[string]string
	limit       time.Duration
	idempotent  bool
}

// get reads an object into out.
func (c *client) get(ctx context.Context, path string, out any) error {
	return c.call(ctx, request{method: "GET", idempotent: true}, path, nil, out)
}

// create posts an object without retries: the server may have created it although the
// response was lost.
func (c *client) create(ctx context.Context, path string, in, out any) error {
	return c.call(ctx, request{method: "POST"}, path, in, out)
}

// set sends an idempotent POST, PUT or DELETE.
func (c *client) set(ctx context.Context, method, path string, in, out any) error {
	return c.call(ctx, request{method: method, idempotent: true}, path, in, out)
}

func (c *client) call(ctx context.Context, r request, path string, in, out any) error {
	r.url, r.limit = c.base.String()+path, callTime
	r.headers = map[string]string{"Authorization": "Bearer " + c.key, "Accept": "application/json"}
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		r.headers["Content-Type"] = "application/json"
		r.body, r.size = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }, int64(len(text))
	}
	answer, err := c.do(ctx, r)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s %s: unexpected response: %w", r.method, path, err)
	}
	return nil
}

// do makes a call, with up to maxAttempts attempts.
func (c *client) do(ctx context.Context, r request) (answer []byte, err error) {
	pause := firstWait
	for n := 1; ; n++ {
		answer, err = c.once(ctx, r)
		later, delay := retry(err, r.idempotent)
		if err == nil || !later || n == maxAttempts || ctx.Err() != nil {
			return answer, err
		}
		if err := c.wait(ctx, max(delay, pause)); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

// retry reports whether a failed call may succeed later, and after how long. A 429 with
// Retry-After was not carried out; one without it is a limit of the shop's plan, for which
// waiting does not help.
func retry(err error, again bool) (later bool, after time.Duration) {
	var refused *APIError
	switch {
	case err == nil:
		return false, 0
	case !errors.As(err, &refused):
		return again, 0 // the connection failed
	case refused.Status == http.StatusTooManyRequests:
		return refused.retryAfter > 0, refused.retryAfter
	}
	return again && refused.Status >= 500, refused.retryAfter
}

func (c *client) once(ctx context.Context, r request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, nil)
	if err != nil {
		return nil, err
	}
	if r.body != nil {
		if req.Body, err = r.body(); err != nil {
			return nil, err
		}
		req.ContentLength = r.size
		if r.size == 0 {
			req.Body = http.NoBody
		}
	}
	for name, value := range r.headers {
		req.Header.Set(name, value)
	}
	response, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		return nil, refusalOf(response, answer)
	}
	return answer, nil
}
