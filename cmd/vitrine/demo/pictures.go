package demo

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
)

// pictures draws and uploads what is missing and returns the file ids by name.
func (d *desk) pictures(ctx context.Context, shots []shot) (map[string]uuid.UUID, error) {
	ids, err := d.library(ctx)
	if err != nil {
		return nil, err
	}
	missing := make(chan shot)
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for range max(runtime.NumCPU(), 2) {
		group.Go(func() error {
			draw := d.draw()
			for s := range missing {
				body, err := draw(s.still)
				if err != nil {
					return err
				}
				id, err := d.upload(ctx, s.name, body)
				if err != nil {
					return err
				}
				mu.Lock()
				ids[s.name] = id
				mu.Unlock()
			}
			return nil
		})
	}
	known := make(map[string]bool, len(ids))
	for name := range ids {
		known[name] = true
	}
	group.Go(func() error {
		defer close(missing)
		for _, s := range shots {
			if known[s.name] {
				continue
			}
			select {
			case missing <- s:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return ids, group.Wait()
}

type fileAnswer struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"original_name"`
}

// library is what an earlier start has uploaded.
func (d *desk) library(ctx context.Context) (map[string]uuid.UUID, error) {
	const limit = 100
	ids := map[string]uuid.UUID{}
	for page := 1; ; page++ {
		list, err := ask[result[[]fileAnswer]](ctx, d, "GET", "/v1/storages/files", params{"page.number": strconv.Itoa(page), "page.limit": strconv.Itoa(limit)}, nil)
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

// upload takes the three steps of an upload (document 1, 4.4).
func (d *desk) upload(ctx context.Context, name string, body []byte) (id uuid.UUID, err error) {
	announced, err := ask[struct {
		Result fileAnswer `json:"result"`
		Upload struct {
			ID  string `json:"id"`
			URL string `json:"url"`
		} `json:"upload"`
	}](ctx, d, "POST", "/v1/storages/files", nil, object{"section": "content", "file_type": "image", "original_name": name})
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
	if err := d.tell(ctx, "PUT", "/v1/storages/uploads/{id}/{token}", last, bytes.NewReader(body)); err != nil {
		return id, err
	}
	return announced.Result.ID, d.tell(ctx, "POST", "/v1/storages/files/{id}/done", params{"id": announced.Upload.ID}, nil)
}
