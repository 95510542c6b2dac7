package media

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
)

// pageSize is the number of files per page if the request has no limit.
const pageSize = 50

type listRequest struct {
	api.Paging
	Section string   `query:"filter.section" json:"-" doc:"only files of this section"`
	Type    fileType `query:"filter.file_type" json:"-"`
	Query   string   `query:"filter.query" json:"-" doc:"words in the name"`

	Collection mediadb.CollectionID `query:"filter.collection_id" json:"-" doc:"the files of one collection, in its order"`
}

// list returns stored files; announced uploads are accessible only by their id.
func (m *Media) list(ctx context.Context, call *api.Call, in listRequest) (api.List[fileView], error) {
	var none api.List[fileView]
	number, limit, err := in.Page(pageSize)
	if err != nil {
		return none, err
	}
	filter := mediadb.FileFilter{Type: string(in.Type), Query: in.Query, Collection: in.Collection, Number: number, Limit: limit}
	if in.Section != "" {
		if filter.Section, err = cleanSection(in.Section); err != nil {
			return none, err
		}
	}
	list, total, err := mediadb.Files(ctx, m.store.Shop(call.Company), filter)
	if err != nil {
		return none, err
	}
	views, err := m.views(ctx, call.Company, list...)
	return api.List[fileView]{Result: views, Total: total, CurrentPage: number}, err
}

type fileID struct {
	ID uuid.UUID `path:"id" json:"-"`
}

func (m *Media) file(ctx context.Context, call *api.Call, in fileID) (api.Result[fileView], error) {
	f, err := mediadb.GetFile(ctx, m.store.Shop(call.Company), in.ID)
	if err != nil {
		return api.Result[fileView]{}, err
	}
	return m.answer(ctx, call, f)
}

type renameRequest struct {
	ID   uuid.UUID `path:"id" json:"-"`
	Name string    `json:"original_name" required:"always" len:"1000" refuse:"INVALID_REQUEST"`
}

func (m *Media) rename(ctx context.Context, call *api.Call, in renameRequest) (out api.Result[fileView], err error) {
	name, err := cleanName(in.Name)
	if err != nil {
		return out, err
	}
	var f mediadb.File
	err = m.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if f, err = mediadb.LockFile(ctx, tx, in.ID); err != nil {
			return err
		}
		return mediadb.RenameFile(ctx, tx, &f, name)
	})
	if err != nil {
		return out, err
	}
	return m.answer(ctx, call, f)
}

// fileItem holds the writable fields of a file; absent fields stay unchanged.
type fileItem struct {
	Alt *string `json:"alt" len:"500" doc:"a description of the picture; empty for none"`
}

type describeRequest struct {
	ID uuid.UUID `path:"id" json:"-"`
	api.Basis
	Item fileItem `json:"item"`
}

func (m *Media) describe(ctx context.Context, call *api.Call, in describeRequest) (out api.Result[fileView], err error) {
	var f mediadb.File
	err = m.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		if f, err = mediadb.LockFile(ctx, tx, in.ID); err != nil {
			return err
		}
		if err := tx.CheckBasis(f.UpdatedAt); err != nil || in.Item.Alt == nil {
			return err
		}
		return mediadb.SetFileAlt(ctx, tx, &f, strings.Join(strings.Fields(*in.Item.Alt), " "))
	})
	if err != nil {
		return out, err
	}
	return m.answer(ctx, call, f)
}

func (m *Media) remove(ctx context.Context, call *api.Call, in fileID) (api.None, error) {
	return api.None{}, m.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		f, err := mediadb.LockFile(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		return mediadb.DeleteFile(ctx, tx, f, m.now())
	})
}
