package catalog

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"vitrine/compile/design"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	designdb "vitrine/internal/store/design"
)

// articlePage is everything that a storefront needs to render the page of an article (document
// 1, 4.6).
type articlePage struct {
	articleAnswer
	ModalGroups []blockGroup `json:"modal_groups"` // the groups that listings on the page open in a modal (modalTpl)
	Design      pageDesign   `json:"design"`
}

// pageDesign is the groups bound to the slots of a page, and the level of each binding
// (document 3, 4.1).
type pageDesign struct {
	Resolved map[string]design.Bound `json:"resolved"`
	Groups   []blockGroup            `json:"groups"` // the groups of the slots, each once
}

// blockGroup is a group and its blocks, at any depth.
type blockGroup struct {
	designdb.Block
	Blocks []designdb.Block `json:"blocks"`
}

// Limits on the blocks of a page and on the depth of nested groups.
const (
	maxPageBlocks = 200
	maxGroupDepth = 4
)

// readDesign reads the groups in the slots of an article, and the modals of all blocks on the
// page.
func readDesign(ctx context.Context, r store.Reader, page *articlePage) error {
	bindings, err := load.Design(ctx, r)
	if err != nil {
		return err
	}
	at := design.Resource{Type: design.Article, ID: shop.Int64(page.Result.ID)}
	page.Design = pageDesign{Resolved: bindings.Resolve(at, nil), Groups: []blockGroup{}}
	tree := blockTree{}
	roots := []shop.BlockID{}
	for _, slot := range slices.Sorted(maps.Keys(page.Design.Resolved)) {
		roots = append(roots, page.Design.Resolved[slot].GroupID)
	}
	parts := slices.Clone(roots)
	for _, b := range page.ContentBlocks {
		parts = append(parts, tree.add(b).parts...)
	}
	if err := tree.fetch(ctx, r, parts); err != nil {
		return err
	}
	modals := tree.modals()
	if err := tree.fetch(ctx, r, modals); err != nil {
		return err
	}
	page.Design.Groups, page.ModalGroups = tree.groups(roots), tree.groups(modals)
	return nil
}

// blockRefs are the references in the sections of a block: to its parts and to the groups that
// its listings open.
type blockRefs struct{ parts, modals []shop.BlockID }

// refsOf returns the references of a block. It skips invalid sections, because sections are
// stored unchecked.
func refsOf(b designdb.Block) (refs blockRefs) {
	var sections []struct {
		Payload struct {
			Props json.RawMessage `json:"props"`
		} `json:"payload"`
	}
	if json.Unmarshal(b.Sections, &sections) != nil {
		return refs
	}
	for _, s := range sections {
		var props struct {
			Widgets []shop.BlockID `json:"widgets"`
			Refs    []shop.BlockID `json:"refs"`
			Listing struct {
				ModalTpl shop.BlockID `json:"modalTpl"`
			} `json:"listing"`
		}
		if json.Unmarshal(s.Payload.Props, &props) != nil {
			continue
		}
		refs.parts = append(append(refs.parts, props.Widgets...), props.Refs...)
		if props.Listing.ModalTpl > 0 {
			refs.modals = append(refs.modals, props.Listing.ModalTpl)
		}
	}
	return refs
}

// blockTree holds blocks by id; each is read once.
type blockTree map[shop.BlockID]treeBlock

type treeBlock struct {
	designdb.Block
	refs blockRefs
}

func (t blockTree) add(b designdb.Block) blockRefs {
	refs := refsOf(b)
	t[b.ID] = treeBlock{b, refs}
	return refs
}

// fetch reads blocks and their parts, with one query per level.
func (t blockTree) fetch(ctx context.Context, r store.Reader, wanted []shop.BlockID) error {
	for range maxGroupDepth {
		wanted = slices.DeleteFunc(slices.Clone(wanted), func(id shop.BlockID) bool { _, known := t[id]; return known })
		slices.Sort(wanted)
		wanted = slices.Compact(wanted)
		if left := maxPageBlocks - len(t); len(wanted) > left {
			wanted = wanted[:max(left, 0)]
		}
		if len(wanted) == 0 {
			return nil
		}
		found, err := designdb.BlocksByID(ctx, r, wanted)
		if err != nil {
			return err
		}
		wanted = nil
		for _, b := range found {
			wanted = append(wanted, t.add(b).parts...)
		}
	}
	return nil
}

// modals returns the ids of the groups that the blocks open, sorted.
func (t blockTree) modals() (ids []shop.BlockID) {
	for _, b := range t {
		ids = append(ids, b.refs.modals...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// groups returns the blocks that are groups, each once, with their parts in the order of the
// references.
func (t blockTree) groups(ids []shop.BlockID) []blockGroup {
	list := []blockGroup{}
	for i, id := range ids {
		b, known := t[id]
		if !known || b.GroupType == shop.SingleBlock || slices.Contains(ids[:i], id) {
			continue
		}
		g := blockGroup{Block: b.Block, Blocks: []designdb.Block{}}
		seen := map[shop.BlockID]bool{id: true}
		for next := slices.Clone(b.refs.parts); len(next) > 0; {
			part := next[0]
			next = next[1:]
			if member, known := t[part]; known && !seen[part] {
				seen[part] = true
				g.Blocks = append(g.Blocks, member.Block)
				next = append(next, member.refs.parts...)
			}
		}
		list = append(list, g)
	}
	return list
}
