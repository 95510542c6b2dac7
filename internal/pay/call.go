package pay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
		return fmt.Errorf("%w: status %d", ErrRefused, answer.Status)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%w: no JSON of the expected form", ErrUnknown)
	}
	return nil
}
