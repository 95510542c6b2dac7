package media

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
)

const maxAdded = 100 // files of one call

// folders lists the endpoints of collections. Keys read, create and fill them; only sessions may
// rearrange or delete (document 3, 4.2).
func (m *Media) folders() []api.Endpoint {
	const one = "/v1/storages/collections/{id}"
	missing := api.Refuses(mediadb.ErrCollectionNotFound)
	placing := missing.And(ErrCollectionLoop, ErrCollectionsDeep)
	return []api.Endpoint{
		{Method: "GET", Path: "/v1/storages/collections", Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Do: api.Handle(m.collections), Summary: "All folders of the media library"},
		{Method: "POST", Path: "/v1/storages/collections", Contour: api.LiveOnly, Scopes: writes, Class: api.Storage, Errors: placing.And(ErrCollectionsMany), Do: api.Handle(m.createCollection), Summary: "Create a folder as the last one of its parent"},
		{Method: "GET", Path: one, Contour: api.LiveOnly, Scopes: reads, Class: api.Read, Errors: missing, Do: api.Handle(m.collection), Summary: "One folder; GET /v1/storages/files?filter.collection_id= lists its files"},
		{Method: "POST", Path: one + "/files", Contour: api.LiveOnly, Scopes: writes, Class: api.Storage, Errors: missing.And(mediadb.ErrFileNotFound), Do: api.Handle(m.addFiles), Summary: "Add files to a folder; they also stay in other folders"},
		{Method: "PUT", Path: one, Edits: one, Auth: api.SessionOnly, Contour: api.RefusesDraft, Class: api.Storage, Errors: placing, Do: api.Handle(m.saveCollection), Summary: "Rename a folder or move it into another"},
		{Method: "DELETE", Path: one, Auth: api.SessionOnly, Contour: api.RefusesDraft, Class: api.Storage, Errors: missing, Do: api.Handle(m.deleteCollection), Summary: "Delete a folder and its subfolders; files are kept"},
		{Method: "DELETE", Path: one + "/files/{file_id}", Auth: api.SessionOnly, Contour: api.RefusesDraft, Class: api.Storage, Errors: missing.And(mediadb.ErrFileNotFound), Do: api.Handle(m.removeFile), Summary: "Remove a file from a folder; the file is kept"},
		{Method: "POST", Path: one + "/reorder", Auth: api.SessionOnly, Contour: api.RefusesDraft, Class: api.Storage, Errors: missing, Do: api.Handle(m.orderFiles), Summary: "Order the files of a folder; files that are not listed come last"},
		{Method: "POST", Path: "/v1/storages/collections/reorder", Auth: api.SessionOnly, Contour: api.RefusesDraft, Class: api.Storage, Errors: missing, Do: api.Handle(m.orderCollections), Summary: "Order the subfolders of a folder"},
	}
}

// filesRequest accepts one file or a list.
type filesRequest struct {
	collectionID
	File  *uuid.UUID  `json:"file_id"`
	Files []uuid.UUID `json:"file_ids" max:"100"`
}

func (in filesRequest) list() ([]uuid.UUID, error) {
	files := in.Files
	if in.File != nil {
		files = append(files, *in.File)
	}
	if len(files) == 0 || len(files) > maxAdded {
		return nil, shop.ErrInvalidRequest.At("file_ids").With("1 to 100 files")
	}
	unique := []uuid.UUID{}
	for _, id := range files {
		if !slices.Contains(unique, id) {
			unique = append(unique, id)
		}
	}
	return unique, nil
}

func (m *Media) addFiles(ctx context.Context, call *api.Call, in filesRequest) (out api.Result[collectionView], err error) {
	return m.changeFiles(ctx, call, in.collectionID, func(tx *store.Tx) error {
		files, err := in.list()
		if err != nil {
			return err
		}
		n, err := mediadb.LockStoredFiles(ctx, tx, files)
		if err == nil && n < len(files) {
			err = mediadb.ErrFileNotFound.At("file_ids").With("the shop does not have all of these files")
		}
		if err != nil {
			return err
		}
		return mediadb.AddToCollection(ctx, tx, in.ID, files)
	})
}

type removeFileRequest struct {
	collectionID
	File uuid.UUID `path:"file_id" json:"-"`
}

func (m *Media) removeFile(ctx context.Context, call *api.Call, in removeFileRequest) (out api.Result[collectionView], err error) {
	return m.changeFiles(ctx, call, in.collectionID, func(tx *store.Tx) error {
		wasIn, err := mediadb.RemoveFromCollection(ctx, tx, in.ID, in.File)
		if err == nil && !wasIn {
			err = mediadb.ErrFileNotFound.With("the file is not in this collection")
		}
		return err
	})
}

type orderFilesRequest struct {
	collectionID
	Files []uuid.UUID `json:"file_ids" max:"20000"`
}

func (m *Media) orderFiles(ctx context.Context, call *api.Call, in orderFilesRequest) (out api.Result[collectionView], err error) {
	return m.changeFiles(ctx, call, in.collectionID, func(tx *store.Tx) error { return mediadb.OrderCollectionFiles(ctx, tx, in.ID, in.Files) })
}

// changeFiles runs a change of the files in a folder and returns the folder.
func (m *Media) changeFiles(
	ctx context.Context, call *api.Call, in collectionID, change func(*store.Tx) error,
) (out api.Result[collectionView], err error) {
	err = m.changeCollections(ctx, call, func(tx *store.Tx, t tree) error {
		if _, known := t[in.ID]; !known {
			return mediadb.ErrCollectionNotFound
		}
		return change(tx)
	})
	if err != nil {
		return out, err
	}
	return m.collection(ctx, call, in)
}
