package ucp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"vitrine/admin/api"
)

const jsonType = "application/json"

// rest answers an operation over HTTP.
func (u *UCP) rest(ctx context.Context, c *api.Call, op *operation) (api.Response, error) {
	profile, err := profileIn(c.Headers(agentHeader))
	by := identified{profile: profile, err: err}
	var sent []byte
	if op.in != nil {
		if sent, err = c.ReadBody(maxBody); err != nil {
			return u.refused(c, err)
		}
	}
	answer, err := u.perform(ctx, c, op, by, sent)
	if err != nil {
		return u.refused(c, err)
	}
	text, err := encode(answer)
	return api.Response{Status: max(op.Status, 200), ContentType: jsonType, Body: text}, err
}

// refused answers an error: an outcome with status 200, a fault with its own.
func (u *UCP) refused(c *api.Call, err error) (api.Response, error) {
	var o *outcome
	if errors.As(err, &o) {
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
