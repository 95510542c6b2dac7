package certificate

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
)

// challengePath is where an authority asks for the answer of HTTP-01 (RFC 8555, 8.3).
const challengePath = "/.well-known/acme-challenge/"

// maxToken is more than the tokens of authorities have, in bytes.
const maxToken = 200

// Answer returns the answer of a host to HTTP-01. It returns false for all other paths, and for
// challenges of hosts that have none.
func (i *Issued) Answer(ctx context.Context, host, path string) (text []byte, ok bool) {
	token, ok := strings.CutPrefix(path, challengePath)
	if !ok || token == "" || len(token) > maxToken || !i.answers.TryAcquire(1) {
		return nil, false
	}
	defer i.answers.Release(1)
	var w answer
	r := &http.Request{Method: http.MethodGet, Host: host, URL: &url.URL{Path: path}, RequestURI: path, Header: http.Header{}}
	if !i.issuer.HandleHTTPChallenge(&w, r.WithContext(ctx)) || w.Len() == 0 {
		return nil, false
	}
	return w.Bytes(), true
}

// answer is a response in memory.
type answer struct {
	bytes.Buffer
	header http.Header
}

func (a *answer) Header() http.Header {
	if a.header == nil {
		a.header = http.Header{}
	}
	return a.header
}

func (*answer) WriteHeader(int) {}
