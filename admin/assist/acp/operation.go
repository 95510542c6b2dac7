package acp

import (
	"context"
	"fmt"
	"net/textproto"
	"reflect"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/admin/assist"
	"vitrine/internal/budget"
	"vitrine/internal/load"
	"vitrine/internal/pay"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	assistdb "vitrine/internal/store/assist"
)

const (
	maxBody  = 256 << 10 // bytes
	jsonType = "application/json"

	keyHeader     = "Idempotency-Key"
	versionHeader = "API-Version"
	maxKey        = 255
)

// operation is a row of the table, from which the addresses and their document are made.
type operation struct {
	Method, Path string // below root
	ID, Summary  string
	Class        api.Class
	Status       int // of a success; 0: 200
	In           reflect.Type
	separate     bool // its writes are not undone together: others are asked in between
	do           func(a *ACP, ctx context.Context, r *request) (*session, error)
}

// operations is the table.
var operations = []operation{
	{Method: "POST", Path: sessions, ID: "create_checkout_session", Class: api.Write, Status: 201, In: reflect.TypeFor[createRequest](), do: (*ACP).create,
		Summary: "Create a session"},
	{Method: "GET", Path: sessions + "/{id}", ID: "get_checkout_session", Class: api.Read, do: (*ACP).get,
		Summary: "Read a session"},
	{Method: "POST", Path: sessions + "/{id}", ID: "update_checkout_session", Class: api.Write, In: reflect.TypeFor[updateRequest](), separate: true, do: (*ACP).update,
		Summary: "Change a session; fields that are not sent stay, null clears"},
	{Method: "POST", Path: sessions + "/{id}/complete", ID: "complete_checkout_session", Class: api.Write, In: reflect.TypeFor[completeRequest](), separate: true, do: (*ACP).complete,
		Summary: "Buy what the session holds"},
	{Method: "POST", Path: sessions + "/{id}/cancel", ID: "cancel_checkout_session", Class: api.Write, In: reflect.TypeFor[cancelRequest](), do: (*ACP).cancel,
		Summary: "Cancel a session"},
}

// request is a call of an operation.
type request struct {
	op     *operation
	call   *api.Call
	caller *assist.Caller
	shop   *load.CachedShop
	body   []byte
	card   pay.Handler // for payments with tokens
	key    string      // Idempotency-Key; empty: not needed
}

// answer carries out a call.
func (a *ACP) answer(ctx context.Context, c *api.Call, op *operation) (api.Response, error) {
	r := &request{op: op, call: c}
	out, err := a.perform(ctx, r)
	if err != nil {
		if out, err = refused(c, err); err != nil {
			return out, err
		}
	}
	if out.Header == nil {
		out.Header = map[string]string{}
	}
	for _, name := range []string{keyHeader, "Request-Id"} {
		if sent := c.Header(name); printable(sent) {
			out.Header[textproto.CanonicalMIMEHeaderKey(name)] = sent
		}
	}
	return out, nil
}

func refused(c *api.Call, err error) (api.Response, error) {
	f, unknown := faultOf(err)
	if unknown {
		c.LogPartialFailure(err)
	}
	out, err := answered(f.status, f)
	if f.after > 0 {
		out.Header["Retry-After"] = strconv.Itoa(f.after)
	}
	return out, err
}

func answered(status int, v any) (api.Response, error) {
	text, err := api.EncodeJSON(v)
	return api.Response{Status: status, ContentType: jsonType, Header: map[string]string{}, Body: text}, err
}

// perform reads who calls, and carries out a call once for its key.
func (a *ACP) perform(ctx context.Context, r *request) (out api.Response, err error) {
	if err := r.call.CountForNetworkAs(r.op.Class); err != nil {
		return out, err
	}
	if r.op.Method == "POST" {
		if r.body, err = r.call.ReadBody(maxBody); err != nil {
			return out, err
		}
	}
	leave, err := r.call.EnterShop(ctx)
	if err != nil {
		return out, err
	}
	defer leave()
	if err := a.open(ctx, r); err != nil {
		return out, err
	}
	if err := a.identify(ctx, r); err != nil {
		return out, err
	}
	if err := r.readHeaders(); err != nil {
		return out, err
	}
	if r.card, err = a.Assist.CardHandler(ctx, r.caller.Shop); err != nil {
		return out, err
	}
	if r.key == "" {
		return a.run(ctx, r)
	}
	return a.once(ctx, r)
}

