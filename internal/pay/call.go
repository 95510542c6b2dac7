package pay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"vitrine/internal/outbound"
	"vitrine/internal/shop"
)

// call sends a request to a provider and decodes its JSON response into out. Of a refusal
// only the status and the reason are passed on: the response may repeat what was sent.
func call(ctx context.Context, do Do, r outbound.Request, out any) error {
	status, text, err := send(ctx, do, r)
	if err != nil {
		return err
	}
	if status/100 != 2 {
		return fmt.Errorf("%w: status %d%s", ErrRefused, status, reason(text))
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%w: unexpected JSON", ErrUnknown)
	}
	return nil
}

// send sends a request to a provider and returns its response: success or a refusal.
func send(ctx context.Context, do Do, r outbound.Request) (status int, text []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	r.MaxBody = cmp.Or(r.MaxBody, maxAnswer)
	answer, err := do(ctx, r)
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	text, err = io.ReadAll(answer.Body)
	switch {
	case answer.Status == 408 || answer.Status == 409 || answer.Status == 429 || answer.Status >= 500:
		return 0, nil, fmt.Errorf("%w: status %d", ErrUnknown, answer.Status)
	case err != nil && answer.Status/100 == 2:
		return 0, nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return answer.Status, text, nil
}

// maxReason bounds the length of a provider's reason, in characters.
const maxReason = 300

// reason is the provider's reason for a refusal with a colon before it, or empty.
func reason(text []byte) string {
	var said struct {
		Code        string `json:"code"` // YooKassa
		Description string `json:"description"`
		Error       struct {
			Code    string `json:"code"` // Stripe
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(text, &said) != nil {
		return ""
	}
	words := plain(said.Error.Code + " " + said.Error.Message + " " + said.Code + " " + said.Description)
	if words == "" {
		return ""
	}
	return ": " + words
}

// plain returns a provider's text as one line without control characters, shortened.
func plain(text string) string {
	words := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(text), " "))
	return shop.Clip(words, maxReason)
}
