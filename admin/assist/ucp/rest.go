package ucp

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"vitrine/admin/api"
)

const (
	jsonType  = "application/json"
	keyHeader = "Idempotency-Key"
)

// rest answers an operation over HTTP.
func (u *UCP) rest(ctx context.Context, c *api.Call, op *operation) (api.Response, error) {
	profile, err := profileIn(c.Headers(agentHeader))
	by := identified{profile: profile, err: err}
	r := &request{call: c, op: op, id: c.PathValue("id")}
	if op.Method != "GET" {
		if r.sent, err = c.ReadBody(maxBody); err != nil {
			return u.refused(c, err)
		}
		if op.in != nil {
			r.body = r.sent
		}
		if r.key = c.Header(keyHeader); op.Class == api.Write && len(c.Headers(keyHeader)) > 1 {
			return u.refused(c, errRequest.with("send one Idempotency-Key"))
		}
		if err := checkKey(r.key); err != nil {
			return u.refused(c, err)
		}
	}
	answer, err := u.perform(ctx, r, by)
	if err != nil {
		return u.refused(c, err)
	}
	out := api.Response{Status: max(op.Status, 200), ContentType: jsonType}
	if out.Body, err = encode(answer); err == nil && op.Signed {
		err = u.sign(ctx, c.Storefront, &out)
	}
	return out, err
}

// refused answers an error: an outcome with status 200, a fault with its own.
func (u *UCP) refused(c *api.Call, err error) (api.Response, error) {
	if o := outcomeOf(err); o != nil {
		text, err := encode(o)
		return api.Response{Status: 200, ContentType: jsonType, Body: text}, err
	}
	f, unknown := faultOf(err)
	if unknown {
		c.LogPartialFailure(err)
	}
	header := map[string]string{}
	flat := *f
	if f.RetryAfter > 0 {
		header["Retry-After"] = strconv.Itoa(f.RetryAfter)
		flat.RetryAfter = 0
	}
	text, err := encode(flat)
	return api.Response{Status: f.status, ContentType: jsonType, Header: header, Body: text}, err
}

// encode writes JSON without escaping <, > and &, so that texts look as they were written.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(out.Bytes(), "\n"), err
}
