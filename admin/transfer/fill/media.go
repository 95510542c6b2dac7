package fill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"vitrine/internal/blob"
)

// media uploads the files of the library again.
func (m *filling) media(ctx context.Context) error {
	return m.each(ctx, "media_file", func(ctx context.Context, r *row) error {
		old := r.text("id")
		if _, twice := m.files[old]; twice || len(old) != 36 {
			return ErrFile.At("id").With("not the id of one file")
		}
		m.files[old] = ""
		switch {
		case r.text("status") != "stored":
			return r.without("never uploaded")
		case !r.null("person_id") || !r.null("remark_id"):
			return r.without(ofVisitors)
		case !r.null("replaces"):
			return r.without("an unfinished replacement")
		}
		fresh, err := r.upload(ctx)
		if err != nil {
			return err
		}
		m.files[old] = fresh
		m.report.Files++
		of := map[string]string{"id": fresh}
		if r.text("alt") != "" {
			if _, err := m.send(ctx, "PUT", "/v1/storages/files/{id}", of, object{"item": r.pick("alt")}); err != nil {
				return err
			}
		}
		if r.flag("prefer_original") {
			_, err = m.send(ctx, "POST", "/v1/storages/files/{id}/prefer-original", of, object{"prefer_original": true})
		}
		return err
	})
}

// upload does the three steps of an upload and returns the new id.
func (r *row) upload(ctx context.Context) (fresh string, err error) {
	announced, err := r.send(ctx, "POST", "/v1/storages/files", nil, r.pick("section", "file_type", "original_name"))
	if err != nil {
		return "", err
	}
	result, _ := announced["result"].(object)
	upload, _ := announced["upload"].(object)
	fresh, _ = result["id"].(string)
	id, _ := upload["id"].(string)
	address, _ := upload["url"].(string)
	body, _, err := r.archive.Blob(cmp.Or(r.text("original_sha256"), r.text("sha256")))
	if err != nil {
		return "", err
	}
	err = r.receive(ctx, "/v1/storages/uploads/{id}/{token}", map[string]string{"id": id, "token": lastOf(address)}, body)
	if err = errors.Join(err, body.Close()); err != nil {
		return "", err
	}
	_, err = r.send(ctx, "POST", "/v1/storages/files/{id}/done", map[string]string{"id": id}, object{})
	return fresh, err
}

// receive passes bytes to an upload address.
func (m *filling) receive(ctx context.Context, at string, params map[string]string, body io.Reader) error {
	_, err := m.call(ctx, "PUT", at, params, body)
	return err
}

func lastOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return path.Base(u.Path)
}

// collections creates the folders of the library.
func (m *filling) collections(ctx context.Context) error {
	files, err := m.by(ctx, "collection_file", "collection_id")
	if err != nil {
		return err
	}
	defer m.release(files)
	rows, release, err := m.tree(ctx, "collection")
	if err != nil {
		return err
	}
	defer release()
	return m.nested(ctx, "collection", rows, parent, func(ctx context.Context, r *row) error {
		body := r.pick("name", "mode")
		body["parent_id"] = r.ref("parent_id", "collection")
		if _, err := r.create(ctx, "/v1/storages/collections", body); err != nil {
			return err
		}
		ids := []any{}
		err := m.parts("collection_file", files[r.id()], func(f *row) error {
			if id := f.file("file_id"); id != nil {
				ids = append(ids, id)
			}
			return nil
		})
		for len(ids) > 0 && err == nil {
			n := min(len(ids), 100)
			err = r.put(ctx, "POST", "/v1/storages/collections/{id}/files", object{"file_ids": ids[:n]})
			ids = ids[n:]
		}
		return err
	})
}

func parent(r *row) []int64 { return []int64{r.num("parent_id")} }

// documents creates the html documents; releases fills them. The sites of layouts and sections are
// created with their first release.
func (m *filling) documents(ctx context.Context) error {
	return m.each(ctx, "document", func(ctx context.Context, r *row) error {
		if r.text("kind") != "html" {
			return nil
		}
		_, err := r.create(ctx, "/html-documents", object{"item": r.pick("name", "description", "level")})
		return err
	})
}

// galleries creates galleries with their items.
func (m *filling) galleries(ctx context.Context) error {
	items, err := m.by(ctx, "gallery_item", "gallery_id")
	if err != nil {
		return err
	}
	defer m.release(items)
	return m.each(ctx, "gallery", func(ctx context.Context, r *row) error {
		body, err := r.gallery(items[r.id()])
		if err != nil {
			return err
		}
		_, err = r.create(ctx, "/galleries", body)
		return err
	})
}

