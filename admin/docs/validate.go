package docs

import (
	"bytes"
	"context"
	"encoding/json"

	"vitrine/admin/api"
	"vitrine/compile/widget"
	"vitrine/internal/shop"
)

// maxValidated is the largest request in bytes: 64 KB of sections, with an allowance for white
// space.
const maxValidated = 256 << 10

// validateRequest is a list of sections before it is written: bare, as {sections}, or as the
// whole body of a block's write, {item: {sections}}.
type validateRequest struct {
	Sections sections `json:"sections"`
	Item     struct {
		Sections sections `json:"sections"`
	} `json:"item"`
}

// sections are whatever the caller wants to have judged.
type sections = shop.JSON[[]json.RawMessage]

// UnmarshalJSON accepts the three forms.
func (v *validateRequest) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		v.Sections = bytes.Clone(text)
		return nil
	}
	type fields validateRequest
	if json.Unmarshal(text, (*fields)(v)) != nil {
		return shop.ErrInvalidRequest.With("send {sections: [...]}").About("sections")
	}
	return nil
}

// validate writes nothing (document 1, section 1). A list that a write would refuse is refused
// with the same code.
func (d *Docs) validate(_ context.Context, _ *api.Call, in validateRequest) (widget.Report, error) {
	if in.Sections == nil {
		in.Sections = in.Item.Sections
	}
	if in.Sections == nil {
		return widget.Report{}, shop.ErrInvalidRequest.At("sections").With("missing")
	}
	report, err := widget.Validate(in.Sections)
	return report, shop.At(err, "sections")
}
