package ucp

import (
	"context"

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
	if out.Body, err = api.EncodeJSON(answer); err == nil && op.Signed {
		err = u.sign(ctx, c.Storefront, &out)
	}
	return out, err
}

// refused answers an error.
func (u *UCP) refused(c *api.Call, err error) (api.Response, error) {
	if o := outcomeOf(err); o != nil {
		return answered(o.reply(), o)
	}
	f, unknown := faultOf(err)
	if unknown {
		c.LogPartialFailure(err)
	}
	flat := *f
	flat.RetryAfter = 0
	return answered(f.reply(), flat)
}

func answered(as reply, v any) (api.Response, error) {
	text, err := api.EncodeJSON(v)
	return api.Response{Status: as.status, ContentType: jsonType, Header: as.header, Body: text}, err
}