func (r *row) gallery(held []line) (object, error) {
	body := r.pick("name", "source")
	body["canvas_id"] = r.ref("canvas_id", "document")
	items := []object{}
	err := r.parts("gallery_item", held, func(i *row) error {
		item := i.pick("item_key", "kind", "html", "caption")
		for name, column := range map[string]string{"file": "file_id", "poster": "poster_id"} {
			if id := i.file(column); id != nil {
				item[name] = object{"id": id}
			}
		}
		if item["file"] == nil && i.text("kind") != "html" {
			i.leave("gallery_item", "its file was left out", 1)
			return nil
		}
		items = append(items, item)
		return nil
	})
	body["items"] = items
	return body, err
}

// releases publishes the live release of each document.
func (m *filling) releases(ctx context.Context) error {
	owners := map[int64]*row{} // of live releases
	err := m.each(ctx, "document", func(_ context.Context, r *row) error {
		m.report.Rows-- // counted by documents
		if live := r.num("active_release_id"); live != 0 {
			owners[live] = r
		}
		return nil
	})
	if err != nil {
		return err
	}
	files, err := m.hold(ctx, "release_file", func(r *row) (int64, bool) {
		release := r.num("release_id")
		return release, owners[release] != nil
	})
	if err != nil {
		return err
	}
	defer m.release(files)
	return m.each(ctx, "release", func(ctx context.Context, r *row) error {
		d := owners[r.id()]
		if d == nil {
			return r.without("not live")
		}
		holder, of := "", int64(0)
		switch d.text("kind") {
		case "html":
			holder, of = "/html-documents/{id}", m.ids.New("document", d.id())
		case "theme":
			holder, of = "/themes/{id}/site", d.ref("owner_id", "content_block")
		case "folder":
			holder, of = "/site-folders/{id}", d.ref("owner_id", "category")
		}
		switch {
		case d.err != nil:
			return d.err
		case of == 0:
			return r.without("its owner was left out")
		}
		return r.publish(ctx, holder, of, files[r.id()])
	})
}

// publish creates the release of a holder, uploads its files and makes it live.
func (r *row) publish(ctx context.Context, holder string, of int64, files []line) error {
	contents, list := map[string]content{}, []object{}
	err := r.parts("release_file", files, func(f *row) error {
		c, err := r.content(f)
		if err != nil {
			return err
		}
		name := f.text("path")
		contents[name] = c
		list = append(list, object{"path": name, "sha256": c.sha, "size": c.size})
		return nil
	})
	if err != nil {
		return err
	}
	made, err := r.send(ctx, "POST", holder+"/releases", id(of), object{"base": "none", "files": list, "note": r.text("note")})
	if err != nil {
		return err
	}
	uploads, _ := made["upload"].([]any)
	for _, u := range uploads {
		u, _ := u.(object)
		name, _ := u["path"].(string)
		address, _ := u["upload_url"].(string)
		body, err := contents[name].open()
		if err != nil {
			return err
		}
		err = r.receive(ctx, "/uploads/{token}", map[string]string{"token": lastOf(address)}, body)
		if err = errors.Join(err, body.Close()); err != nil {
			return err
		}
	}
	to := id(of)
	to["rid"] = fmt.Sprint(made["release_id"])
	_, err = r.send(ctx, "POST", holder+"/releases/{rid}/publish", to, object{})
	return err
}

// content is a file of a release as it is uploaded.
type content struct {
	sha  string
	size int64
	open func() (io.ReadCloser, error)
}

const maxPage = 20 << 20 // bytes of an html file in which ids are replaced

func (r *row) content(f *row) (content, error) {
	sha := f.text("sha256")
	body, size, err := r.archive.Blob(sha)
	if err != nil {
		return content{}, err
	}
	plain := content{sha, size, func() (io.ReadCloser, error) {
		body, _, err := r.archive.Blob(sha)
		return body, err
	}}
	if !strings.HasPrefix(f.text("mime"), "text/html") || size > maxPage {
		return plain, body.Close()
	}
	text, err := io.ReadAll(body)
	if err = errors.Join(err, body.Close()); err != nil {
		return content{}, err
	}
	page := func(text []byte) string { return r.fileText(r.ids.Page(string(text))) }
	fresh := page(text)
	if fresh == string(text) {
		return plain, nil
	}
	return content{blob.Sum([]byte(fresh)), int64(len(fresh)), func() (io.ReadCloser, error) {
		body, err := plain.open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(body)
		return io.NopCloser(strings.NewReader(page(text))), errors.Join(err, body.Close())
	}}, nil
}
