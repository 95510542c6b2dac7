package media_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api/apitest"
	"vitrine/admin/media"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	mediadb "vitrine/internal/store/media"
)

func TestAPictureIsServedAsWebP(t *testing.T) {
	t.Parallel()
	l := open(t)
	for _, c := range []struct {
		name          string
		file          []byte
		width, height float64
	}{
		{"tea.png", pngOf(t, noisePicture(60, 40, 1)), 60, 40},
		{"tea.jpg", jpegOf(t, noisePicture(60, 40, 2)), 60, 40},
		{"lying.jpg", rotated(jpegOf(t, noisePicture(60, 40, 3))), 40, 60},
		{"misnamed.gif", pngOf(t, noisePicture(30, 30, 4)), 30, 30},
	} {
		before := l.used()
		u := l.announce("image", c.name)
		if ext := c.name[strings.IndexByte(c.name, '.'):]; u.path != "/files/products/"+u.id+ext {
			t.Errorf("%s: announced at %s", c.name, u.path)
		}
		l.put(u, c.file)
		done := l.done(u)
		want := "/files/products/" + u.id + ".webp"
		if done["id"] != u.id || done["public_path"] != want || done["url"] != "http://tea.shops.test"+want || done["mime"] != "image/webp" {
			t.Errorf("%s: %v", c.name, done)
		}
		if done["width"] != c.width || done["height"] != c.height || done["status"] != "stored" || done["original_name"] != c.name {
			t.Errorf("%s: %v", c.name, done)
		}
		f, err := mediadb.FileByPath(t.Context(), l.Store.Shop(l.Shop.ID), strings.TrimPrefix(want, "/files/"))
		if err != nil {
			t.Fatal(err)
		}
		if stale, err := mediadb.FileByPath(t.Context(), l.Store.Shop(l.Shop.ID), strings.TrimPrefix(u.path, "/files/")); err != nil ||
			stale.Path != f.Path {
			t.Errorf("%s: the announced URL returns %+v, %v", c.name, stale, err)
		}
		served, err := l.Blobs.ReadAll(t.Context(), f.SHA256, 1<<20)
		if err != nil || !bytes.HasPrefix(served, []byte("RIFF")) || f.Size != int64(len(served)) {
			t.Errorf("%s: %d bytes served, %v", c.name, len(served), err)
		}
		if f.OriginalSHA256 != blob.Sum(c.file) || l.used()-before != int64(len(served)+len(c.file)) {
			t.Errorf("%s: the original is not kept: %d bytes used", c.name, l.used()-before)
		}
		if again := l.Result("GET", "/v1/storages/files/"+u.id, l.Owner, nil); again["url"] != done["url"] || again["size"] != done["size"] {
			t.Errorf("%s: read back as %v", c.name, again)
		}
	}
}

