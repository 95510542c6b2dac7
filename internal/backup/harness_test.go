package backup

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
	"vitrine/internal/store/storetest"
)

// home is the installation of one test.
type home struct {
	testing.TB
	store *store.Store
	blobs blob.Store
	sql   *pgx.Conn
}

func newHome(t testing.TB) *home {
	t.Helper()
	url := storetest.URL(t, store.Migrate)
	h := &home{TB: t}
	var err error
	h.store, err = store.Open(t.Context(), url)
	h.must(err)
	t.Cleanup(h.store.Close)
	h.blobs, err = blob.OpenDir(storetest.Dir(t))
	h.must(err)
	h.sql, err = pgx.Connect(t.Context(), url)
	h.must(err)
	t.Cleanup(func() { h.must(h.sql.Close(context.Background())) })
	return h
}

func (h *home) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// ask reads one value by SQL.
func (h *home) ask(sql string, args ...any) (answer string) {
	h.Helper()
	h.must(h.sql.QueryRow(h.Context(), sql, args...).Scan(&answer))
	return answer
}

func (h *home) do(sql string, args ...any) {
	h.Helper()
	_, err := h.sql.Exec(h.Context(), sql, args...)
	h.must(err)
}

// sample is a shop with references of all kinds: sections 1 and 2, product 1, article 1,
// blocks 1 and 2, document 1 with release 1.
func (h *home) sample(slug string) companydb.Company {
	h.Helper()
	owner, err := people.CreatePerson(h.Context(), h.store, "Owner@example.test", "Olga", "x")
	h.must(err)
	id, err := companydb.CreateCompany(h.Context(), h.store, slug, "A shop", "EUR", owner, nil)
	h.must(err)
	ref, err := h.blobs.Put(h.Context(), strings.NewReader("a picture"), 100)
	h.must(err)
	for _, sql := range []string{
		`UPDATE company SET pin_hash = 'secret pin', closed = true, limits = '{"products_max": 7}', settings = '{"look": {"accent": "#0a7755"}, "description": "Tea"}' WHERE id = $1`,
		`INSERT INTO company_domain VALUES ($1, 'tea.example.test')`,
		`INSERT INTO category (company_id, type, name, slug) VALUES ($1, 'product', 'Tea', 'tea')`,
		`INSERT INTO category (company_id, parent_id, type, name, slug) VALUES ($1, 1, 'product', 'Green', 'green')`,
		`INSERT INTO product (company_id, category_id, name, slug, created_by, rating, published_at) VALUES ($1, 2, 'Sencha', 'sencha', 1, 4.1, '2030-01-02T03:04:05Z')`,
		`INSERT INTO product_group (company_id, name, products) VALUES ($1, 'g', '{1,99}')`,
		`INSERT INTO article (company_id, category_id, title, slug, author) VALUES ($1, 1, 'News', 'news', '{"mode": "member", "user_id": 1}')`,
		`INSERT INTO slug_journal (company_id, entity, slug, entity_id) VALUES ($1, 2, 'old', 1), ($1, 1, 'old', 2)`,
		`INSERT INTO content_block (company_id, name, sections) VALUES ($1, 'inner', '[]')`,
		`INSERT INTO content_block (company_id, name, sections) VALUES ($1, 'outer', '[{"payload": {"text": "5 < 6 & 1", "props": {"widgets": ["1"],
			"cells": [{"widgets": [1, 99]}], "grid": {"main": [1], "aside": ["1"]}, "html": {"documentId": "1"}, "listing": {"categoryId": 2, "limit": 12, "price": 1.50}}}}]')`,
		`INSERT INTO design_binding VALUES ($1, 'category', 2, 'body', 2), ($1, 'shop', 0, 'header', 1), ($1, 'product', 77, 'body', 1)`,
		`INSERT INTO document (company_id, kind, name, active_release_id) VALUES ($1, 'html', 'd', 1)`,
		`INSERT INTO release (company_id, document_id, report) VALUES ($1, 1, '{"documentId": 1}')`,
		`INSERT INTO release_file (company_id, release_id, path, sha256, size, mime, upload_hash) VALUES ($1, 1, 'index.html', repeat('0', 64), 1, 'text/html', 'secret')`,
		`INSERT INTO media_file (company_id, id, upload_id, upload_hash, section, file_type, original_name, path, alt)
			VALUES ($1, '00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000b', 'secret', 's', 'image', 'n', 'p', 'A pot')`,
		`INSERT INTO site_file (company_id, category_id, name, body, is_published) VALUES ($1, 2, 'feed.xml', '{{range products}}{{end}}', true)`,
		`INSERT INTO site_file_build VALUES ($1, 1, 1, 1, 'good', now(), 0, 0, '[]', '[]')`,
		`INSERT INTO site_file_copy VALUES ($1, 1, 1, 1, now(), 0, 0, 'x')`,
		`INSERT INTO api_key (company_id, person_id, name, contour, scopes, hash) VALUES ($1, 1, 'secret', 'prod', '{}', 'secret')`,
		`INSERT INTO draft.product (company_id, id, category_id, name, slug, draft_base)
			SELECT company_id, id, 1, 'Draft sencha', slug, to_jsonb(p) FROM product p WHERE company_id = $1`,
	} {
		h.do(sql, id)
	}
	h.do(`INSERT INTO blob (company_id, sha256, size) VALUES ($1, $2, $3)`, id, ref.SHA256, ref.Size)
	return h.company(slug)
}

func (h *home) company(slug string) companydb.Company {
	h.Helper()
	c, err := companydb.CompanyBySlug(h.Context(), h.store, slug)
	h.must(err)
	return c
}

func (h *home) export(c companydb.Company) []byte {
	h.Helper()
	var file bytes.Buffer
	_, err := Export(h.Context(), h.store, h.blobs, c, &file, nil)
	h.must(err)
	return file.Bytes()
}

func (h *home) try(file []byte, slug string) (shop.CompanyID, error) {
	id, _, err := Import(h.Context(), h.store, h.blobs, bytes.NewReader(file), int64(len(file)), slug)
	return id, err
}

// forge rebuilds a backup with changed entries, and with a matching manifest unless the
// change affects the manifest.
func forge(t testing.TB, file []byte, change func(entries map[string][]byte, m *manifest)) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if entries[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	var m manifest
	if err := json.Unmarshal(entries[manifestName], &m); err != nil {
		t.Fatal(err)
	}
	delete(entries, manifestName)
	change(entries, &m)
	var out bytes.Buffer
	x := &exporter{zip: zip.NewWriter(&out), manifest: m}
	for name, body := range entries {
		method := zip.Deflate
		if strings.HasPrefix(name, blobDir) {
			method = zip.Store
		}
		w, err := x.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(body); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// fit updates the manifest for the current content of an entry.
func fit(entries map[string][]byte, m *manifest, name string) {
	e := m.Entries[name]
	e.Size, e.SHA256 = int64(len(entries[name])), blob.Sum(entries[name])
	m.Entries[name] = e
}
