package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// A client that lost the answer to a POST sends it again with the same
// Idempotency-Key. The key is claimed before the work begins, so that of many
// equal requests at once one works; its writes and its answer are committed in
// one transaction, so that a repeat either finds both or neither.
//
// The claim belongs to one credential of one shop. Answers can hold secrets that
// are shown once (a new key, an upload address), so they are stored sealed under
// the caller's token, which the database does not know (seal.go).

// ErrKeyInvalid refuses an Idempotency-Key that is none.
var ErrKeyInvalid = shop.Refuse(shop.InvalidArgument, "IDEMPOTENCY_KEY_INVALID").
	When("Idempotency-Key is not 1 to 255 printable ASCII characters, or was sent twice")

const (
	maxIdempotencyKey = 255
	// maxStreamHead is how much of a body that is no JSON is looked at. A longer
	// one is an upload, to which the key does not apply.
	maxStreamHead = 64 << 10
)

// idempotencyKey is the key of a POST, empty without one.
func (c *Call) idempotencyKey() (string, error) {
	if c.http == nil || c.endpoint.Method != "POST" || c.Anonymous() || c.Company == 0 {
		return "", nil
	}
	sent := c.http.Request.Header.PeekAll("Idempotency-Key")
	if len(sent) == 0 {
		return "", nil
	}
	if len(sent) > 1 || len(sent[0]) < 1 || len(sent[0]) > maxIdempotencyKey {
		return "", ErrKeyInvalid.With("send one Idempotency-Key of 1 to 255 characters")
	}
	for _, b := range sent[0] {
		if b < ' ' || b > '~' {
			return "", ErrKeyInvalid.With("an Idempotency-Key has printable ASCII characters only")
		}
	}
	return string(sent[0]), nil
}

// claim is what a call asks the store for; nil when no key applies to it.
func (c *Call) claim() (*store.Claim, error) {
	key, err := c.idempotencyKey()
	if err != nil || key == "" {
		return nil, err
	}
	body, whole, err := c.hold()
	if err != nil || !whole {
		return nil, err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s\n%s\n", c.endpoint.Method, c.http.RequestURI(), c.Contour)
	sum.Write(body)
	return &store.Claim{
		Company: c.Company, Credential: derive(c.Token(), "credential"), Key: key, Fingerprint: sum.Sum(nil),
	}, nil
}

// hold reads the body into memory and puts it back for the endpoint; whole is
// false for a stream.
func (c *Call) hold() (body []byte, whole bool, err error) {
	if c.endpoint.TakesJSON() {
		if body, err = c.readBody(c.endpoint.maxBody()); err != nil {
			return nil, false, err
		}
		c.body, c.size = bytes.NewReader(body), int64(len(body))
		return body, true, nil
	}
	body, err = io.ReadAll(io.LimitReader(c.body, maxStreamHead+1))
	if err != nil {
		return nil, false, shop.ErrInvalidRequest.With("the body ended early")
	}
	c.body = io.MultiReader(bytes.NewReader(body), c.body)
	return body, len(body) <= maxStreamHead, nil
}

// once runs a claimed call, or answers what it answered before.
func (s *Server) once(ctx context.Context, c *Call, claim *store.Claim, entry *store.AuditEntry) (reply, error) {
	box := derive(c.Token(), "answer "+claim.Key)
	before, err := s.Store.Claim(ctx, claim, s.Now())
	if err != nil {
		return reply{}, err
	}
	if before != nil {
		body, err := unseal(box, before.Body)
		return reply{status: before.Status, contentType: before.ContentType, body: body, replayed: true}, err
	}
	inner, work := s.Store.Begin(ctx, entry, claim)
	r, err := s.perform(inner, c)
	refusal, refused := shop.AsRefusal(err)
	if err != nil && (!refused || !lasting(refusal)) {
		return reply{}, s.abandon(ctx, work, err)
	}
	stored := r
	if refused {
		stored = refuse(refusal)
	} else if err := work.Log(inner); err != nil {
		return reply{}, s.abandon(ctx, work, err)
	}
	sealed, serr := seal(box, stored.body)
	if serr != nil {
		return reply{}, s.abandon(ctx, work, serr)
	}
	if ferr := work.Finish(inner, store.StoredAnswer{Status: stored.status, ContentType: stored.contentType, Body: sealed}); ferr != nil {
		return reply{}, s.abandon(ctx, work, ferr)
	}
	return r, err
}

// lasting reports that a repeat would be refused for the same reason: what
// failed or asks to wait is tried anew.
func lasting(r *shop.Refusal) bool { return r.Status() < 500 && r.RetryAfterHeader() == "" }

// abandon frees the key of a call that failed.
func (s *Server) abandon(ctx context.Context, work *store.Work, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTimeout)
	defer cancel()
	if err := work.Abandon(ctx); err != nil {
		return errors.Join(cause, fmt.Errorf("free the idempotency key: %w", err))
	}
	return cause
}
