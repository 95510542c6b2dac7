package acp

import (
	"context"
	"errors"
	"strconv"

	"vitrine/admin/assist"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// fault is a call that was not carried out.
type fault struct {
	Type     string   `json:"type" enum:"invalid_request,processing_error,service_unavailable"`
	Code     string   `json:"code"`
	Message  string   `json:"message"`
	Param    string   `json:"param,omitempty" doc:"RFC 9535 path of what is wrong in the request"`
	Versions []string `json:"supported_versions,omitempty"`

	status, after int // after is in seconds; 0: no Retry-After
}

func (f *fault) Error() string { return f.Code + ": " + f.Message }

func bad(status int, code, message string) *fault {
	return &fault{Type: "invalid_request", Code: code, Message: message, status: status}
}

// errBlocked is answered to an assistant that the shop has blocked.
var errBlocked = bad(403, "profile_not_trusted", "the shop has blocked this assistant")

func (f *fault) at(param string) *fault {
	f.Param = param
	return f
}

// noShop is answered where a shop has nothing for assistants.
func noShop() *fault { return bad(404, "not_found", "there is nothing for assistants here") }

// faultOf returns the fault that answers an error; unknown reports that the error was not
// caused by the caller, and must be logged.
func faultOf(err error) (f *fault, unknown bool) {
	if errors.As(err, &f) {
		return f, false
	}
	refusal, ok := shop.AsRefusal(err)
	if !ok {
		f = &fault{Type: "processing_error", Code: "internal_error", Message: "the call failed; send it again", status: 500}
		if errors.Is(err, context.DeadlineExceeded) {
			f.Type, f.status = "service_unavailable", 503
		}
		return f, true
	}
	after, _ := strconv.Atoi(refusal.RetryAfterHeader())
	f = bad(refusal.Status(), refusal.Code, refusal.Message())
	switch {
	case errors.Is(err, assist.ErrBarred):
		return errBlocked, false
	case errors.Is(refusal, store.ErrKeyReused):
		f.Code = "idempotency_conflict"
	case errors.Is(refusal, store.ErrKeyInProgress):
		f.Code, f.after = "idempotency_in_flight", max(after, 1)
	case f.status == 429:
		f.Type, f.Code, f.after = "service_unavailable", "rate_limited", max(after, 1)
	case f.status == 503:
		f.Type, f.Code, f.after = "service_unavailable", "unavailable", max(after, 1)
	case f.status == 404:
		f.Code = "not_found"
	case f.status == 409:
		f.Code, f.after = "conflict", after
	case f.status >= 500:
		return &fault{Type: "processing_error", Code: "internal_error", Message: "the call failed; send it again", status: 500}, true
	default:
		f.status, f.Code = 400, "invalid"
	}
	return f, false
}
