package ucp

import (
	"context"
	"errors"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/httpsig"
	"vitrine/internal/shop"
)

// verified reports whether the request is signed by its platform. Signatures are optional; one that
// does not hold is refused. A platform that signs with a key that its profile did not have when it was
// read may have changed its keys: the profile is read again.
func (u *UCP) verified(ctx context.Context, r *request) (bool, error) {
	if len(r.call.Headers("Signature")) == 0 && len(r.call.Headers("Signature-Input")) == 0 {
		return false, nil
	}
	m := messageOf(r.call, r.sent)
	_, err := httpsig.Verify(m, r.platform.Keys, u.Assist.Now())
	if errors.Is(err, httpsig.ErrKey) {
		if r.platform, err = u.profiles.Again(ctx, r.platform.Profile); err != nil {
			return false, err
		}
		_, err = httpsig.Verify(m, r.platform.Keys, u.Assist.Now())
	}
	var why httpsig.Refusal
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &why) && (why == httpsig.ErrDigest || why == httpsig.ErrAlgorithm):
		return false, (&fault{Code: string(why), status: 400, rpc: rpcSignature}).with(err.Error())
	case errors.As(err, &why):
		return false, (&fault{Code: string(why), status: 401, rpc: rpcRefused}).with(err.Error())
	}
	return false, err
}

// messageOf returns the request as its sender signed it: the path is the one on the shop's host.
func messageOf(c *api.Call, body []byte) httpsig.Message {
	path, query, _ := strings.Cut(c.Target(), "?")
	return httpsig.Message{
		Method: c.Method(), Scheme: "https", Authority: c.Header("Host"), Path: strings.TrimSuffix(public, root) + path, Query: query, Header: c.Headers, Body: body,
	}
}

// sign adds the shop's signature to an answer.
func (u *UCP) sign(ctx context.Context, company shop.CompanyID, out *api.Response) error {
	added, err := u.Assist.Keys.Sign(ctx, company, httpsig.Message{
		Status: out.Status, Body: out.Body, Header: httpsig.Headers(map[string]string{"Content-Type": out.ContentType}),
	})
	if err != nil {
		return err
	}
	if out.Header == nil {
		out.Header = map[string]string{}
	}
	for name, value := range added {
		out.Header[name] = value
	}
	return nil
}
