package demo

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

//go:embed photographs/*.webp
var photographs embed.FS

// The file names of photographs, by which a later start finds the uploads of an earlier one.
// A section or an article has at most one, a product any number.
func (c category) photograph() string { return "section-" + c.slug() + ".webp" }
func (a article) photograph() string  { return "article-" + a.Slug + ".webp" }
func (p product) photographs() (names []string) {
	for n := 1; ; n++ {
		name := strings.ToLower(p.SKU) + "-" + strconv.Itoa(n) + ".webp"
		if _, err := fs.Stat(photographs, "photographs/"+name); err != nil {
			return names
		}
		names = append(names, name)
	}
}

// photographs lists all existing photographs of a shop.
func (c *content) photographs() (names []string) {
	for _, s := range c.Categories {
		names = append(names, s.photograph())
	}
	for _, p := range c.Products {
		names = append(names, p.photographs()...)
	}
	for _, a := range c.Articles {
		names = append(names, a.photograph())
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := fs.Stat(photographs, "photographs/"+name)
		return err != nil
	})
}

// pictures uploads the missing photographs and returns the file ids by name.
func (d *client) pictures(ctx context.Context, names []string) (map[string]uuid.UUID, error) {
	ids, err := d.library(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, there := ids[name]; there {
			continue
		}
		body, err := d.photograph(path.Join("photographs", name))
		if err != nil {
			return nil, err
		}
		if ids[name], err = d.upload(ctx, "content", name, body); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

type fileAnswer struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"original_name"`
}

// library returns the uploads of earlier starts.
func (d *client) library(ctx context.Context) (map[string]uuid.UUID, error) {
	const limit = 100
	ids := map[string]uuid.UUID{}
	for page := 1; ; page++ {
		list, err := ask[result[[]fileAnswer]](
			ctx, d, "GET", "/v1/storages/files", params{"page.number": strconv.Itoa(page), "page.limit": strconv.Itoa(limit)},
			nil,
		)
		if err != nil {
			return nil, err
		}
		for _, f := range list.Result {
			ids[f.Name] = f.ID
		}
		if len(list.Result) < limit {
			return ids, nil
		}
	}
}

// upload does the three steps of an upload (document 1, 4.4).
func (d *client) upload(ctx context.Context, section, name string, body []byte) (id uuid.UUID, err error) {
	announcement, done := object{"section": section, "file_type": "image", "original_name": name}, object{}
	if d.who.Company == 0 { // a buyer specifies the shop
		announcement["company_id"], done["company_id"] = d.who.Bound, d.who.Bound
	}
	announced, err := ask[struct {
		Result fileAnswer `json:"result"`
		Upload struct {
			ID  string `json:"id"`
			URL string `json:"url"`
		} `json:"upload"`
	}](ctx, d, "POST", "/v1/storages/files", nil, announcement)
	if err != nil {
		return id, err
	}
	at, err := url.Parse(announced.Upload.URL)
	if err != nil {
		return id, err
	}
	steps := strings.Split(at.Path, "/")
	if len(steps) < 2 {
		return id, errors.New("no upload address: " + at.Path)
	}
	last := params{"id": steps[len(steps)-2], "token": steps[len(steps)-1]}
	if err := d.send(ctx, "PUT", "/v1/storages/uploads/{id}/{token}", last, bytes.NewReader(body)); err != nil {
		return id, err
	}
	return announced.Result.ID, d.send(ctx, "POST", "/v1/storages/files/{id}/done", params{"id": announced.Upload.ID}, done)
}
