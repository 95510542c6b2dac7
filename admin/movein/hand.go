package movein

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	moveindb "vitrine/internal/store/movein"
)

// hand makes calls of the API as the person who began an import.
type hand struct {
	*MoveIns
	who api.Identity
}

// as returns a hand of a person. Whoever may begin an import may do what it does: the endpoint has
// checked that.
func (ms *MoveIns) as(person shop.UserID, company shop.CompanyID) hand {
	return hand{ms, api.Identity{Person: person, Company: company, Role: shop.Admin, Contour: shop.Prod}}
}

// inTurn does something in one transaction, while no other import or undo of the shop writes.
func (h hand) inTurn(ctx context.Context, do func(ctx context.Context) error) error {
	return h.Store.AsOne(ctx, func(ctx context.Context) error {
		if err := h.Store.Write(ctx, h.who.Company, func(tx *store.Tx) error { return moveindb.InTurn(ctx, tx) }); err != nil {
			return err
		}
		return do(ctx)
	})
}

// call makes a call and returns its response as JSON has it.
func (h hand) call(ctx context.Context, method, path string, params map[string]string, body any) (object, error) {
	out, err := h.Do(ctx, h.who, method, path, params, body)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

// decode reads a JSON object and keeps the digits of its numbers.
func decode(text []byte) (out object, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&out)
	return out, err
}

func of(id int64) map[string]string { return map[string]string{"id": strconv.FormatInt(id, 10)} }

// result makes a call and returns the field result of its response.
func (h hand) result(ctx context.Context, method, path string, params map[string]string, body any) (object, error) {
	out, err := h.call(ctx, method, path, params, body)
	if err != nil {
		return nil, err
	}
	r, ok := out["result"].(object)
	if !ok {
		return nil, fmt.Errorf("%s %s: a response without a result", method, path)
	}
	return r, nil
}
