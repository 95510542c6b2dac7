package media_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
)

// record stores the record of a picture without its bytes.
func record(t *testing.T, a *apitest.API, company shop.CompanyID) string {
	t.Helper()
	f := mediadb.File{ID: uuid.New(), UploadID: uuid.New(), Section: "content", Type: "image", Name: "a.webp", MIME: "image/webp", SHA256: fmt.Sprintf("%064d", 1), Size: 1}
	f.Path = "content/" + f.ID.String() + ".webp"
	err := a.Store.Write(context.Background(), company, func(tx *store.Tx) error {
		if err := mediadb.RequestFile(context.Background(), tx, &f, []byte(f.ID.String())); err != nil {
			return err
		}
		return mediadb.StoreFile(context.Background(), tx, &f, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	return f.ID.String()
}

// uses returns what refers to a file, as kind, name and whether only the draft does.
func uses(a *apitest.API, key, file string) string {
	var list []string
	answer := a.OK("GET", "/v1/storages/files/"+file+"/usage", key, nil)
	for _, one := range answer["result"].([]any) {
		u := one.(apitest.Map)
		text := fmt.Sprint(u["kind"], " ", u["name"])
		if u["is_draft"] == true {
			text += " (draft)"
		}
		list = append(list, text)
	}
	if answer["total"] != float64(len(list)) {
		list = append(list, fmt.Sprint(answer["total"]))
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}

func TestTheUsageOfAFileNamesEverythingThatRefersToIt(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	item := func(fields apitest.Map) apitest.Map { return apitest.Map{"item": fields} }
	file, other := record(t, a, a.Shop.ID), record(t, a, a.Shop.ID)
	if got := uses(a, a.Owner, file); got != "" {
		t.Errorf("a new file: %s", got)
	}
	a.Result("POST", "/galleries", a.Owner, item(apitest.Map{"name": "Album", "items": []any{apitest.Map{"item_key": "one", "file": apitest.Map{"id": file}}}}))
	a.Result("POST", "/categories", a.Owner, item(apitest.Map{"name": "Teas", "type": "product", "preview_id": file}))
	rubric := a.Result("POST", "/categories", a.Owner, item(apitest.Map{"name": "News", "type": "news", "seo": apitest.Map{"og_image_id": file}}))
	a.Result("POST", "/articles", a.Owner, item(apitest.Map{"title": "Harvest", "category_id": rubric["id"], "cover_id": file}))
	product := a.Result("POST", "/products", a.Owner, item(apitest.Map{"name": "Tea", "preview_id": file, "gallery": []any{apitest.Map{"id": file}}}))
	gone := a.Result("POST", "/products", a.Owner, item(apitest.Map{"name": "Gone", "preview_id": file}))
	a.OK("DELETE", fmt.Sprintf("/products/%v", gone["id"]), a.Owner, nil)
	a.OK("PUT", fmt.Sprintf("/products/%v", product["id"]), a.Dev, item(apitest.Map{"name": "Green tea"}))
	a.Result("POST", "/products", a.Dev, item(apitest.Map{"name": "Cup", "description": "<img src=\"/files/content/" + file + ".webp\">"}))
	a.OK("PUT", "/v1/shop/settings", a.Session(a.OwnerID), apitest.Map{"logo_id": file})
	want := "article Harvest; category News; category Teas; gallery Album; product Cup (draft); product Green tea (draft); product Tea; shop tea"
	if got := uses(a, a.Owner, file); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := uses(a, a.Owner, other); got != "" {
		t.Errorf("another file: %s", got)
	}
	a.Refused("GET", "/v1/storages/files/"+file+"/usage", a.Stranger, nil, 404, "FILE_NOT_FOUND")
	a.Refused("GET", "/v1/storages/files/"+file+"/usage", a.Scoped("catalog:read"), nil, 403, "PAT_SCOPE_MISSING")
}

func TestFilesAreDeletedEachOnItsOwn(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	one, two, foreign := record(t, a, a.Shop.ID), record(t, a, a.Shop.ID), record(t, a, a.Other.ID)
	got := a.OK("POST", "/v1/storages/files/delete", a.Owner, apitest.Map{"ids": []string{two, foreign, one, two}})
	var list []string
	for _, r := range got["results"].([]any) {
		r := r.(apitest.Map)
		list = append(list, fmt.Sprint(r["id"] == two, r["id"] == foreign, strings.Contains(r["error"].(string), "FILE_NOT_FOUND")))
	}
	if strings.Join(list, " ") != "truefalsefalse falsetruetrue falsefalsefalse" && strings.Join(list, " ") != "true false false false true true false false false" || got["failed"] != 1.0 {
		t.Errorf("%v: %v", list, got)
	}
	for _, id := range []string{one, two} {
		a.Refused("GET", "/v1/storages/files/"+id, a.Owner, nil, 404, "FILE_NOT_FOUND")
	}
	a.OK("GET", "/v1/storages/files/"+foreign, a.Stranger, nil)
	many := make([]string, 101)
	for i := range many {
		many[i] = uuid.NewString()
	}
	for _, ids := range []any{[]string{}, many, []string{"x"}} {
		a.Refused("POST", "/v1/storages/files/delete", a.Owner, apitest.Map{"ids": ids}, 400, "INVALID_REQUEST")
	}
}
