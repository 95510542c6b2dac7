package admin_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/google/uuid"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// pictureFields are the request fields that name a picture, each with a function that returns a
// body with a file in that field.
var pictureFields = map[string]func(id string) apitest.Map{
	"products preview_id":        func(id string) apitest.Map { return apitest.Map{"preview_id": id} },
	"products gallery[].id":      func(id string) apitest.Map { return apitest.Map{"gallery": []any{apitest.Map{"id": id}}} },
	"products seo.og_image_id":   func(id string) apitest.Map { return apitest.Map{"seo": apitest.Map{"og_image_id": id}} },
	"categories preview_id":      func(id string) apitest.Map { return apitest.Map{"preview_id": id} },
	"categories seo.og_image_id": func(id string) apitest.Map { return apitest.Map{"seo": apitest.Map{"og_image_id": id}} },
	"articles cover_id":          func(id string) apitest.Map { return apitest.Map{"cover_id": id} },
	"articles seo.og_image_id":   func(id string) apitest.Map { return apitest.Map{"seo": apitest.Map{"og_image_id": id}} },
	"articles author.photo_id": func(id string) apitest.Map {
		return apitest.Map{"author": apitest.Map{"mode": "manual", "name": "Ann", "photo_id": id}}
	},
}

// A field for a picture accepts no other file of the library.
func TestPictureFieldsAcceptPicturesOnly(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	file := func(kind string) string {
		f := media.File{ID: uuid.New(), UploadID: uuid.New(), Section: "content", Type: kind, Name: "a", Path: "content/" + uuid.NewString(), SHA256: fmt.Sprintf("%064s", "b")}
		err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error {
			if err := media.RequestFile(t.Context(), tx, &f, []byte(f.ID.String())); err != nil {
				return err
			}
			return media.StoreFile(t.Context(), tx, &f, map[string]int64{f.SHA256: 9})
		})
		if err != nil {
			t.Fatal(err)
		}
		return f.ID.String()
	}
	picture, text := file("image"), file("document")
	section := a.Result("POST", "/categories", a.Owner, apitest.Map{"item": apitest.Map{"name": "News", "type": "news"}})["id"]
	paths := map[string]string{}
	for noun, item := range map[string]apitest.Map{"products": {"name": "Tea"}, "categories": {"name": "Teas"}, "articles": {"title": "News", "category_id": section}} {
		paths[noun] = fmt.Sprintf("/%s/%v", noun, a.Result("POST", "/"+noun, a.Owner, apitest.Map{"item": item})["id"])
	}
	for field, with := range pictureFields {
		path := paths[regexp.MustCompile(`^\w+`).FindString(field)]
		if status, answer := a.Call("PUT", path, a.Owner, apitest.Map{"item": with(text)}); status != 404 {
			t.Errorf("%s accepts a document: %d %v", field, status, answer)
		}
		if status, answer := a.Call("PUT", path, a.Owner, apitest.Map{"item": with(picture)}); status != 200 {
			t.Errorf("%s refuses a picture: %d %v", field, status, answer)
		}
	}
	variants := paths["products"] + "/variants"
	with := func(id string) apitest.Map {
		return apitest.Map{"items": []any{apitest.Map{"title": "Large", "image_id": id}}}
	}
	if status, answer := a.Call("PUT", variants, a.Owner, with(text)); status != 404 {
		t.Errorf("a variant accepts a document: %d %v", status, answer)
	}
	if status, answer := a.Call("PUT", variants, a.Owner, with(picture)); status != 200 {
		t.Errorf("a variant refuses a picture: %d %v", status, answer)
	}
	owner := a.Session(a.OwnerID)
	for _, setting := range []apitest.Map{{"logo_id": text}, {"favicon_id": text}, {"seo": apitest.Map{"og_image_id": text}}} {
		if status, answer := a.Call("PUT", "/v1/shop/settings", owner, setting); status != 400 {
			t.Errorf("%v: %d %v", setting, status, answer)
		}
	}
}
