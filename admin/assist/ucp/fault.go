package ucp

import (
	"errors"
	"strconv"

	"vitrine/admin/assist"
	"vitrine/internal/shop"
)

// Codes of errors in JSON-RPC.
const (
	rpcRefused     = -32000
	rpcDiscovery   = -32001
	rpcSignature   = -32600
	rpcBadArgument = -32602
)

// fault is an error of the transport: the call was not understood, or the platform is not known.
// It is answered flat, {code, content}. What the shop says to a call that was understood is an
// outcome.
type fault struct {
	Code       string `json:"code"`
	Content    string `json:"content"`
	RetryAfter int    `json:"retry_after,omitempty" doc:"seconds; over MCP only, where no header says it"`

	status, rpc int
}

// reply is the status of an answer and headers beyond the usual ones.
type reply struct {
	status int
	header map[string]string
}

// reply is how HTTP answers with the fault.
func (f *fault) reply() reply {
	if f.RetryAfter == 0 {
		return reply{status: f.status}
	}
	return reply{f.status, map[string]string{"Retry-After": strconv.Itoa(f.RetryAfter)}}
}

func (f *fault) Error() string { return f.Code + ": " + f.Content }

// Faults by their code. With says what is wrong in a call.
var (
	errProfileURL  = fault{Code: "invalid_profile_url", status: 400, rpc: rpcDiscovery}
	errUnreachable = fault{Code: "profile_unreachable", status: 424, rpc: rpcDiscovery}
	errMalformed   = fault{Code: "profile_malformed", status: 422, rpc: rpcDiscovery}
	errVersion     = fault{Code: "version_unsupported", status: 422, rpc: rpcDiscovery}
	errRequest     = fault{Code: "invalid_request", status: 400, rpc: rpcBadArgument}
	errTooLarge    = fault{Code: "request_too_large", status: 400, rpc: rpcBadArgument}
	errLimited     = fault{Code: "rate_limited", status: 429, rpc: rpcRefused}
	errUnavailable = fault{Code: "unavailable", status: 503, rpc: rpcRefused}
	errNotTrusted  = fault{Code: "profile_not_trusted", status: 403, rpc: rpcRefused}
	errReused      = fault{Code: "idempotency_key_reused", status: 409, rpc: rpcRefused}
	errInProgress  = fault{Code: "idempotency_in_progress", status: 409, rpc: rpcRefused}
	errEnded       = fault{Code: "session_ended", status: 409, rpc: rpcRefused}
	errUnsigned    = fault{Code: "signature_missing", status: 401, rpc: rpcRefused}
	errNoShop      = fault{Code: "not_found", status: 404, rpc: rpcRefused}
	errFailed      = fault{Code: "internal_error", status: 500, rpc: rpcRefused}
)

func (f fault) with(content string) *fault {
	f.Content = content
	return &f
}

func (f fault) after(seconds int, content string) *fault {
	f.RetryAfter = max(seconds, 1)
	return f.with(content)
}

// badBody says why a body cannot be read.
func badBody(err error) error {
	refusal, ok := shop.AsRefusal(err)
	if !ok {
		return err
	}
	return errRequest.with(refusal.Message())
}

// faultOf returns the fault that answers an error; unknown reports that the caller did not
// cause it, so that it must be logged.
func faultOf(err error) (f *fault, unknown bool) {
	if errors.As(err, &f) {
		return f, false
	}
	refusal, ok := shop.AsRefusal(err)
	if !ok {
		return errFailed.with("the call failed; send it again"), true
	}
	switch {
	case errors.Is(err, assist.ErrEnded):
		return errEnded.with("the session has ended; nothing was changed"), false
	case errors.Is(err, assist.ErrBusy):
		return errInProgress.after(1, "another call changes the session or places its order"), false
	case errors.Is(err, assist.ErrBarred):
		return errNotTrusted.with("this shop does not sell through this platform"), false
	case errors.Is(err, assist.ErrSignature):
		return errUnsigned.with("orders, and sessions that were begun with a signature, need one"), false
	}
	after, _ := strconv.Atoi(refusal.RetryAfterHeader())
	switch status := refusal.Status(); {
	case refusal.Code == shop.ErrBodyTooLarge.Code:
		return errTooLarge.with(refusal.Message()), false
	case status == 429:
		return errLimited.after(after, refusal.Message()), false
	case status == 503:
		return errUnavailable.after(after, refusal.Message()), false
	case status == 404:
		return errNoShop.with("there is nothing for assistants here"), false
	case status >= 500:
		return errFailed.with("the call failed; send it again"), true
	}
	return errRequest.with(refusal.Message()), false
}
