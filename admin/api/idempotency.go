package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
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
// A session's key belongs to the person and the shop that the call acts in, so a
// retry counts after signing in again; an API key's belongs to that API key. Answers
// hold personal data and upload addresses, so they are stored sealed under the
// server's key, which the database does not know. An answer that shows a secret once
// or opens a session is not stored at all: a repeat hears IDEMPOTENCY_SECRET_GONE.

// ErrKeyInvalid refuses an Idempotency-Key that is none.
var ErrKeyInvalid = shop.Refuse(shop.InvalidArgument, "IDEMPOTENCY_KEY_INVALID").
	When("Idempotency-Key is not 1 to 255 printable ASCII characters, or was sent twice")

// ErrSecretGone answers the repeat of a call whose answer held a secret.
var ErrSecretGone = shop.Refuse(shop.Aborted, "IDEMPOTENCY_SECRET_GONE").
	When("the call with this Idempotency-Key was done, and its answer held a secret that is shown once")

const (
	maxIdempotencyKey = 255
	// maxStreamHead is how much of a body that is no JSON is looked at. A longer
	// one is an upload, to which the key does not apply.
	maxStreamHead = 64 << 10
)

// idempotencyKey is the key of a POST, empty without one.
func (c *Call) idempotencyKey() (string, error) {
	if c.http == nil || !c.endpoint.Idempotent() {
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
func (c *Call) claim(ctx context.Context) (*store.Claim, error) {
	key, err := c.idempotencyKey()
	if err != nil || key == "" {
		return nil, err
	}
	who := c.Identity
	if c.endpoint.Auth == Link { // such a row asks nobody who they are
		if who, err = c.server.Identify(ctx, c.Token(), "", c.Storefront); err != nil {
			return nil, nil
		}
	}
	if who.Anonymous() {
		return nil, nil
	}
	body, whole, err := c.hold()
	if err != nil || !whole {
		return nil, err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s\n%s\n", c.endpoint.Method, c.http.RequestURI(), c.Contour)
	sum.Write(body)
	return &store.Claim{
		Company: c.actsIn(who, body), Credential: credential(who), Key: key, Fingerprint: sum.Sum(nil), Apart: c.endpoint.Outward,
	}, nil
}

// credential is who a key belongs to.
func credential(who Identity) []byte {
	if who.ByKey() {
		return []byte("key " + who.Key.String())
	}
	return []byte("person " + who.Person.String())
}

// actsIn is the shop that a call acts in, as far as the call says it: that of the
// host or of the API key, the one that a buyer names, or the member's own.
func (c *Call) actsIn(who Identity, body []byte) shop.CompanyID {
	if c.Storefront != 0 {
		return c.Storefront
	}
	if who.ByKey() {
		return who.Company
	}
	var named struct {
		Company shop.CompanyID `json:"company_id"`
	}
	if text := c.query("company_id"); len(text) > 0 {
		named.Company.UnmarshalText([]byte(text[0])) //nolint:errcheck // what is no id names no shop, and the endpoint refuses it
	} else if err := json.Unmarshal(body, &named); err != nil {
		named.Company = 0 // likewise
	}
	if named.Company > 0 {
		return named.Company
	}
	return who.Company
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
	of := fmt.Sprintf("answer %d %s %s", claim.Company, claim.Credential, claim.Key)
	before, err := s.Store.Claim(ctx, claim, s.Now())
	if err != nil {
		return reply{}, err
	}
	if before != nil {
		if before.Body == nil {
			return reply{}, ErrSecretGone.With("the first call with this key was done; what it showed is not kept")
		}
		body, err := s.Sealer.Open(before.Body, of)
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
	var sealed []byte
	if refused || !c.endpoint.Secret {
		sealed = s.Sealer.Seal(stored.body, of)
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
