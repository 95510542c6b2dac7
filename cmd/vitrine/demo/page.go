package demo

import (
	"context"

	"vitrine/internal/shop"
)

// page is a section or an article with its blocks.
type page struct {
	Result struct {
		ID int64 `json:"id"`
	} `json:"result"`
	Blocks []block `json:"content_blocks"`
}

type block struct {
	ID       shop.BlockID `json:"id"`
	Name     string       `json:"name"`
	Sections []struct {
		Payload struct {
			Kind  string `json:"kind"`
			Props struct {
				Text string `json:"text"`
			} `json:"props"`
		} `json:"payload"`
	} `json:"sections"`
}

// find returns the first block of a kind.
func (p page) find(kind string) (b block, text string, ok bool) {
	for _, b := range p.Blocks {
		for _, s := range b.Sections {
			if s.Payload.Kind == kind {
				return b, s.Payload.Props.Text, true
			}
		}
	}
	return block{}, "", false
}

// section is a block's list of sections with a single one (document 3, 2.1).
func section(kind string, props object) []object {
	return []object{{"type": "text", "payload": object{"v": 2, "kind": kind, "props": props}}}
}

// attach creates a block and makes it the only one of a page.
func (d *client) attach(ctx context.Context, path, owner, name string, sections []object) error {
	made, err := ask[result[block]](ctx, d, "POST", "/content-blocks", nil, object{"item": object{"name": name, "sections": sections}})
	if err != nil {
		return err
	}
	return d.send(ctx, "PUT", path, params{"id": owner}, object{"items": []object{{"block_id": made.Result.ID, "sort_order": 1}}})
}
