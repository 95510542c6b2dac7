package api

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/internal/store"
)

const (
	maxEntity      = 200 // bytes of an id in the audit log
	abandonTimeout = 5 * time.Second
)

// execute runs an admitted call together with its audit entry and stored response.
func (s *Server) execute(ctx context.Context, c *Call) (reply, error) {
	if s.Store == nil {
		return s.perform(ctx, c)
	}
	entry := s.entry(c)
	claim, err := c.claim(ctx)
	if err != nil {
		return reply{}, err
	}
	if claim != nil {
		return s.runOnce(ctx, c, claim, entry)
	}
	if entry == nil && c.endpoint.read == nil {
		return s.perform(ctx, c)
	}
	inner, work := s.Store.Begin(ctx, entry, nil)
	r, err := s.perform(inner, c)
	if err != nil {
		return reply{}, err
	}
	return r, work.WriteAudit(ctx)
}

// perform runs the endpoint and makes its reply.
func (s *Server) perform(ctx context.Context, c *Call) (reply, error) {
	out, err := s.invoke(ctx, c)
	if err != nil {
		return reply{}, err
	}
	return succeed(c.endpoint, out)
}

// entry returns the audit entry to write if a call succeeds; nil for reads and for callers
// without a company. The status is the endpoint's own, because the entry is written before the
// response.
func (s *Server) entry(c *Call) *store.AuditEntry {
	in := max(c.Company, c.Deleted)
	if c.endpoint.Method == "GET" || c.Anonymous() || in == 0 {
		return nil
	}
	e := &store.AuditEntry{
		Company: in, At: s.Now(), Person: c.Person, Key: c.Key, Method: c.endpoint.Method, Path: c.endpoint.Path,
		Entities: map[string]string{}, RequestID: c.RequestID, Contour: c.Contour, Status: c.endpoint.Success(),
	}
	for segment := range strings.SplitSeq(c.endpoint.Path, "/") {
		name, ok := strings.CutPrefix(segment, "{")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(strings.TrimSuffix(name, "}"), ":")
		value := c.path(name)
		if len(value) > maxEntity {
			value = value[:maxEntity]
		}
		if utf8.ValidString(value) && !strings.ContainsRune(value, 0) {
			e.Entities[name] = value
		}
	}
	return e
}
