package review_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/media"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/letter"
	mediadb "vitrine/internal/store/media"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
	"vitrine/internal/store/remark"
)

// openPictured is a shop whose image service accepts all files that begin like a PNG.
func openPictured(t *testing.T) *fixture {
	t.Helper()
	d := &fixture{API: apitest.New(t, func(cfg *admin.Config) {
		cfg.Media.Photo = func(_ context.Context, file []byte) ([]byte, media.Picture, error) {
			if !bytes.HasPrefix(file, []byte("\x89PNG")) {
				return nil, media.Picture{}, media.ErrNotImage
			}
			return append([]byte("RIFF"), file[4:]...), media.Picture{Format: "webp", Width: 40, Height: 30}, nil
		}
	}), t: t}
	d.product = d.makes("Tea")
	return d
}

// sends uploads a picture of a person and returns its id and the hash of the stored bytes.
func (d *fixture) sends(session, said string) (id string, kept string) {
	d.t.Helper()
	answer := d.OK("POST", "/v1/storages/files", session, m{"company_id": d.Shop.ID, "section": "reviews", "file_type": "image", "original_name": "a.png"})
	upload := answer["upload"].(m)
	d.OK("PUT", upload["url"].(string), "", []byte("\x89PNG"+said))
	d.OK("POST", fmt.Sprintf("/v1/storages/files/%v/done", upload["id"]), session, m{"company_id": d.Shop.ID})
	return answer["result"].(m)["id"].(string), blob.Sum([]byte("RIFF" + said))
}

func (d *fixture) pictures(session string, ids ...string) m {
	d.t.Helper()
	return d.Result("POST", "/products/"+d.product+"/reviews", session, m{"company_id": d.Shop.ID, "rating": 5, "text": "CANARY words", "file_ids": ids})
}

func (d *fixture) lies(sha string) bool {
	_, err := d.Blobs.ReadAll(d.t.Context(), sha, 1<<20)
	return err == nil
}

func (d *fixture) served(id string) bool {
	_, err := mediadb.FileByPath(d.t.Context(), d.Store.Shop(d.Shop.ID), shop.ReviewPhoto(id))
	return err == nil
}

func (d *fixture) used() int64 {
	d.t.Helper()
	used, _, err := mediadb.Storage(d.t.Context(), d.Store.Shop(d.Shop.ID))
	if err != nil {
		d.t.Fatal(err)
	}
	return used
}

