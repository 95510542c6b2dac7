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
)

// call sends a request to a provider and reads the JSON that it answers into out. Of
// what the provider says in its refusals only the status is told on: it may repeat
// what was sent.
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
		return fmt.Errorf("%w: no JSON of the expected form", ErrUnknown)
	}
	return nil
}

// maxReason bounds what is told of a provider's reason, in characters.
const maxReason = 300

// reason is what a provider says of why it refuses, in front of which stands a colon.
func reason(text []byte) string {
	var said struct {
		Code        string `json:"code"` // of YooKassa
		Description string `json:"description"`
		Error       struct {
			Code    string `json:"code"` // of Stripe
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
	if words = clip(words, maxReason); words == "" {
		return ""
	}
	return ": " + words
}

// clip is the beginning of a text of at most so many characters.
func clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
