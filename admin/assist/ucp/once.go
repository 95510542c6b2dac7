package ucp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"vitrine/admin/api"
	"vitrine/admin/assist"
	"vitrine/internal/store"
)

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
// to a platform, the buyer that it acts for, and an operation in a shop. Anybody can claim to be a platform
// without signing: those keys are others than the ones of signed calls, whose answers they do not get.
func (u *UCP) once(ctx context.Context, r *request) (any, error) {
	by := fmt.Sprintf("ucp %s %s %d", r.op.Tool, r.platform.Profile, r.caller.Linked)
	if r.caller.Signed {
		by += " signed"
	}
	var o *outcome
	out, _, err := u.Assist.Once(ctx, assist.Repeatable{
		Caller: r.caller, By: by, Key: r.key, Path: r.id, Body: r.body,
		Separate: true, // a charge is made in between
	}, func(ctx context.Context) (out assist.Reply, err error) {
		answer, err := r.op.do(ctx, r)
		if o = outcomeOf(err); o != nil {
			answer, err = o, nil
		}
		if err == nil {
			out.Status = max(r.op.Status, 200)
			out.Body, err = api.EncodeJSON(answer)
		}
		return out, err
	})
	switch {
	case errors.Is(err, store.ErrKeyReused):
		return nil, errReused.with("this Idempotency-Key was used with another request before")
	case errors.Is(err, store.ErrKeyInProgress):
		return nil, errInProgress.after(1, "the first request with this Idempotency-Key is still in progress")
	case err != nil:
		return nil, err
	case o != nil:
		return nil, o
	}
	return json.RawMessage(out.Body), nil
}