// open reads the shop as a visitor sees it. A shop that nobody can enter has nothing for assistants
// either.
func (a *ACP) open(ctx context.Context, r *request) error {
	_, cached, err := r.call.Shop(ctx, r.call.Storefront)
	if err != nil {
		return noShop()
	}
	if !sells(&cached) {
		return noShop()
	}
	r.shop = &cached
	return nil
}

// sells reports whether assistants may buy in a shop.
func sells(cached *load.CachedShop) bool {
	return !cached.Company.Closed && !cached.Company.Blocked && cached.Site.Shop().Face.Assistants.Or() == shop.AssistantsCheckout
}

// identify finds the assistant by its token, and counts the call for it.
func (a *ACP) identify(ctx context.Context, r *request) error {
	scheme, token, _ := strings.Cut(r.call.Header("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") || !secret.WellFormed(token, secret.Shopping) {
		return bad(401, "unauthorized", "send the token that the shop gave you: Authorization: Bearer …")
	}
	p, found, err := assistdb.ByToken(ctx, a.Assist.Store.Shop(r.call.Storefront), secret.Hash(token))
	switch {
	case err != nil:
		return err
	case !found:
		return bad(401, "unauthorized", "the shop has no such token, or revoked it")
	case p.Blocked:
		return errBlocked
	}
	if wait := a.calls.Take(r.op.Class, r.call, strconv.FormatInt(p.ID, 10)); wait > 0 {
		return &fault{Type: "service_unavailable", Code: "rate_limited", Message: "too many calls of this assistant, or from this network", status: 429, after: budget.Seconds(wait)}
	}
	r.caller = &assist.Caller{Call: r.call, Shop: r.call.Storefront, Platform: p, Seen: r.shop}
	return nil
}

// readHeaders checks the version of the protocol, and the key of a POST.
func (r *request) readHeaders() error {
	switch version := r.call.Header(versionHeader); version {
	case Version:
	case "":
		f := bad(400, "missing_api_version", "the header "+versionHeader+" is missing")
		f.Versions = []string{Version}
		return f
	default:
		f := bad(400, "unsupported_api_version", "this shop has version "+Version)
		f.Versions = []string{Version}
		return f
	}
	if r.op.Method != "POST" {
		return nil
	}
	keys := r.call.Headers(keyHeader)
	switch {
	case len(keys) == 0 || keys[0] == "":
		return bad(400, "idempotency_key_required", "the header "+keyHeader+" is missing")
	case len(keys) > 1 || !printable(keys[0]):
		return bad(400, "idempotency_key_invalid", "send one "+keyHeader+" of 1 to 255 printable characters")
	}
	r.key = keys[0]
	return nil
}

func printable(text string) bool {
	for _, b := range []byte(text) {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return text != "" && len(text) <= maxKey
}

// run carries out the operation.
func (a *ACP) run(ctx context.Context, r *request) (api.Response, error) {
	s, err := r.op.do(a, ctx, r)
	if err != nil {
		return api.Response{}, err
	}
	return answered(max(r.op.Status, 200), s)
}

// once carries out the operation unless its key has an answer already. A refusal is an answer, too,
// unless the assistant is asked to wait.
func (a *ACP) once(ctx context.Context, r *request) (api.Response, error) {
	reply, again, err := a.Assist.Once(ctx, assist.Repeatable{
		Caller: r.caller, By: fmt.Sprintf("assistant %d %s", r.caller.Platform.ID, r.op.ID), Key: r.key, Path: r.call.PathValue("id"), Body: r.body, Separate: r.op.separate,
	}, func(ctx context.Context) (assist.Reply, error) {
		out, err := a.run(ctx, r)
		if err != nil {
			f, unknown := faultOf(err)
			if unknown || f.after > 0 || f.status >= 500 {
				return assist.Reply{}, err
			}
			out, err = refused(r.call, f)
		}
		return assist.Reply{Status: out.Status, Body: out.Body}, err
	})
	out := api.Response{Status: reply.Status, ContentType: jsonType, Body: reply.Body}
	if again {
		out.Header = map[string]string{"Idempotent-Replayed": "true"}
	}
	return out, err
}
