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

// A client that lost the response to a POST sends it again with the same Idempotency-Key. The key
// is claimed before the work begins, so that only one of many concurrent equal requests does
// it; its writes and its response are committed in one transaction, so that a repeat finds both
// or neither.
//
// A session's key belongs to the person and the shop that the call acts in, so that a retry
// works after signing in again; an API key's belongs to that API key. Responses contain personal
// data and upload addresses, so they are stored sealed with the server's key, which the
// database does not know. A response that shows a secret once or opens a session is not stored:
// a repeat is refused with IDEMPOTENCY_SECRET_GONE.

// ErrKeyInvalid refuses an invalid Idempotency-Key.
var ErrKeyInvalid = shop.Refuse(shop.InvalidArgument, "IDEMPOTENCY_KEY_INVALID").
	When("Idempotency-Key is not 1 to 255 printable ASCII characters, or was sent twice")

// ErrSecretGone refuses the repeat of a call whose response contained a secret.
var ErrSecretGone = shop.Refuse(shop.Aborted, "IDEMPOTENCY_SECRET_GONE").
	When("the call with this Idempotency-Key succeeded, and its answer contained a secret that is shown only once")

const (
	maxIdempotencyKey = 255
	// maxStreamHead is how much of a body that is not JSON is read to look for its end. A
	// longer one is an upload, for which the key is ignored.
	maxStreamHead = 64 << 10
)

// idempotencyKey returns the Idempotency-Key of a POST, or "".
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
			return "", ErrKeyInvalid.With("an Idempotency-Key may only have printable ASCII characters")
		}
	}
	return string(sent[0]), nil
}

// claim returns the claim of the key for the store; nil if no key applies to the call.
func (c *Call) claim(ctx context.Context) (*store.Claim, error) {
	key, err := c.idempotencyKey()
	if err != nil || key == "" {
		return nil, err
	}
	who := c.Identity
	if c.endpoint.Auth == Link { // these endpoints do not identify their callers
		if who, err = c.server.Identify(ctx, c.Credentials()); err != nil {
			return nil, nil
		}
	}
	if who.Anonymous() {
		return nil, nil
	}
	body, whole, err := c.buffer()
	if err != nil || !whole {
		return nil, err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s\n%s\n", c.endpoint.Method, c.http.RequestURI(), c.Contour)
	sum.Write(body)
	return &store.Claim{
		Company: c.shopOf(who, body), Credential: credential(who), Key: key, Fingerprint: sum.Sum(nil), SeparateCommit: c.endpoint.SeparateCommits,
	}, nil
}

// credential identifies the owner of a key.
func credential(who Identity) []byte {
	if who.ByKey() {
		return []byte("key " + who.Key.String())
	}
	return []byte("person " + who.Person.String())
}

// shopOf returns the shop that a call acts in: that of the host or of the API key, the one that
// a buyer names, or the member's own; 0 for a call about the person.
func (c *Call) shopOf(who Identity, body []byte) shop.CompanyID {
	if c.endpoint.OfPerson {
		return 0
	}
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
		named.Company.UnmarshalText([]byte(text[0])) //nolint:errcheck // an invalid id names no shop, and the endpoint refuses it
	} else if err := json.Unmarshal(body, &named); err != nil {
		named.Company = 0 // the endpoint refuses an invalid id
	}
	if named.Company > 0 {
		return named.Company
	}
	return max(who.Company, who.Deleted)
}

// buffer reads the body into memory and puts it back for the endpoint. whole is false for an
// upload, of which only the beginning was read.
func (c *Call) buffer() (body []byte, whole bool, err error) {
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

// runOnce runs a claimed call, or returns the stored response of the first call.
func (s *Server) runOnce(ctx context.Context, c *Call, claim *store.Claim, entry *store.AuditEntry) (reply, error) {
	of := fmt.Sprintf("answer %d %s %s", claim.Company, claim.Credential, claim.Key)
	before, err := s.Store.Claim(ctx, claim, s.Now())
	if err != nil {
		return reply{}, err
	}
	if before != nil {
		if before.Body == nil {
			return reply{}, ErrSecretGone.With("the first call with this key succeeded; its secret is not stored")
		}
		body, err := s.Sealer.Open(before.Body, of)
		return reply{status: before.Status, contentType: before.ContentType, body: body, replayed: true}, err
	}
	inner, work := s.Store.Begin(ctx, entry, claim)
	r, err := s.perform(inner, c)
	refusal, refused := shop.AsRefusal(err)
	if err != nil && (!refused || !permanent(refusal)) {
		return reply{}, s.abandon(ctx, work, err)
	}
	stored := r
	if refused {
		stored = refuse(refusal)
	} else if err := work.WriteAudit(inner); err != nil {
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

// permanent reports whether a repeat would be refused for the same reason. Failures and
// requests to wait are tried again.
func permanent(r *shop.Refusal) bool { return r.Status() < 500 && r.RetryAfterHeader() == "" }

// abandon releases the key of a call that failed.
func (s *Server) abandon(ctx context.Context, work *store.Work, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTimeout)
	defer cancel()
	if err := work.Abandon(ctx); err != nil {
		return errors.Join(cause, fmt.Errorf("release the idempotency key: %w", err))
	}
	return cause
}
