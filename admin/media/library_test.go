package media_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	pngs "image/png"
	"log/slog"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/media"
	"vitrine/internal/shop"
	mediadb "vitrine/internal/store/media"
	"vitrine/resizer"
)

// library is an API with the real image service and helpers for uploads.
type library struct {
	*apitest.API
	t testing.TB
}

// open starts the API; wrap may intercept the image service.
func open(t testing.TB, wrap ...func(*media.Images)) library {
	t.Helper()
	return openWith(t, func(*admin.Config) {}, wrap...)
}

// openWith may also change the configuration of the API.
func openWith(t testing.TB, change func(*admin.Config), wrap ...func(*media.Images)) library {
	t.Helper()
	r, err := resizer.New(resizer.Config{Workers: 1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	pictures := images(r)
	for _, f := range wrap {
		f(&pictures)
	}
	return library{apitest.New(t, func(cfg *admin.Config) {
		cfg.Media = pictures
		cfg.Media.Resize = func(ctx context.Context, sha string, width int) (media.Resized, error) {
			v, err := r.Variant(ctx, resizer.Stored(cfg.Blobs, sha, 64<<20), width, 0)
			return media.Resized{Body: v.Body, ETag: v.ETag}, refusal(err)
		}
	}, change), t}
}

// images adapts the image service to the library's interface.
func images(r *resizer.Resizer) media.Images {
	return media.Images{
		Inspect: func(file []byte) (media.Picture, error) {
			info, err := resizer.Inspect(file)
			if err == nil {
				err = resizer.Complete(file)
			}
			return picture(info), refusal(err)
		},
		Master: func(ctx context.Context, file []byte) ([]byte, media.Picture, error) {
			body, info, err := r.Master(ctx, file)
			return body, picture(info), refusal(err)
		},
		Photo: func(ctx context.Context, file []byte) ([]byte, media.Picture, error) {
			body, info, err := r.Photo(ctx, file)
			return body, picture(info), refusal(err)
		},
	}
}

func picture(info resizer.Info) media.Picture {
	return media.Picture{Format: string(info.Format), Width: info.Width, Height: info.Height}
}

func refusal(err error) error {
	switch {
	case errors.Is(err, resizer.ErrNotResizable):
		return media.ErrNotImage
	case errors.Is(err, resizer.ErrBroken):
		return media.ErrImageBroken
	case errors.Is(err, resizer.ErrTooBig):
		return media.ErrImageTooLarge
	case errors.Is(err, resizer.ErrBusy):
		return shop.ErrUnavailable
	}
	return err
}

// upload is an announced upload.
type upload struct{ id, uploadID, url, path string }

func (l library) announce(kind, name string) upload {
	l.t.Helper()
	answer := l.OK("POST", "/v1/storages/files", l.Owner, apitest.Map{"section": "products", "file_type": kind, "original_name": name})
	result, up := answer["result"].(apitest.Map), answer["upload"].(apitest.Map)
	if up["mode"] != "presign" {
		l.t.Errorf("mode %v", up["mode"])
	}
	return upload{result["id"].(string), up["id"].(string), up["url"].(string), result["public_path"].(string)}
}

// put sends bytes without a key, because the URL alone authorizes the upload.
func (l library) put(u upload, file []byte) {
	l.t.Helper()
	l.OK("PUT", u.url, "", file)
}

func (l library) done(u upload) apitest.Map {
	l.t.Helper()
	return l.Result("POST", "/v1/storages/files/"+u.uploadID+"/done", l.Owner, nil)
}

// stored uploads a file in all three steps.
func (l library) stored(kind, name string, file []byte) apitest.Map {
	l.t.Helper()
	u := l.announce(kind, name)
	l.put(u, file)
	return l.done(u)
}

func (l library) refuseDone(u upload, status int, code string) apitest.Map {
	l.t.Helper()
	return l.Refused("POST", "/v1/storages/files/"+u.uploadID+"/done", l.Owner, nil, status, code)
}

// used returns how many bytes of the plan the shop uses.
func (l library) used() int64 {
	l.t.Helper()
	used, _, err := mediadb.Storage(context.Background(), l.Store.Shop(l.Shop.ID))
	if err != nil {
		l.t.Fatal(err)
	}
	return used
}

// noisePicture returns a picture of noise: each seed gives a different one, and it compresses
// badly.
func noisePicture(width, height int, seed uint8) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetNRGBA(x, y, color.NRGBA{uint8(x * 7), uint8(y * 5), seed + uint8(x*y), 255})
		}
	}
	return m
}

func encoded(t testing.TB, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, m image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return pngs.Encode(b, m) })
}

func jpegOf(t testing.TB, m image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) })
}

func gifOf(t testing.TB, m image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) })
}

func bmpOf(t testing.TB, m image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, m) })
}

func tiffOf(t testing.TB, m image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, m, nil) })
}

// tinyWebP is a lossy WebP of one pixel.
const tinyWebP = "RIFF\x24\x00\x00\x00WEBPVP8 \x18\x00\x00\x000\x01\x00\x9d\x01\x2a\x01\x00\x01\x00\x02\x00\x34\x25\xa4\x00\x03\x70\x00\xfe\xfb\xfd\x50\x00"

// rotated adds the EXIF orientation 6 to a JPEG, so that it is stored rotated.
func rotated(file []byte) []byte {
	exif := "\xff\xe1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	return []byte("\xff\xd8" + exif + strings.TrimPrefix(string(file), "\xff\xd8"))
}
