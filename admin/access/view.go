package access

import (
	"context"
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/api/body"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// maxView is the size of a view in bytes.
const maxView = 64 << 10

var pageForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

type viewPath struct {
	Page string `path:"page" json:"-" doc:"the page of the cabinet: a-z, 0-9, . _ and -, at most 64 characters"`
}

type pageView struct {
	Result    json.RawMessage `json:"result" doc:"as the cabinet stored it: only its pages know the shape"`
	UpdatedAt time.Time       `json:"updated_at" doc:"1970: never"`
}

// ownView returns what the person stored for a page, such as the columns of a list.
func (a *Access) ownView(ctx context.Context, c *api.Call, in viewPath) (out pageView, err error) {
	if err := checkView(c, in); err != nil {
		return out, err
	}
	v, err := people.GetView(ctx, a.store, c.Person, in.Page)
	return pageView{v.Value, v.UpdatedAt}, err
}

type viewEdit struct {
	viewPath
	api.HeaderBasis
}

// setView stores the body as it is: only the pages of the cabinet know what it means.
func (a *Access) setView(ctx context.Context, c *api.Call, in viewEdit) (out pageView, err error) {
	if err := checkView(c, in.viewPath); err != nil {
		return out, err
	}
	stream, size := c.Body()
	if size > maxView {
		return out, shop.ErrBodyTooLarge
	}
	text, err := io.ReadAll(io.LimitReader(stream, maxView+1))
	switch {
	case err != nil:
		return out, shop.ErrInvalidRequest.With("the body ended early")
	case len(text) > maxView:
		return out, shop.ErrBodyTooLarge
	}
	if _, err := anyJSON.Read(text, &out.Result, body.Rules{}); err != nil {
		return out, err
	}
	v, err := people.SetView(ctx, a.store, c.Person, in.Page, out.Result, c.CheckBasis)
	return pageView{v.Value, v.UpdatedAt}, err
}

var anyJSON = body.ShapeOf(reflect.TypeFor[json.RawMessage]())

func checkView(c *api.Call, in viewPath) error {
	if err := onAdminOrigin(c); err != nil {
		return err
	}
	if !pageForm.MatchString(in.Page) {
		return shop.ErrNotFound
	}
	return nil
}
