package compose

import (
	"encoding/json"
	"slices"

	"vitrine/internal/shop"
)

// section is one entry of a block's sections (document 3, 2.1 and 2.2).
type section struct {
	Type    string
	Raw     json.RawMessage // the whole section
	Items   json.RawMessage
	Payload struct {
		Kind   string
		Text   string
		Origin string // "builder": the text of a new article, whose tags are printed literally (document 3, 2.2)
		Props  json.RawMessage
	}
}

// props are the props of the kinds that this package draws itself.
type props struct {
	Widgets []shop.BlockID
	Grid    struct{ Main, Aside []shop.BlockID } // the same blocks in columns
	Refs    []shop.BlockID
	Text    string
	HTML    struct {
		DocumentID shop.DocumentID
		Boxed      bool
	}
	Cells           [][]shop.BlockID                     // of columns
	Kit             struct{ Top, Bottom []shop.BlockID } // of a chromeKit
	HideSiteHeader  bool
	HideSiteFooter  bool
	HideSystemBlock bool
}

// object is a JSON object whose members are decoded separately: an invalid member is treated as
// absent and doesn't affect the others.
type object map[string]json.RawMessage

func objectOf(raw json.RawMessage) (o object) {
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// member decodes one member into to, which is unchanged if the member is absent or has another
// type.
func member[T any](o object, name string, to *T) {
	var value T
	if raw, ok := o[name]; ok && json.Unmarshal(raw, &value) == nil {
		*to = value
	}
}

// sectionOf decodes one entry of a block's sections.
func sectionOf(raw json.RawMessage) (s section) {
	o := objectOf(raw)
	member(o, "type", &s.Type)
	payload := objectOf(o["payload"])
	member(payload, "kind", &s.Payload.Kind)
	member(payload, "text", &s.Payload.Text)
	member(payload, "origin", &s.Payload.Origin)
	s.Raw, s.Payload.Props, s.Items = raw, payload["props"], o["items"]
	return s
}

// propsOf decodes the props of a section (document 3, 2.2).
func propsOf(raw json.RawMessage) (p props) {
	o := objectOf(raw)
	member(o, "widgets", &p.Widgets)
	columns := objectOf(o["grid"])
	member(columns, "main", &p.Grid.Main)
	member(columns, "aside", &p.Grid.Aside)
	member(o, "refs", &p.Refs)
	kit := objectOf(o["kit"])
	member(kit, "top", &p.Kit.Top)
	member(kit, "bottom", &p.Kit.Bottom)
	member(o, "text", &p.Text)
	member(o, "hideSiteHeader", &p.HideSiteHeader)
	member(o, "hideSiteFooter", &p.HideSiteFooter)
	member(o, "hideSystemBlock", &p.HideSystemBlock)

	html := objectOf(o["html"])
	member(html, "documentId", &p.HTML.DocumentID)
	member(html, "boxed", &p.HTML.Boxed)

	var cells []json.RawMessage
	member(o, "cells", &cells)
	for _, cell := range cells {
		var ids []shop.BlockID
		member(objectOf(cell), "widgets", &ids)
		p.Cells = append(p.Cells, ids)
	}
	return p
}

// parts returns the blocks of a group.
func (p props) parts() []shop.BlockID {
	return slices.Concat(p.Widgets, p.Grid.Main, p.Grid.Aside, p.Kit.Top, p.Kit.Bottom, slices.Concat(p.Cells...))
}