func TestOtherFilesKeepTheirBytes(t *testing.T) {
	t.Parallel()
	l := open(t)
	m := noisePicture(20, 10, 9)
	for _, c := range []struct {
		kind, name string
		file       []byte
		mime, end  string
		width      float64
	}{
		{"image", "a.png", gifOf(t, m), "image/gif", ".gif", 20},
		{"image/bmp", "a.bmp", bmpOf(t, m), "image/bmp", ".bmp", 20},
		{"image", "a.tif", tiffOf(t, m), "image/tiff", ".tiff", 20},
		{"image", "noname", []byte(tinyWebP), "image/webp", ".webp", 1},
		{"image", "a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), "image/svg+xml", ".svg", 0},
		{"application/pdf", "list.pdf", []byte("%PDF-1.7\n%%EOF"), "application/pdf", ".pdf", 0},
		{"file", "raw.png", pngOf(t, m), "image/png", ".png", 0},
		{"model", "cup.glb", []byte("glTF\x02\x00\x00\x00\x10\x00\x00\x00"), "model/gltf-binary", ".glb", 0},
		{"video/mp4", "clip.mov", []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom\x00\x00\x00\x08free"), "video/mp4", ".mp4", 0},
	} {
		done := l.stored(c.kind, c.name, c.file)
		if path := done["public_path"].(string); done["mime"] != c.mime || !strings.HasSuffix(path, c.end) || done["width"] != c.width {
			t.Errorf("%s %s: %v", c.kind, c.name, done)
		}
		if done["size"] != shop.Int64(len(c.file)).String() {
			t.Errorf("%s: size %v", c.name, done["size"])
		}
	}
}

func TestAnnouncementsAreRefused(t *testing.T) {
	t.Parallel()
	l := open(t)
	good := apitest.Map{"section": "products", "file_type": "image", "original_name": "tea.png"}
	for _, c := range []struct {
		field string
		value any
	}{
		{"section", "ab"}, {"section", nil}, {"section", "..."}, {"section", strings.Repeat("a", 65)}, {"section", 7},
		{"file_type", "im"}, {"file_type", nil}, {"file_type", "picture"}, {"file_type", "image/"},
		{"original_name", ""}, {"original_name", nil}, {"original_name", "dir/"}, {"original_name", "a\x7fb"}, {"original_name", strings.Repeat("a", 256)},
	} {
		body := apitest.Map{}
		for k, v := range good {
			body[k] = v
		}
		body[c.field] = c.value
		l.Refused("POST", "/v1/storages/files", l.Owner, body, 400, "INVALID_REQUEST")
	}
	l.Refused("POST", "/v1/storages/files", l.Owner, "{", 400, "INVALID_REQUEST")
}

func TestInvalidBytesAreRefusedAtConfirmation(t *testing.T) {
	t.Parallel()
	l := open(t)
	whole := pngOf(t, noisePicture(60, 40, 5))
	bomb := []byte(
		"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\xff\xff\x00\x00\xff\xff\x08\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00IEND\xaeB`\x82",
	)
	for _, c := range []struct {
		name, kind string
		file       []byte
		code       string
	}{
		{"nothing", "image", nil, "FILE_EMPTY"},
		{"HTML named as a picture", "image", []byte("<!DOCTYPE html><script>1</script>"), "FILE_NOT_IMAGE"},
		{"text", "image", []byte("hello"), "FILE_NOT_IMAGE"},
		{"a picture in an unsupported format", "image", []byte("\xff\x0a\xfa\x1f\x00\x90\x01\x00\x12"), "FILE_NOT_IMAGE"},
		{"a truncated picture", "image", whole[:len(whole)/2], "IMAGE_BROKEN"},
		{"a truncated JPEG", "image", jpegOf(t, noisePicture(60, 40, 6))[:500], "IMAGE_BROKEN"},
		{"HTML after a GIF signature", "image", []byte("GIF89a<script>alert(1)</script>"), ""},
		{"65535 x 65535 pixels", "image", bomb, "IMAGE_TOO_LARGE"},
		{"HTML as a video", "video", []byte("<!DOCTYPE html>"), "FILE_TYPE_MISMATCH"},
		{"a picture as audio", "audio", whole, "FILE_TYPE_MISMATCH"},
		{"an empty file", "file", nil, "FILE_EMPTY"},
	} {
		u := l.announce(c.kind, "tea.png")
		l.put(u, c.file)
		status, answer := l.Call("POST", "/v1/storages/files/"+u.uploadID+"/done", l.Owner, nil)
		if code := apitest.Code(answer); status != 400 || code == "" || c.code != "" && code != c.code {
			t.Errorf("%s: %d %v, want %s", c.name, status, answer, c.code)
		}
		if f := l.Result("GET", "/v1/storages/files/"+u.id, l.Owner, nil); f["status"] != "uploaded" || f["url"] != "" {
			t.Errorf("%s: %v", c.name, f)
		}
	}
	if l.used() != 0 {
		t.Errorf("%d bytes counted", l.used())
	}
}

func TestARefusedUploadCanBeRepeated(t *testing.T) {
	t.Parallel()
	l := open(t)
	u := l.announce("image", "tea.png")
	l.refuseDone(u, 400, "UPLOAD_MISSING")
	l.put(u, []byte("not a picture"))
	l.refuseDone(u, 400, "FILE_NOT_IMAGE")
	first, second := pngOf(t, noisePicture(10, 10, 1)), pngOf(t, noisePicture(20, 20, 2))
	l.put(u, first)
	l.put(u, second)
	if done := l.done(u); done["width"] != 20.0 {
		t.Errorf("served: %v", done)
	}
}

// endless yields n bytes without a known length.
func endless(n int64) io.Reader {
	return struct{ io.Reader }{io.LimitReader(zeros{}, n)}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestAnUploadOverTheLimitLeavesNothing(t *testing.T) {
	t.Parallel()
	l := open(t)
	const eleven = 11 << 20
	for name, body := range map[string]any{"streamed": endless(eleven), "announced": make([]byte, eleven)} {
		u := l.announce("image", "big.png")
		l.Refused("PUT", u.url, "", body, 400, "FILE_TOO_LARGE")
		if has, err := l.Blobs.Has(t.Context(), blob.Sum(make([]byte, eleven))); has || err != nil {
			t.Errorf("%s: an object was left: %v", name, err)
		}
		l.refuseDone(u, 400, "FILE_TOO_LARGE")
		l.put(u, pngOf(t, noisePicture(10, 10, 1)))
		l.done(u)
	}
	u := l.announce("image", "kept.png")
	l.put(u, pngOf(t, noisePicture(12, 12, 1)))
	l.Refused("PUT", u.url, "", endless(eleven), 400, "FILE_TOO_LARGE")
	if done := l.done(u); done["width"] != 12.0 {
		t.Errorf("a refused PUT replaced the earlier bytes: %v", done)
	}
	v := l.announce("file", "big.bin")
	l.OK("PUT", v.url, "", endless(eleven))
	l.done(v)
}

func TestContentTypeMustMatchTheAnnouncedType(t *testing.T) {
	t.Parallel()
	l := open(t)
	u := l.announce("image", "tea.png")
	send := func(kind string) (int, string) {
		out := l.Send(
			apitest.Request{Method: "PUT", Path: u.url, Header: map[string]string{"Content-Type": kind}, Body: pngOf(t, noisePicture(5, 5, 1))},
		)
		return out.Status, apitest.Code(out.JSON)
	}
	if status, code := send("text/html"); status != 400 || code != "FILE_TYPE_MISMATCH" {
		t.Errorf("%d %s", status, code)
	}
	l.refuseDone(u, 400, "UPLOAD_MISSING")
	if status, _ := send("image/gif"); status != 200 { // the bytes decide
		t.Errorf("%d", status)
	}
	l.done(u)
}

func TestAnUploadURLIsValidForOneFile(t *testing.T) {
	t.Parallel()
	l := open(t)
	u, other := l.announce("image", "a.png"), l.announce("image", "b.png")
	file := pngOf(t, noisePicture(5, 5, 1))
	token := u.url[strings.LastIndexByte(u.url, '/')+1:]
	for _, path := range []string{
		strings.Replace(u.url, u.uploadID, other.uploadID, 1),
		strings.Replace(u.url, u.uploadID, uuid.NewString(), 1),
		strings.Replace(u.url, token, "vu_"+strings.Repeat("0", 36), 1),
		strings.Replace(u.url, token, "x", 1),
	} {
		l.Refused("PUT", path, l.Owner, file, 404, "FILE_NOT_FOUND")
	}
	l.Refused("PUT", strings.Replace(u.url, u.uploadID, "7", 1), "", file, 404, "NOT_FOUND")

	l.Clock.Advance(25 * time.Hour)
	l.Refused("PUT", u.url, "", file, 400, "UPLOAD_EXPIRED")
}

func TestAPUTAfterDoneChangesNothing(t *testing.T) {
	t.Parallel()
	l := open(t)
	u := l.announce("image", "tea.png")
	l.put(u, pngOf(t, noisePicture(10, 10, 1)))
	first := l.done(u)
	l.Refused("PUT", u.url, "", pngOf(t, noisePicture(20, 20, 2)), 409, "UPLOAD_ALREADY_DONE")
	again := l.done(u)
	for field, want := range first {
		if again[field] != want {
			t.Errorf("%s: %v, was %v", field, again[field], want)
		}
	}
	l.Refused("POST", "/v1/storages/files/"+u.id+"/done", l.Owner, nil, 404, "FILE_NOT_FOUND") // the endpoint expects upload.id
}

func TestConcurrentPUTsLeaveOneBody(t *testing.T) {
	t.Parallel()
	l := open(t)
	u := l.announce("image", "tea.png")
	var group sync.WaitGroup
	for _, width := range []int{10, 20, 30, 40} {
		group.Go(func() { l.put(u, pngOf(t, noisePicture(width, 10, 1))) })
	}
	group.Wait()
	done := l.done(u)
	f, err := mediadb.GetFile(t.Context(), l.Store.Shop(l.Shop.ID), uuid.MustParse(u.id))
	if err != nil || int(done["width"].(float64))%10 != 0 || f.SHA256 == "" {
		t.Errorf("%v, %v", done, err)
	}
}

func TestAPUTWhileConfirmingIsNotLost(t *testing.T) {
	t.Parallel()
	var once sync.Once
	var between func()
	l := open(t, func(m *media.Images) {
		master := m.Master
		m.Master = func(ctx context.Context, file []byte) ([]byte, media.Picture, error) {
			once.Do(between)
			return master(ctx, file)
		}
	})
	u := l.announce("image", "tea.png")
	between = func() { l.put(u, pngOf(t, noisePicture(20, 10, 2))) }
	l.put(u, pngOf(t, noisePicture(10, 10, 1)))
	if done := l.done(u); done["width"] != 20.0 {
		t.Errorf("the inspected bytes are not the upload's: %v", done)
	}
}

func TestConfirmationFailsWhileTheUploadKeepsChanging(t *testing.T) {
	t.Parallel()
	var change func()
	l := open(t, func(m *media.Images) {
		master := m.Master
		m.Master = func(ctx context.Context, file []byte) ([]byte, media.Picture, error) {
			change()
			return master(ctx, file)
		}
	})
	u := l.announce("image", "tea.png")
	width := 10
	change = func() { width++; l.put(u, pngOf(t, noisePicture(width, 10, 2))) }
	change()
	l.refuseDone(u, 409, "UPLOAD_CHANGED")
}

func TestConcurrentConfirmationsReturnTheSameFile(t *testing.T) {
	t.Parallel()
	l := open(t)
	u := l.announce("image", "tea.png")
	l.put(u, pngOf(t, noisePicture(50, 50, 1)))
	answers := make([]apitest.Map, 4)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() { answers[i] = l.done(u) })
	}
	group.Wait()
	for _, a := range answers[1:] {
		if a["url"] != answers[0]["url"] || a["size"] != answers[0]["size"] {
			t.Errorf("%v and %v", a, answers[0])
		}
	}
}

func TestAConfirmationCanBeRetriedAfterABusyImageService(t *testing.T) {
	t.Parallel()
	busy := true
	l := open(t, func(m *media.Images) {
		master := m.Master
		m.Master = func(ctx context.Context, file []byte) ([]byte, media.Picture, error) {
			if busy {
				return nil, media.Picture{}, shop.ErrUnavailable.RetryAfter(1)
			}
			return master(ctx, file)
		}
	})
	u := l.announce("image", "tea.png")
	l.put(u, pngOf(t, noisePicture(5, 5, 1)))
	l.refuseDone(u, 503, "UNAVAILABLE")
	busy = false
	l.done(u)
}

func TestThePlanLimitsBytes(t *testing.T) {
	t.Parallel()
	l := open(t)
	file := []byte("%PDF-1.7 " + strings.Repeat("x", 1000))
	l.Limit(companydb.Limits{store.LimitStorage: 2100})
	first, second := l.announce("file", "a.pdf"), l.announce("file", "b.pdf")
	same, third := l.announce("file", "same.pdf"), l.announce("file", "c.pdf")
	l.put(first, file)
	l.done(first)
	l.put(same, file)
	l.done(same) // bytes that the shop already has are not counted again
	l.put(second, append(file, '2'))
	l.Limit(companydb.Limits{store.LimitStorage: 1500}) // a smaller plan
	if answer := l.refuseDone(second, 429, "STORAGE_LIMIT_REACHED"); answer["limit_code"] != "storage_bytes" {
		t.Errorf("%v", answer)
	}
	if f := l.Result("GET", "/v1/storages/files/"+second.id, l.Owner, nil); f["status"] != "uploaded" {
		t.Errorf("%v", f)
	}
	l.Refused("PUT", third.url, "", append(file, '3'), 429, "STORAGE_LIMIT_REACHED")
	l.Limit(companydb.Limits{store.LimitStorage: 2500})
	l.done(second)
	l.Limit(companydb.Limits{store.LimitStorage: 100})
	l.Refused("POST", "/v1/storages/files", l.Owner,
		apitest.Map{"section": "products", "file_type": "image", "original_name": "x.png"}, 429, "STORAGE_LIMIT_REACHED")
}