// A picture is visible to its author and the members of the shop while its review is pending or
// rejected, and to everyone while it is approved. It is deleted with its review.
func TestVisibilityAndDeletionOfPhotos(t *testing.T) {
	t.Parallel()
	d := openPictured(t)
	ann, ben := d.buyer(), d.buyer()
	one, first := d.sends(ann, "one")
	two, second := d.sends(ann, "two")
	foreign, _ := d.sends(ben, "ben's")
	for _, ids := range [][]string{{foreign}, {two, foreign}, {two, "00000000-0000-4000-8000-000000000000"}} {
		send := m{"company_id": d.Shop.ID, "rating": 5, "text": "CANARY words", "file_ids": ids}
		if got := d.Refused("POST", "/products/"+d.product+"/reviews", ann, send, 404, "FILE_NOT_FOUND"); !strings.Contains(got["error"].(string), fmt.Sprintf("file_ids[%d]", len(ids)-1)) {
			t.Errorf("%v: %v", ids, got)
		}
	}
	made := d.pictures(ann, two, one, one)
	if fmt.Sprint(made["file_ids"]) != fmt.Sprint([]string{two, one}) || fmt.Sprint(made["photos"]) != "[]" {
		t.Errorf("%v", made)
	}
	at, here := "/reviews/"+made["id"].(string), fmt.Sprintf("?company_id=%d", d.Shop.ID)
	look := at + "/files/" + one
	sees := func(path, key string) int {
		return d.Send(apitest.Request{Method: "GET", Path: path, Key: key}).Status
	}
	if sees(look+here, ann) != 200 || sees(look, d.API.Owner) != 200 || sees(look+here, ben) != 404 || sees(look+here, "") != 401 || d.served(one) ||
		sees(look, d.API.Stranger) != 404 || sees(look, d.Scoped("orders:read")) != 403 || sees(at+"/files/"+foreign, d.API.Owner) != 404 {
		t.Error("a pending picture is visible to the wrong callers")
	}
	if own := d.Result("GET", "/products/"+d.product+"/reviews/own"+here, ann, nil); own["status"] != "pending" || own["id"] != made["id"] {
		t.Errorf("%v", own)
	}
	d.Refused("GET", "/products/"+d.product+"/reviews/own"+here, ben, nil, 404, "REVIEW_NOT_FOUND")
	d.OK("PUT", at, d.API.Owner, m{"status": "approved"})
	if got := d.list("", "/products/"+d.product+"/reviews"+here)[0]; fmt.Sprint(got["photos"]) != fmt.Sprintf("[/files/reviews/%s.webp /files/reviews/%s.webp]", two, one) || !d.served(one) {
		t.Errorf("%v", got)
	}
	d.OK("PUT", at, d.API.Owner, m{"status": "rejected"})
	if d.served(one) || !d.lies(first) {
		t.Error("the picture of a rejected review is shown or deleted")
	}
	before := d.used()
	d.pictures(ann, one)
	if d.lies(second) || !d.lies(first) || d.used() != before-int64(len("RIFFtwo")) {
		t.Errorf("the removed picture was not deleted: %d bytes of %d", d.used(), before)
	}
	d.OK("PUT", at, d.API.Owner, m{"status": "rejected"})
	late := d.Clock.Now().Add(31 * 24 * time.Hour)
	if err := d.Store.Write(t.Context(), d.Shop.ID, func(tx *store.Tx) error {
		return remark.DeleteUnusedPhotos(t.Context(), tx, late, time.Now().Add(time.Hour))
	}); err != nil {
		t.Fatal(err)
	}
	if d.lies(first) || d.used() != 0 {
		t.Errorf("%d bytes are left 30 days after the rejection", d.used())
	}
}

// The export contains a person's pictures and votes. The erasure deletes texts, pictures with
// their bytes, votes and letters, and invalidates caches.
func TestErasingAPersonDeletesTheirPictures(t *testing.T) {
	t.Parallel()
	d := openPictured(t)
	ann, ben := d.buyer(), d.buyer()
	shown, first := d.sends(ann, "CANARY one")
	_, loose := d.sends(ann, "CANARY two")
	made := d.pictures(ann, shown)
	d.OK("PUT", "/reviews/"+made["id"].(string), d.API.Owner, m{"status": "approved"})
	other := d.reviews(ben, d.product, 4)
	d.OK("PUT", "/reviews/"+other["id"].(string), d.API.Owner, m{"status": "approved"})
	d.OK("POST", "/reviews/"+other["id"].(string)+"/helpful", ann, m{"company_id": d.Shop.ID})
	export := fmt.Sprint(d.OK("GET", "/v1/account/export", ann, nil))
	for _, want := range []string{"/files/reviews/" + shown + ".webp", "CANARY words", "photos", "helpful"} {
		if !strings.Contains(export, want) {
			t.Errorf("the export lacks %s", want)
		}
	}
	was, err := company.Info(t.Context(), d.Store.Shop(d.Shop.ID))
	if err != nil {
		t.Fatal(err)
	}
	me := shop.UserID(d.Result("GET", "/v1/auth/me", ann, nil)["id"].(float64))
	if err := privacy.RemovePerson(t.Context(), d.Store, me); err != nil {
		t.Fatal(err)
	}
	keys, _, _, err := d.Store.Shop(d.Shop.ID).Changes(t.Context(), was.Version)
	if err != nil || !strings.Contains(fmt.Sprint(keys), fmt.Sprint(shop.Key{Kind: shop.KeyDesign})) {
		t.Errorf("the picture was not invalidated in caches: %v (%v)", keys, err)
	}
	if d.lies(first) || d.lies(loose) || d.used() != 0 || d.served(shown) {
		t.Errorf("%d bytes are left", d.used())
	}
	for _, one := range d.list(d.API.Owner, "/reviews") {
		if one["id"] == made["id"] && (one["text"] != "" || len(one["file_ids"].([]any)) != 0) || one["id"] == other["id"] && one["helpful"] != 0.0 {
			t.Errorf("%v", one)
		}
	}
	letters, _, err := letter.List(t.Context(), d.Store.Shop(d.Shop.ID), "", "", 100, 0)
	if err != nil || len(letters) != 1 {
		t.Errorf("%d letters are left, %v", len(letters), err)
	}
}

