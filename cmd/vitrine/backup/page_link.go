package backup

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"vitrine/internal/blob"
	"vitrine/internal/store"
)

// An html document names pages, forms and products of its shop by id (see
// address.go). Those ids stand in the bytes of its files, so the files are written
// anew with the ids that the things have here.

// maxPage bounds what is searched for ids.
const maxPage = 32 << 20

// pages writes the html files of all releases anew.
func (m *importer) pages(ctx context.Context, to blob.Store) error {
	m.rewritten = map[string]blob.Ref{}
	return m.rows(tableDir+"release_file.jsonl", func(fields map[string]any) error {
		sha, _ := fields["sha256"].(string)
		if _, done := m.rewritten[sha]; done || !isPage(fields) {
			return nil
		}
		text, err := m.page(sha)
		if err != nil {
			return err
		}
		fresh := []byte(m.ids.renumber(m.ids.renumber(string(text), addresses), attributes))
		if bytes.Equal(fresh, text) {
			return nil
		}
		m.rewritten[sha], err = to.Put(ctx, bytes.NewReader(fresh), int64(len(fresh)))
		return err
	})
}

func isPage(fields map[string]any) bool {
	mime, _ := fields["mime"].(string)
	return strings.HasPrefix(mime, "text/html")
}

// page is an html file of the backup; empty for one that was never uploaded.
func (m *importer) page(sha string) (text []byte, err error) {
	f := m.files[blobDir+sha]
	if f == nil || m.Entries[blobDir+sha].Size > maxPage {
		return nil, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	text, err = io.ReadAll(r)
	return text, errors.Join(err, r.Close())
}

// relink gives the row of an html file the bytes that were written anew.
func (m *importer) relink(t store.TenantTable, fields map[string]any) {
	sha, _ := fields["sha256"].(string)
	if fresh, ok := m.rewritten[sha]; ok && t.Name == "release_file" && isPage(fields) {
		fields["sha256"], fields["size"] = fresh.SHA256, fresh.Size
	}
}

// own lets the shop own the new bytes in the place of the old ones.
func (m *importer) own(ctx context.Context) error {
	sizes := map[string]int64{}
	for _, fresh := range m.rewritten {
		sizes[fresh.SHA256] = fresh.Size
	}
	return m.to.ReplaceBlobs(ctx, slices.Collect(maps.Keys(m.rewritten)), sizes)
}
