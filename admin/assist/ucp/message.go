package ucp

import (
	"errors"

	"vitrine/admin/assist"
	"vitrine/internal/store/sales"
)

// Message tells a platform or its buyer about an answer.
type Message struct {
	Type     string `json:"type" enum:"error,warning,info"`
	Code     string `json:"code"`
	Content  string `json:"content"`
	Path     string `json:"path,omitempty" doc:"JSONPath of what it is about, in the answer"`
	Severity string `json:"severity,omitempty" enum:"recoverable,requires_buyer_input,requires_buyer_review,unrecoverable" doc:"of an error"`
}

func info(code, content, path string) Message {
	return Message{Type: "info", Code: code, Content: content, Path: path}
}

// Meta is the protocol's part of an answer.
type Meta struct {
	Version      string             `json:"version"`
	Status       string             `json:"status" enum:"success,error"`
	Capabilities map[string][]Entry `json:"capabilities,omitempty" doc:"the negotiated ones that the answer follows"`
}

// outcome is an error that answers a call in place of what it asked for: there is nothing to
// answer with. Its status in HTTP is 200, because the call was understood, except where the buyer's
// token does not admit it.
type outcome struct {
	UCP      Meta      `json:"ucp"`
	Messages []Message `json:"messages"`

	status    int    // 0: 200
	challenge string // WWW-Authenticate
}

// reply is how HTTP answers with the outcome.
func (o *outcome) reply() reply {
	if o.status == 0 {
		return reply{status: 200}
	}
	return reply{o.status, map[string]string{"WWW-Authenticate": o.challenge}}
}

func (o *outcome) Error() string { return o.Messages[0].Code + ": " + o.Messages[0].Content }

// outcomeOf returns the outcome that an error of the engine means, nil for any other error.
func outcomeOf(err error) *outcome {
	var o *outcome
	switch {
	case errors.As(err, &o):
		return o
	case errors.Is(err, assist.ErrNotFound), errors.Is(err, sales.ErrOrderNotFound):
		return fail("not_found", "the platform has no such session in this shop")
	case errors.Is(err, assist.ErrNothingToBuy):
		o = fail("item_unavailable", "none of the items can be bought")
		o.Messages[0].Path = "$.line_items"
		return o
	}
	return nil
}

// fail returns an outcome with one message.
func fail(code, content string) *outcome {
	return &outcome{
		UCP:      Meta{Version: Version, Status: "error"},
		Messages: []Message{{Type: "error", Code: code, Content: content, Severity: "unrecoverable"}},
	}
}
