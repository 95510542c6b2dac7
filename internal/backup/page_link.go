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
	companydb "vitrine/internal/store/company"
)

// An html document refers to pages, forms and products of its shop by id (see address.go).
// These ids are in the bytes of its files, so the files are rewritten with the new ids.

// maxPage is the maximum size of a file that is searched for ids.
const maxPage = 32 << 20

// pages rewrites the html files of all releases.
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
		fresh := []byte(m.ids.Page(string(text)))
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

// page is the content of an html file of the backup; empty if it was never uploaded.
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

// relink points the row of an html file to its rewritten content.
func (m *importer) relink(t companydb.TenantTable, fields map[string]any) {
	sha, _ := fields["sha256"].(string)
	if fresh, ok := m.rewritten[sha]; ok && t.Name == "release_file" && isPage(fields) {
		fields["sha256"], fields["size"] = fresh.SHA256, fresh.Size
	}
}

// replaceBlobs replaces the shop's references to the old contents by the rewritten ones.
func (m *importer) replaceBlobs(ctx context.Context) error {
	sizes := map[string]int64{}
	for _, fresh := range m.rewritten {
		sizes[fresh.SHA256] = fresh.Size
	}
	return m.to.ReplaceBlobs(ctx, slices.Collect(maps.Keys(m.rewritten)), sizes)
}