// While many submissions are pending, those of people without a verified address or an order are
// refused; others are still accepted. One person may have only a few pending questions per
// product.
func TestAFloodDoesNotBlockKnownBuyers(t *testing.T) {
	t.Parallel()
	d := open(t)
	ann := d.buyer()
	ask := slices.Repeat([]apitest.Request{{Method: "POST", Path: "/products/" + d.product + "/questions", Key: ann, Body: m{"company_id": d.Shop.ID, "text": "?"}}}, 12)
	if got := apitest.Codes(d.AtOnce(ask...)); got[""] != 5 || got["QUESTIONS_WAITING"] != 7 {
		t.Errorf("twelve concurrent questions: %v", got)
	}
	send := slices.Repeat([]apitest.Request{{Method: "POST", Path: "/v1/storages/files", Key: ann, Body: m{"company_id": d.Shop.ID, "section": "reviews", "file_type": "image", "original_name": "a.png"}}}, 16)
	if got := apitest.Codes(d.AtOnce(send...)); got[""] != 10 || got["PHOTOS_WAITING"] != 6 {
		t.Errorf("sixteen concurrent pictures: %v", got)
	}
	d.Refused("POST", "/products/"+d.product+"/questions", ann, m{"company_id": d.Shop.ID, "text": "?"}, 429, "QUESTIONS_WAITING")
	stranger := d.Buyer("flood@people.test")
	var product shop.ProductID
	if err := product.UnmarshalText([]byte(d.product)); err != nil {
		t.Fatal(err)
	}
	conn := d.conn()
	if _, err := conn.Exec(t.Context(), `INSERT INTO remark (company_id, kind, product_id, person_id, rating) SELECT $1, 'review', $2, 100000 + n, 1 FROM generate_series(1, 1000) n`,
		d.Shop.ID, product); err != nil {
		t.Fatal(err)
	}
	d.Refused("POST", "/products/"+d.product+"/reviews", d.Session(stranger), m{"company_id": d.Shop.ID, "rating": 1}, 429, "REMARKS_WAITING")
	proven := d.Buyer("known@people.test")
	if err := d.Store.Write(t.Context(), d.Shop.ID, func(tx *store.Tx) error { return people.MarkProven(t.Context(), tx, proven, d.Clock.Now()) }); err != nil {
		t.Fatal(err)
	}
	d.reviews(d.Session(proven), d.product, 5)
	letters, _, err := letter.List(t.Context(), d.Store.Shop(d.Shop.ID), "", "question_seller", 100, 0)
	if err != nil || len(letters) != 5 {
		t.Errorf("%d letters, %v", len(letters), err)
	}
}

// Author names on pages are one line without invisible characters, and do not contain a surname
// unless the author entered one.
func TestAuthorNamesAreNormalized(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.Buyer("ines@people.test")
	session := d.Session(id)
	d.OK("PUT", "/v1/auth/me", session, m{"name": "Ines Maria Baker"})
	if got := d.reviews(session, d.product, 5)["author"]; got != "Ines B." {
		t.Errorf("%v", got)
	}
	send := m{"company_id": d.Shop.ID, "rating": 5, "author": " <b>\u202eTea\nlover\u200b "}
	if got := d.Result("POST", "/products/"+d.product+"/reviews", session, send)["author"]; got != "<b>Tea lover" {
		t.Errorf("%q", got)
	}
	send["author"] = strings.Repeat("x", 61)
	d.Refused("POST", "/products/"+d.product+"/reviews", session, send, 400, "TEXT_TOO_LONG")
}
