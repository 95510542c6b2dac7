package push

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"vitrine/internal/shop"
)

// category is the data read of a section.
type category struct {
	ID     shop.CategoryID  `json:"id"`
	Parent shop.CategoryRef `json:"parent_id"`
	Name   string           `json:"name"`
	SEO    struct {
		Slug string `json:"slug"`
	} `json:"seo"`
	Published bool `json:"is_published"`
	Home      bool `json:"is_home"`
	Deleted   bool `json:"is_deleted"`
}

// block is the data read of a content block on a page.
type block struct {
	ID       shop.BlockID `json:"id"`
	Sections []struct {
		Payload json.RawMessage `json:"payload"`
	} `json:"sections"`
	SortOrder int `json:"sort_order"`
}

// found is a page and its blocks; without an id the page does not exist yet.
type found struct {
	Result category `json:"result"`
	Blocks []block  `json:"content_blocks"`
}

// toPage publishes into the document shown by a page. A missing document or page is created
// only after a release was published, so that a refused folder leaves nothing behind.
func (p *pusher) toPage(ctx context.Context, path string) (Result, error) {
	at, err := p.find(ctx, path)
	if err != nil {
		return Result{}, err
	}
	doc, err := at.document()
	if err != nil {
		return Result{}, fmt.Errorf("page:%s: %w", path, err)
	}
	if doc != 0 {
		result, err := p.publish(ctx, documentAt(doc), doc)
		if err != nil {
			return result, err
		}
		if err := p.updatePage(ctx, at); err != nil {
			return result, fmt.Errorf("release %s is live, but the options for its page could not be applied: %w", result.ReleaseID, err)
		}
		return p.located(ctx, result, at.Result)
	}
	parent, err := p.parent(ctx, path, at)
	if err != nil {
		return Result{}, err
	}
	return p.firstPublish(ctx, path, parent, at)
}

// find reads the page at a path, or the home page. One segment is a slug, wherever the
// section is in the tree; several segments are an address that must match.
func (p *pusher) find(ctx context.Context, path string) (at found, err error) {
	parts := segments(path)
	if len(parts) > 0 {
		err = p.client.get(ctx, "/categories/by-slug/"+url.PathEscape(parts[len(parts)-1]), &at)
		if refused(err, "CATEGORY_NOT_FOUND") {
			return found{}, nil
		}
		if err == nil && len(parts) > 1 {
			err = p.checkAddress(ctx, at.Result, path)
		}
		return at, err
	}
	all, err := p.categories(ctx)
	if err != nil {
		return at, err
	}
	for _, c := range all {
		if c.Home && !c.Deleted {
			err = p.client.get(ctx, "/categories/"+c.ID.String(), &at)
			return at, err
		}
	}
	return at, nil
}

// checkAddress checks the address of a section: slugs are unique in a shop, so the last segment
// may belong to another page.
func (p *pusher) checkAddress(ctx context.Context, c category, path string) error {
	all, err := p.categories(ctx)
	if err != nil {
		return err
	}
	if where := pathIn(all, c); where != path {
		return fmt.Errorf("there is no page %s, and its slug is taken by %s: push to page:%s or choose another slug", path, where, where)
	}
	return nil
}

func (p *pusher) categories(ctx context.Context) ([]category, error) {
	var list struct {
		Result []category `json:"result"`
	}
	err := p.client.get(ctx, "/categories?view=menu", &list)
	return list.Result, err
}

// parent is the section above a missing page, 0 for the top level.
func (p *pusher) parent(ctx context.Context, path string, at found) (shop.CategoryRef, error) {
	parts := segments(path)
	if at.Result.ID != 0 || len(parts) < 2 {
		return 0, nil
	}
	above := parts[:len(parts)-1]
	up, err := p.find(ctx, "/"+strings.Join(above, "/"))
	switch {
	case err != nil:
	case up.Result.ID == 0:
		err = fmt.Errorf("there is no page /%s as the parent of %s: push it first", strings.Join(above, "/"), path)
	case len(above) == 1:
		err = p.checkAddress(ctx, up.Result, "/"+above[0])
	}
	return shop.CategoryRef(up.Result.ID), err
}

// document is the html document shown by a page, 0 for none.
func (at found) document() (doc shop.DocumentID, err error) {
	for _, b := range at.Blocks {
		for _, s := range b.Sections {
			id, err := mounted(s.Payload)
			switch {
			case err != nil:
				return 0, fmt.Errorf("block %s: %w", b.ID, err)
			case id == 0 || id == doc:
			case doc != 0:
				return 0, fmt.Errorf("the page shows several documents (%s, %s): push to doc:ID", doc, id)
			default:
				doc = id
			}
		}
	}
	return doc, nil
}

// mounted is the document mounted by a section's payload (CONTRACT, "Storefront host"), 0 for
// other widgets.
func mounted(payload json.RawMessage) (shop.DocumentID, error) {
	var widget struct {
		Kind  string          `json:"kind"`
		Props json.RawMessage `json:"props"`
	}
	if len(payload) == 0 || json.Unmarshal(payload, &widget) != nil || widget.Kind != "html" {
		return 0, nil // legacy payloads have other formats
	}
	var props struct {
		HTML struct {
			Document shop.DocumentID `json:"documentId"`
		} `json:"html"`
	}
	if len(widget.Props) == 0 {
		return 0, nil
	}
	err := json.Unmarshal(widget.Props, &props)
	return props.HTML.Document, err
}
