package docs

import (
	"bytes"
	"context"
	"encoding/json"

	"vitrine/admin/api"
	"vitrine/compile/widget"
	"vitrine/internal/shop"
)

// maxValidated is the most bytes of a request: 64 KB of sections, with room for
// white space around them.
const maxValidated = 256 << 10

// validateRequest is a list of sections as it is about to be written: bare, as
// {sections}, or as the whole body of a block's write, {item: {sections}}.
type validateRequest struct {
	Sections json.RawMessage `json:"sections"`
	Item     struct {
		Sections json.RawMessage `json:"sections"`
	} `json:"item"`
}

// UnmarshalJSON reads the three forms.
func (v *validateRequest) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		v.Sections = bytes.Clone(text)
		return nil
	}
	type fields validateRequest
	if json.Unmarshal(text, (*fields)(v)) != nil {
		return shop.ErrInvalidRequest.With("send {sections: [...]}")
	}
	return nil
}

// validate writes nothing (document 1, section 1). A list that no write would
// take is refused here with the code of the write.
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
