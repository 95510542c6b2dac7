package demo

import (
	"archive/zip"
	"bytes"
	"context"
	"embed"
	"io/fs"

	"vitrine/internal/shop"
)

// site is a website as an owner would upload it: a folder with an index.html.
//
//go:embed landing
var site embed.FS

// landing publishes the website and mounts it on its page.
func (d *client) landing(ctx context.Context, c *content, sections map[string]shop.CategoryID) error {
	for _, s := range c.Categories {
		if !s.Landing {
			continue
		}
		at := sections[s.slug()].String()
		there, err := ask[page](ctx, d, "GET", "/categories/{id}", params{"id": at}, nil)
		if err != nil {
			return err
		}
		if _, _, mounted := there.find("html"); mounted {
			continue
		}
		id, err := d.document(ctx, s.Name)
		if err != nil {
			return err
		}
		mount := append(section("html", object{"html": object{"documentId": id, "boxed": false}}), section("zone", object{"hideSystemBlock": true})...)
		if err := d.attach(ctx, "/categories/{id}/content-blocks", at, s.Name, mount); err != nil {
			return err
		}
	}
	return nil
}

type documentAnswer struct {
	ID     shop.DocumentID `json:"id"`
	Name   string          `json:"name"`
	Active shop.ReleaseID  `json:"active_release_id"`
}

// document returns an html document whose live release is the website.
func (d *client) document(ctx context.Context, name string) (shop.DocumentID, error) {
	there, err := ask[result[[]documentAnswer]](ctx, d, "GET", "/html-documents", nil, nil)
	if err != nil {
		return 0, err
	}
	var doc documentAnswer
	for _, known := range there.Result {
		if known.Name == name {
			doc = known
		}
	}
	if doc.ID == 0 {
		made, err := ask[result[documentAnswer]](ctx, d, "POST", "/html-documents", nil, object{"item": object{"name": name, "level": 3}})
		if err != nil {
			return 0, err
		}
		doc = made.Result
	}
	if doc.Active != 0 {
		return doc.ID, nil
	}
	archive, err := packed()
	if err != nil {
		return 0, err
	}
	err = d.send(ctx, "POST", "/html-documents/{id}/releases/zip", params{"id": doc.ID.String(), "publish": "1"}, bytes.NewReader(archive))
	return doc.ID, err
}

// packed returns the website as a zip.
func packed() ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	folder, err := fs.Sub(site, "landing")
	if err != nil {
		return nil, err
	}
	if err := archive.AddFS(folder); err != nil {
		return nil, err
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
