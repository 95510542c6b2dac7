package media

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
)

// Refusals of collections.
var (
	ErrCollectionLoop   = shop.Refuse(shop.InvalidArgument, "COLLECTION_LOOP").When("the collection would be inside itself")
	ErrCollectionsDeep  = shop.Refuse(shop.InvalidArgument, "COLLECTION_TOO_DEEP").When("collections would be nested more than 16 deep")
	ErrCollectionsMany  = shop.Refuse(shop.FailedPrecondition, "COLLECTIONS_TOO_MANY").When("the shop has 1000 collections")
	errCollectionParent = mediadb.ErrCollectionNotFound.At("parent_id").With("the shop has no such collection")
)

const (
	modeFolder     = "folder" // the only mode (document 1, 2.5)
	maxCollections = 1000     // of a shop
	maxDepth       = 16
)

// collectionView is a folder of the library. The parent_id "0" stands for the top level.
type collectionView struct {
	ID         mediadb.CollectionID `json:"id"`
	ParentID   mediadb.CollectionID `json:"parent_id"`
	Name       string               `json:"name"`
	Mode       string               `json:"mode"`
	SortOrder  int                  `json:"sort_order"`
	FilesCount int                  `json:"files_count"`
	CreatedAt  time.Time            `json:"created_at"`
	UpdatedAt  time.Time            `json:"updated_at"`
}

func viewCollection(c mediadb.Collection) collectionView {
	return collectionView{
		ID: c.ID, ParentID: c.ParentID, Name: c.Name, Mode: modeFolder, SortOrder: c.SortOrder, FilesCount: c.Files,
		CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
	}
}

type collectionList struct {
	Result []collectionView `json:"result"`
	Total  int              `json:"total"`
}

type collectionsRequest struct {
	Parent *mediadb.CollectionID `query:"filter.parent_id" json:"-" doc:"only the direct children of this collection; 0 for the top level"`
}

// collections lists all folders, or the children of one, without paging: a shop has few.
func (m *Media) collections(ctx context.Context, call *api.Call, in collectionsRequest) (out collectionList, err error) {
	all, err := mediadb.Collections(ctx, m.store.Shop(call.Company))
	out.Result = []collectionView{}
	for _, c := range all {
		if in.Parent == nil || *in.Parent == c.ParentID {
			out.Result = append(out.Result, viewCollection(c))
		}
	}
	out.Total = len(out.Result)
	return out, err
}

type collectionID struct {
	ID mediadb.CollectionID `path:"id" json:"-"`
}

func (m *Media) collection(ctx context.Context, call *api.Call, in collectionID) (out api.Result[collectionView], err error) {
	c, err := mediadb.GetCollection(ctx, m.store.Shop(call.Company), in.ID)
	return api.Wrap(viewCollection(c)), err
}

// collectionItem holds the writable fields of a folder; absent fields stay unchanged.
type collectionItem struct {
	Name   *string               `json:"name" required:"POST" len:"255" refuse:"INVALID_REQUEST"`
	Parent *mediadb.CollectionID `json:"parent_id"`
	Mode   *string               `json:"mode"`
}

func (i collectionItem) apply(c *mediadb.Collection) error {
	if i.Mode != nil && *i.Mode != modeFolder && *i.Mode != "" {
		return shop.ErrInvalidRequest.At("mode").With("folder")
	}
	if i.Name != nil {
		c.Name = strings.TrimSpace(*i.Name)
	}
	if n := utf8.RuneCountInString(c.Name); n < 1 || n > maxName || strings.IndexFunc(c.Name, unicode.IsControl) >= 0 {
		return shop.ErrInvalidRequest.At("name").With("1 to 255 characters and no control characters")
	}
	if i.Parent != nil {
		c.ParentID = *i.Parent
	}
	return nil
}

