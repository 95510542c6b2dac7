package media_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api/apitest"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
	"vitrine/internal/store/remark"
)

// located adds a location to a JPEG, as phones do: an EXIF block with the position, and a
// comment.
func located(file []byte) []byte {
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x88\x25\x00\x04\x00\x00\x00\x01\x00\x00\x00\x1a\x00\x00\x00\x00" +
		"\x00\x01\x00\x01\x00\x02\x00\x00\x00\x02N\x00\x00\x00\x00\x00\x00\x00CANARY-59.3293N"
	block := func(marker byte, body string) string {
		n := len(body) + 2
		return string([]byte{0xff, marker, byte(n >> 8), byte(n)}) + body
	}
	return []byte("\xff\xd8" + block(0xe1, exif) + block(0xfe, "CANARY at home") + strings.TrimPrefix(string(file), "\xff\xd8"))
}

// buyer is a customer of the shop who uploads pictures.
type buyer struct {
	library
	key    string
	person shop.UserID
}

func (l library) buyer(email string) buyer {
	id := l.Buyer(email)
	return buyer{l, l.Session(id), id}
}

func (b buyer) announces() upload {
	b.t.Helper()
	answer := b.OK("POST", "/v1/storages/files", b.key, apitest.Map{"company_id": b.Shop.ID, "section": "reviews", "file_type": "image", "original_name": "my home.jpg"})
	result, up := answer["result"].(apitest.Map), answer["upload"].(apitest.Map)
	return upload{result["id"].(string), up["id"].(string), up["url"].(string), result["public_path"].(string)}
}

// sends uploads a picture in all three steps.
func (b buyer) sends(file []byte) (upload, apitest.Map) {
	b.t.Helper()
	u := b.announces()
	b.put(u, file)
	return u, b.Result("POST", "/v1/storages/files/"+u.uploadID+"/done", b.key, apitest.Map{"company_id": b.Shop.ID})
}

func (b buyer) text(sql string, args ...any) (value string) {
	b.t.Helper()
	conn, err := pgx.Connect(b.t.Context(), b.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	defer conn.Close(b.t.Context())
	if err := conn.QueryRow(b.t.Context(), sql, args...).Scan(&value); err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
	return value
}

// Only the picture itself is kept of a buyer's upload: its location, its name and its original
// bytes are in no blob and no row.
func TestABuyersPhotoIsStoredWithoutMetadata(t *testing.T) {
	t.Parallel()
	l := open(t)
	b := l.buyer("ann@people.test")
	file := located(jpegOf(t, noisePicture(300, 200, 1)))
	if !bytes.Contains(file, []byte("CANARY")) {
		t.Fatal("the upload does not contain the marker")
	}
	u, done := b.sends(file)
	if done["mime"] != "image/webp" || done["url"] != "" || done["public_path"] != "/files/reviews/"+u.id+".webp" || done["original_name"] != "photo" {
		t.Errorf("%v", done)
	}
	if again := b.Result("POST", "/v1/storages/files/"+u.uploadID+"/done", b.key, apitest.Map{"company_id": b.Shop.ID}); again["size"] != done["size"] {
		t.Errorf("confirmed again: %v", again)
	}
	sha := b.text(`SELECT sha256 FROM media_file WHERE id = $1 AND original_sha256 = sha256`, u.id)
	kept, err := l.Blobs.ReadAll(t.Context(), sha, 1<<20)
	if err != nil || bytes.Contains(kept, []byte("CANARY")) || bytes.Contains(kept, []byte("EXIF")) {
		t.Errorf("%d bytes kept, %v", len(kept), err)
	}
	if _, err := l.Blobs.ReadAll(t.Context(), blob.Sum(file), 1<<20); err == nil {
		t.Error("the uploaded bytes are kept")
	}
	if used := l.used(); used != int64(len(kept)) {
		t.Errorf("%d bytes are counted, %d are stored", used, len(kept))
	}
	if n := b.text(`SELECT count(*)::text FROM media_file f WHERE f::text ~ 'home'`); n != "0" {
		t.Error("the name is kept")
	}
}

// A buyer cannot access files of the library or of other buyers, and the library does not show
// buyers' pictures. A picture that no approved review shows has no URL.
func TestBuyersAccessOnlyTheirOwnPhotos(t *testing.T) {
	t.Parallel()
	l := open(t)
	ann, ben := l.buyer("ann@people.test"), l.buyer("ben@people.test")
	own := l.stored("image", "tea.png", pngOf(t, noisePicture(20, 20, 2)))
	u, _ := ann.sends(jpegOf(t, noisePicture(40, 40, 3)))
	here := apitest.Map{"company_id": l.Shop.ID}
	with := func(more apitest.Map) apitest.Map {
		send := apitest.Map{"company_id": l.Shop.ID, "section": "reviews", "file_type": "image", "original_name": "x.jpg"}
		for name, value := range more {
			send[name] = value
		}
		return send
	}
	for _, c := range []struct {
		more   apitest.Map
		status int
		code   string
	}{
		{apitest.Map{"section": "products"}, 403, "SECTION_DENIED"}, {apitest.Map{"section": "reviews2"}, 403, "SECTION_DENIED"},
		{apitest.Map{"section": "../reviews/x"}, 403, "SECTION_DENIED"}, {apitest.Map{"section": ""}, 400, "INVALID_REQUEST"},
		{apitest.Map{"file_type": "video"}, 400, "FILE_NOT_IMAGE"}, {apitest.Map{"file_type": "application/pdf"}, 400, "FILE_NOT_IMAGE"},
		{apitest.Map{"company_id": 0}, 404, "SHOP_NOT_FOUND"}, {apitest.Map{"company_id": 999}, 404, "SHOP_NOT_FOUND"},
	} {
		l.Refused("POST", "/v1/storages/files", ann.key, with(c.more), c.status, c.code)
	}
	l.Refused("POST", "/v1/storages/files", "", with(nil), 401, "UNAUTHENTICATED")
	for _, key := range []string{ben.key, l.Owner} {
		l.Refused("POST", "/v1/storages/files/"+u.uploadID+"/done", key, here, 404, "FILE_NOT_FOUND")
	}
	l.Refused("POST", "/v1/storages/files/"+fmt.Sprint(own["id"])+"/done", ann.key, here, 404, "FILE_NOT_FOUND")
	for _, c := range [][2]string{{"GET", ""}, {"GET", "/" + u.id}, {"DELETE", "/" + u.id}, {"POST", "/" + u.id + "/rename"}, {"POST", "/" + u.id + "/replace"}, {"POST", "/" + u.id + "/prefer-original"}, {"POST", "/from-url"}} {
		l.Refused(c[0], "/v1/storages/files"+c[1], ann.key, nil, 403, "ROLE_REQUIRED")
	}
	for _, c := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"POST", "/rename"}, {"POST", "/replace"}, {"POST", "/prefer-original"}} {
		l.Refused(c[0], "/v1/storages/files/"+u.id+c[1], l.Owner, apitest.Map{"original_name": "y.png"}, 404, "FILE_NOT_FOUND")
	}
	if list := l.OK("GET", "/v1/storages/files?filter.section=reviews", l.Owner, nil); list["total"] != 0.0 {
		t.Errorf("the library shows %v", list)
	}
	product := l.Result("POST", "/products", l.Owner, apitest.Map{"item": apitest.Map{"name": "Tea"}})
	if status, _ := l.Call("PUT", fmt.Sprintf("/products/%v", product["id"]), l.Owner, apitest.Map{"item": apitest.Map{"gallery_ids": []string{u.id}}}); status == 200 {
		if got := l.Result("GET", fmt.Sprintf("/products/%v", product["id"]), l.Owner, nil); strings.Contains(fmt.Sprint(got), u.id) {
			t.Errorf("a product shows a buyer's picture: %v", got)
		}
	}
	if _, err := mediadb.FileByPath(t.Context(), l.Store.Shop(l.Shop.ID), "reviews/"+u.id+".webp"); err == nil {
		t.Error("a picture without a review is served")
	}
}

