package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"vitrine/admin/media"
	"vitrine/admin/picture"
	"vitrine/edge"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
	"vitrine/resizer"
)

const maxOriginal = 64 << 20 // bytes of a picture to resize

func openVariants(s *Settings) (*blob.Cache, error) {
	return blob.OpenCache(filepath.Join(s.DataDir, "variants"), s.VariantCache)
}

func openResizer(kept *blob.Cache, all blob.Store, log *slog.Logger) (*resizer.Resizer, error) {
	return resizer.New(resizer.Config{Cache: kept, Shared: all, Log: log, Child: []string{ownProgram, "decode-pictures"}})
}

// ownProgram is the executable of this process, even after an upgrade has replaced the file.
const ownProgram = "/proc/self/exe"

// picturesCmd is a child process of the resizer.
type picturesCmd struct{}

// Run decodes pictures until standard input ends.
func (*picturesCmd) Run() error { return resizer.Child(resizer.ChildMemory) }

// resize passes requests of the edge to the resizer and translates its errors to those of the
// edge.
func resize(
	db *store.Store, blobs blob.Store, r *resizer.Resizer,
) func(context.Context, shop.CompanyID, string, int, int) (edge.Image, error) {
	return func(ctx context.Context, company shop.CompanyID, path string, width, quality int) (edge.Image, error) {
		f, err := mediadb.FileByPath(ctx, db.Shop(company), path)
		if err != nil {
			return edge.Image{}, err
		}
		v, err := r.Variant(ctx, resizer.Stored(blobs, f.SHA256, maxOriginal).Of(company), width, quality)
		switch {
		case errors.Is(err, resizer.ErrNotResizable), errors.Is(err, resizer.ErrNoDecoder), errors.Is(err, resizer.ErrBroken), errors.Is(err, resizer.ErrTooBig):
			return edge.Image{}, edge.ErrKeepOriginal
		case errors.Is(err, resizer.ErrBusy), errors.Is(err, resizer.ErrClosed):
			return edge.Image{}, shop.ErrUnavailable
		}
		return edge.Image{Body: v.Body, ETag: v.ETag, StandIn: v.StandIn || f.Path != path}, err // the picture at a former address may change
	}
}

// prepare creates the preset sizes of a new picture for the background worker.
func prepare(blobs blob.Store, r *resizer.Resizer) picture.Prepare {
	return func(ctx context.Context, sha string) (mediadb.Picture, error) {
		p, err := r.Prepare(ctx, resizer.Stored(blobs, sha, maxOriginal))
		switch {
		case errors.Is(err, resizer.ErrNotResizable), errors.Is(err, resizer.ErrNoDecoder), errors.Is(err, resizer.ErrBroken), errors.Is(err, resizer.ErrTooBig):
			return mediadb.Picture{}, picture.ErrHopeless
		case errors.Is(err, resizer.ErrBusy), errors.Is(err, resizer.ErrClosed):
			return mediadb.Picture{}, shop.ErrUnavailable
		}
		return mediadb.Picture{Width: p.Width, Height: p.Height, Colour: p.Colour}, err
	}
}

// images passes pictures of the media library to the resizer and translates its errors to
// those of the library.
func images(blobs blob.Store, r *resizer.Resizer) media.Images {
	said := func(i resizer.Info) media.Picture {
		return media.Picture{Format: string(i.Format), Width: i.Width, Height: i.Height}
	}
	return media.Images{
		Inspect: func(file []byte) (media.Picture, error) {
			info, err := resizer.Inspect(file)
			if err == nil {
				err = resizer.Complete(file)
			}
			return said(info), libraryError(err)
		},
		Master: func(ctx context.Context, file []byte) ([]byte, media.Picture, error) {
			body, info, err := r.Master(ctx, file)
			return body, said(info), libraryError(err)
		},
		Photo: func(ctx context.Context, file []byte) ([]byte, media.Picture, error) {
			body, info, err := r.Photo(ctx, file)
			return body, said(info), libraryError(err)
		},
		Resize: func(ctx context.Context, sha string, width int) (media.Resized, error) {
			v, err := r.Variant(ctx, resizer.Stored(blobs, sha, maxOriginal), width, 0)
			return media.Resized{Body: v.Body, ETag: v.ETag}, libraryError(err)
		},
	}
}

func libraryError(err error) error {
	switch {
	case errors.Is(err, resizer.ErrNotResizable):
		return media.ErrNotImage
	case errors.Is(err, resizer.ErrNoDecoder):
		return media.ErrNoDecoder
	case errors.Is(err, resizer.ErrBroken), errors.Is(err, resizer.ErrPanic):
		return media.ErrImageBroken
	case errors.Is(err, resizer.ErrTooBig), errors.Is(err, blob.ErrTooLarge):
		return media.ErrImageTooLarge
	case errors.Is(err, resizer.ErrBusy), errors.Is(err, resizer.ErrClosed):
		return shop.ErrUnavailable
	}
	return err
}