func (m *Media) createCollection(ctx context.Context, call *api.Call, in collectionItem) (out api.Result[collectionView], err error) {
	var c mediadb.Collection
	if err := in.apply(&c); err != nil {
		return out, err
	}
	err = m.changeCollections(ctx, call, func(tx *store.Tx, tree tree) error {
		if len(tree) >= maxCollections {
			return ErrCollectionsMany
		}
		if err := tree.add(c); err != nil {
			return err
		}
		c.ID, err = mediadb.CreateCollection(ctx, tx, c, call.Person, m.now())
		return err
	})
	if err != nil {
		return out, err
	}
	return m.collection(ctx, call, collectionID{c.ID})
}

type saveCollectionRequest struct {
	collectionID
	api.Basis
	collectionItem
}

func (m *Media) saveCollection(ctx context.Context, call *api.Call, in saveCollectionRequest) (out api.Result[collectionView], err error) {
	err = m.changeCollections(ctx, call, func(tx *store.Tx, tree tree) error {
		c, err := mediadb.GetCollection(ctx, tx.Reader, in.ID)
		if err == nil {
			err = tx.CheckBasis(c.UpdatedAt)
		}
		if err == nil {
			err = in.apply(&c)
		}
		if err == nil {
			err = tree.add(c)
		}
		if err != nil {
			return err
		}
		return mediadb.SaveCollection(ctx, tx, c)
	})
	if err != nil {
		return out, err
	}
	return m.collection(ctx, call, in.collectionID)
}

// deleteCollection deletes a folder and its descendants; the files in them are kept.
func (m *Media) deleteCollection(ctx context.Context, call *api.Call, in collectionID) (api.None, error) {
	return api.None{}, m.changeCollections(ctx, call, func(tx *store.Tx, _ tree) error {
		if _, err := mediadb.GetCollection(ctx, tx.Reader, in.ID); err != nil {
			return err
		}
		return mediadb.DeleteCollection(ctx, tx, in.ID)
	})
}

type orderCollectionsRequest struct {
	Parent mediadb.CollectionID   `json:"parent_id"`
	IDs    []mediadb.CollectionID `json:"ids" max:"1000"`
}

// orderCollections orders the children of a folder as sent; children that are not listed come
// last.
func (m *Media) orderCollections(ctx context.Context, call *api.Call, in orderCollectionsRequest) (out collectionList, err error) {
	err = m.changeCollections(ctx, call, func(tx *store.Tx, tree tree) error {
		for n, id := range in.IDs {
			if parent, known := tree[id]; !known || parent != in.Parent {
				return shop.AtEntry(mediadb.ErrCollectionNotFound.With(id.String()+" is not a child of parent_id"), "ids", n)
			}
		}
		return mediadb.SetCollectionOrder(ctx, tx, in.Parent, in.IDs)
	})
	if err != nil {
		return out, err
	}
	return m.collections(ctx, call, collectionsRequest{&in.Parent})
}

// changeCollections runs a change of the tree under a lock of the shop's collections.
func (m *Media) changeCollections(ctx context.Context, call *api.Call, change func(*store.Tx, tree) error) error {
	return m.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if err := tx.LockCollections(ctx); err != nil {
			return err
		}
		all, err := mediadb.Collections(ctx, tx.Reader)
		if err != nil {
			return err
		}
		t := tree{}
		for _, c := range all {
			t[c.ID] = c.ParentID
		}
		return change(tx, t)
	})
}

// tree maps each collection of a shop to its parent.
type tree map[mediadb.CollectionID]mediadb.CollectionID

// add adds a collection to the tree, or refuses its place.
func (t tree) add(c mediadb.Collection) error {
	if _, known := t[c.ParentID]; !known && c.ParentID != 0 {
		return errCollectionParent
	}
	if c.ID != 0 {
		t[c.ID] = c.ParentID
	}
	above := 1
	for at := c.ParentID; at != 0; at = t[at] {
		if above++; at == c.ID {
			return ErrCollectionLoop.At("parent_id")
		}
	}
	if above+t.below(c.ID) > maxDepth {
		return ErrCollectionsDeep.At("parent_id")
	}
	return nil
}

// below returns how many levels of collections are nested in one.
func (t tree) below(id mediadb.CollectionID) (levels int) {
	if id == 0 {
		return 0
	}
	for child, parent := range t {
		if parent == id {
			levels = max(levels, 1+t.below(child))
		}
	}
	return levels
}
