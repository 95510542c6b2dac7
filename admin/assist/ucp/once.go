package ucp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/store"
)

// keyLife is how long an Idempotency-Key is remembered.
const keyLife = 48 * time.Hour

const maxKey = 255 // characters

// checkKey refuses an invalid key.
func checkKey(key string) error {
	if len(key) > maxKey {
		return errRequest.with("an Idempotency-Key has at most 255 characters")
	}
	for _, b := range []byte(key) {
		if b < ' ' || b > '~' {
			return errRequest.with("an Idempotency-Key has only printable ASCII characters")
		}
	}
	return nil
}

// once carries out a call whose key was not used before, and otherwise answers as then. A key belongs
// to a platform, the buyer that it acts for, and an operation in a shop. What counts as the same call is its path and the meaning
// of its body: over MCP each attempt has another number around it.
func (u *UCP) once(ctx context.Context, r *request) (any, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n", r.op.Tool, r.id)
	if r.body != nil {
		text, err := canonical(r.body)
		if err != nil {
			return nil, errRequest.with("the body is not JSON")
		}
		sum.Write(text)
	}
	claim := &store.Claim{
		Company: r.reader.Company, Credential: fmt.Appendf(nil, "ucp %s %s %d", r.op.Tool, r.platform.Profile, r.caller.Linked), Key: r.key, Fingerprint: sum.Sum(nil),
		SeparateCommit: true, Keep: keyLife, // a charge is made in between
	}
	of := fmt.Sprintf("answer %d %s %s", claim.Company, claim.Credential, claim.Key)
	before, err := u.Store.Claim(ctx, claim, u.Now())
	switch {
	case errors.Is(err, store.ErrKeyReused):
		return nil, errReused.with("this Idempotency-Key was used with another request before")
	case errors.Is(err, store.ErrKeyInProgress):
		return nil, errInProgress.after(1, "the first request with this Idempotency-Key is still in progress")
	case err != nil:
		return nil, err
	case before != nil:
		text, err := u.Sealer.Open(before.Body, of)
		return json.RawMessage(text), err
	}
	inner, work := u.Store.Begin(ctx, nil, claim)
	answer, err := r.op.do(inner, r)
	o := outcomeOf(err)
	if o != nil {
		answer, err = o, nil
	}
	if err != nil {
		return nil, u.abandon(ctx, work, err)
	}
	text, err := encode(answer)
	if err == nil {
		err = work.Finish(inner, store.StoredAnswer{Status: max(r.op.Status, 200), ContentType: jsonType, Body: u.Sealer.Seal(text, of)})
	}
	if err != nil {
		return nil, u.abandon(ctx, work, err)
	}
	if o != nil {
		return nil, o
	}
	return json.RawMessage(text), nil
}

// abandon frees the key of a call that failed.
func (u *UCP) abandon(ctx context.Context, work *store.Work, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
	defer cancel()
	if err := work.Abandon(ctx); err != nil {
		return errors.Join(cause, fmt.Errorf("release the idempotency key: %w", err))
	}
	return cause
}

// canonical returns JSON with the fields of objects in order and without white space.
func canonical(text []byte) ([]byte, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}
