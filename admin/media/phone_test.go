package media_test

import (
	"context"
	"os"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/admin/media"
)

// phonePhoto reads a picture of 96 by 48 pixels as phones take them.
func phonePhoto(t *testing.T, format string) []byte {
	t.Helper()
	file, err := os.ReadFile("../../resizer/testdata/quarters." + format)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Photos as phones take them are pictures whatever their names say, and become WebP. A HEIC is never
// served, even if the file before it was served as it came.
func TestPhotosOfPhonesBecomeWebP(t *testing.T) {
	t.Parallel()
	l := open(t)
	prefer := func(id string) string { return "/v1/storages/files/" + id + "/prefer-original" }
	for format, name := range map[string]string{"heic": "IMG_0001.HEIC", "avif": "photo.jpg"} {
		f := l.stored("image", name, phonePhoto(t, format))
		if f["mime"] != "image/webp" || f["width"] != 96.0 || f["height"] != 48.0 {
			t.Errorf("%s became %v", format, f)
		}
		id := f["id"].(string)
		if format == "avif" {
			if f = l.Result("POST", prefer(id), l.Owner, nil); f["mime"] != "image/avif" || f["width"] != 96.0 {
				t.Errorf("the original: %v", f)
			}
			u := l.replace(id, apitest.Map{})
			l.put(u, phonePhoto(t, "heic"))
			if f = l.done(u); f["mime"] != "image/webp" {
				t.Errorf("replaced: %v", f)
			}
		}
		l.Refused("POST", prefer(id), l.Owner, nil, 400, "FILE_HAS_NO_ORIGINAL")
	}
}

// A server without a decoder says what to do, wherever the photo comes from.
func TestPhotosThatTheServerCannotReadAreRefused(t *testing.T) {
	t.Parallel()
	w := openWeb(t)
	w.files["/photo.heic"] = phonePhoto(t, "heic")
	if f := w.Result("POST", fromURL, w.Owner, fetchBody(w.base+"/photo.heic")); f["mime"] != "image/webp" {
		t.Errorf("fetched: %v", f)
	}
	lacks := func(context.Context, []byte) ([]byte, media.Picture, error) {
		return nil, media.Picture{}, media.ErrNoDecoder
	}
	w = openWeb(t, func(i *media.Images) { i.Master, i.Photo = lacks, lacks })
	w.files["/photo.heic"] = phonePhoto(t, "heic")
	w.Refused("POST", fromURL, w.Owner, fetchBody(w.base+"/photo.heic"), 415, "IMAGE_FORMAT_UNREADABLE")
	u := w.announce("image", "IMG_0001.HEIC")
	w.put(u, w.files["/photo.heic"])
	w.refuseDone(u, 415, "IMAGE_FORMAT_UNREADABLE")
}
