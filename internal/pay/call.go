package pay

import (
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
func call(ctx context.Context, do Do, r outbound.Request, out any) (err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	r.MaxBody = maxAnswer
	answer, err := do(ctx, r)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	text, err := io.ReadAll(answer.Body)
	switch {
	case answer.Status == 408 || answer.Status == 409 || answer.Status == 429 || answer.Status >= 500:
		return fmt.Errorf("%w: status %d", ErrUnknown, answer.Status)
	case answer.Status/100 != 2:
		return fmt.Errorf("%w: status %d%s", ErrRefused, answer.Status, reason(text))
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%w: unexpected JSON", ErrUnknown)
	}
	return nil
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
	words := strings.Join(strings.FieldsFunc(said.Error.Code+" "+said.Error.Message+" "+said.Code+" "+said.Description, unicode.IsSpace), " ")
	words = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, words)
	if words = shop.Clip(words, maxReason); words == "" {
		return ""
	}
	return ": " + words
}