// Files that are not pictures, too large or too many are refused, and leave no bytes behind.
func TestUnacceptablePhotosAreRefused(t *testing.T) {
	t.Parallel()
	l := open(t)
	b := l.buyer("ann@people.test")
	for name, c := range map[string]struct {
		file []byte
		code string
	}{
		"an HTML page": {[]byte("<html>"), "FILE_NOT_IMAGE"}, "an SVG": {[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "FILE_NOT_IMAGE"},
		"nothing": {nil, "FILE_EMPTY"}, "cut short": {jpegOf(t, noisePicture(300, 300, 5))[:2000], "IMAGE_BROKEN"},
	} {
		u := b.announces()
		b.put(u, c.file)
		status, answer := b.Call("POST", "/v1/storages/files/"+u.uploadID+"/done", b.key, apitest.Map{"company_id": b.Shop.ID})
		if status != 400 || !strings.Contains(fmt.Sprint(answer["error"]), c.code) {
			t.Errorf("%s: %d %v", name, status, answer)
		}
	}
	u := b.announces()
	l.Refused("PUT", u.url, "", make([]byte, 10<<20+1), 400, "FILE_TOO_LARGE")
	for n := 5; n < 10; n++ {
		b.announces()
	}
	l.Refused("POST", "/v1/storages/files", b.key, apitest.Map{"company_id": l.Shop.ID, "section": "reviews", "file_type": "image", "original_name": "x"}, 429, "PHOTOS_WAITING")
	if err := l.Store.Write(t.Context(), l.Shop.ID, func(tx *store.Tx) error {
		return remark.DeleteUnusedPhotos(t.Context(), tx, l.Clock.Now().Add(time.Second), l.Clock.Now())
	}); err != nil {
		t.Fatal(err)
	}
	if n := b.text(`SELECT count(*)::text FROM media_file`); n != "0" || l.used() != 0 {
		t.Errorf("%s files are left, %d bytes", n, l.used())
	}
}

// Animations and WebP, which the library serves unchanged, are re-encoded as well.
func TestPhotosOfEveryFormatAreReencoded(t *testing.T) {
	t.Parallel()
	l := open(t)
	b := l.buyer("ann@people.test")
	m := noisePicture(30, 20, 7)
	for name, file := range map[string][]byte{"gif": gifOf(t, m), "png": pngOf(t, m), "bmp": bmpOf(t, m)} {
		u, done := b.sends(append(file, "CANARY"...))
		sha := b.text(`SELECT sha256 FROM media_file WHERE id = $1`, u.id)
		kept, err := l.Blobs.ReadAll(t.Context(), sha, 1<<20)
		if err != nil || done["mime"] != "image/webp" || bytes.Contains(kept, []byte("CANARY")) {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
}
