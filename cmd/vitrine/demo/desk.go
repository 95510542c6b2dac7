package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"vitrine/admin/api"
)

// client calls the admin API as the owner of one shop.
type client struct {
	seeding
	slug string
	who  api.Identity
}

// object is a JSON body; params are path and query values.
type (
	object map[string]any
	params map[string]string
)

// ask calls an endpoint and decodes its response as a client would.
func ask[Answer any](ctx context.Context, d *client, method, path string, at params, body any) (answer Answer, err error) {
	out, err := d.api.Do(ctx, d.who, method, path, at, body)
	if err != nil {
		return answer, fmt.Errorf("%s %s %v: %w", method, path, slices.Collect(maps.Values(at)), err)
	}
	raw, err := json.Marshal(out)
	if err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	if err != nil {
		return answer, fmt.Errorf("answer of %s %s: %w", method, path, err)
	}
	return answer, nil
}

// result is the common envelope of responses.
type result[T any] struct {
	Result T `json:"result"`
}

// send calls an endpoint and ignores its response.
func (d *client) send(ctx context.Context, method, path string, at params, body any) error {
	_, err := ask[struct{}](ctx, d, method, path, at, body)
	return err
}
