package push

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"vitrine/internal/shop"
)

// firstPublish publishes into a new document and mounts it.
func (p *pusher) firstPublish(ctx context.Context, path string, parent shop.CategoryRef, at found) (Result, error) {
	name, err := p.folder.title(filepath.Base(p.options.Dir))
	if err != nil {
		return Result{}, err
	}
	doc, err := p.newDocument(ctx, name)
	if err != nil {
		return Result{}, err
	}
	result, err := p.publish(ctx, documentAt(doc), doc)
	if err != nil {
		return Result{}, errors.Join(err, p.discard(ctx, doc))
	}
	fresh := at.Result.ID == 0
	if fresh {
		if at.Result, err = p.newPage(ctx, path, name, parent); err != nil {
			return Result{}, mountFailed(err, doc)
		}
	}
	if err := p.mount(ctx, at, doc, name, fresh); err != nil {
		return Result{}, mountFailed(err, doc)
	}
	if p.options.SEOOverwrite { // a mount after publication fills only empty fields
		if err := p.client.set(ctx, "POST", documentAt(doc)+"/releases/"+result.ReleaseID.String()+"/publish", p.publication(), nil); err != nil {
			return Result{}, mountFailed(err, doc)
		}
	}
	if !fresh || p.options.SEOOverwrite {
		if err := p.reload(ctx, &at); err != nil {
			return Result{}, mountFailed(err, doc)
		}
		if err := p.updatePage(ctx, at); err != nil {
			return Result{}, mountFailed(err, doc)
		}
	}
	return p.located(ctx, result, at.Result)
}

// reload reads a page again after a change.
func (p *pusher) reload(ctx context.Context, at *found) error {
	id := at.Result.ID
	*at = found{}
	return p.client.get(ctx, "/categories/"+id.String(), at)
}

func mountFailed(err error, doc shop.DocumentID) error {
	return fmt.Errorf("document %s is published, but not on its page: %w", doc, err)
}

type item[T any] struct {
	Item T `json:"item"`
}

// made is the part of an answer with the id of the created entity.
type made[ID any] struct {
	Result struct {
		ID ID `json:"id"`
	} `json:"result"`
}

type object = map[string]any

func (p *pusher) newDocument(ctx context.Context, name string) (shop.DocumentID, error) {
	var answer made[shop.DocumentID]
	err := p.client.create(ctx, "/html-documents", item[object]{object{"name": name, "level": 3}}, &answer)
	return answer.Result.ID, err
}

// discard deletes a document whose first release was refused.
func (p *pusher) discard(ctx context.Context, doc shop.DocumentID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := p.client.set(ctx, "DELETE", documentAt(doc), nil, nil); err != nil {
		return fmt.Errorf("the new document %s could not be deleted: %w", doc, err)
	}
	return nil
}

func (p *pusher) newPage(ctx context.Context, path, title string, parent shop.CategoryRef) (category, error) {
	name, page, seo := p.options.Frame.fresh(title, path)
	page["name"], page["type"], page["is_published"] = name, "page", true
	if parts := segments(path); len(parts) > 0 {
		seo["slug"] = parts[len(parts)-1]
	} else {
		page["is_home"] = true
	}
	if len(seo) > 0 {
		page["seo"] = seo
	}
	if parent != 0 {
		page["parent_id"] = parent
	}
	var answer struct {
		Result category `json:"result"`
	}
	err := p.client.create(ctx, "/categories", item[object]{page}, &answer)
	return answer.Result, err
}

// mount adds a block that shows the document after the page's other blocks. A new page also
// gets the manifest __page:top, which hides the breadcrumbs and the heading: a finished
// website has its own (document 3, 4.1).
func (p *pusher) mount(ctx context.Context, at found, doc shop.DocumentID, name string, alone bool) error {
	own, err := p.block(ctx, name, "html", object{"html": object{"documentId": doc, "boxed": false}})
	if err != nil {
		return err
	}
	places, last := at.places()
	if alone {
		props := p.options.Frame.flags()
		props["refs"], props["hideSystemBlock"] = []shop.BlockID{own}, true
		top, err := p.block(ctx, manifest, "zone", props)
		if err != nil {
			return err
		}
		last++
		places = append(places, place{top, last})
	}
	return p.attach(ctx, at.Result.ID, append(places, place{own, last + 1}))
}

// manifest is the name of the block that controls what a page hides.
const manifest = "__page:top"

type place struct {
	Block shop.BlockID `json:"block_id"`
	Order int          `json:"sort_order"`
}

// places lists the blocks of a page, and returns the last of their numbers.
func (at found) places() (list []place, last int) {
	for _, b := range at.Blocks {
		list = append(list, place{b.ID, b.SortOrder})
		last = max(last, b.SortOrder)
	}
	return list, last
}

func (p *pusher) attach(ctx context.Context, id shop.CategoryID, places []place) error {
	return p.client.set(ctx, "PUT", "/categories/"+id.String()+"/content-blocks", object{"id": id, "items": places}, nil)
}

// block creates a content block with one section.
func (p *pusher) block(ctx context.Context, name, kind string, props object) (shop.BlockID, error) {
	var answer made[shop.BlockID]
	err := p.client.create(ctx, "/content-blocks", item[object]{blockOf(name, kind, props)}, &answer)
	return answer.Result.ID, err
}

func blockOf(name, kind string, props object) object {
	return object{"name": name, "sections": []object{{"type": "text", "payload": object{"v": 2, "kind": kind, "props": props}}}}
}
