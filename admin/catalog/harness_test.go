package catalog_test

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

type (
	m = apitest.Map
	l = []any
)

const missingFile = "6b1f6a4e-0000-4000-8000-000000000000"

// bench is an API with helpers for the catalogue.
type bench struct {
	*apitest.API
	t *testing.T
}

func open(t *testing.T) bench {
	t.Helper()
	t.Parallel()
	return bench{apitest.New(t), t}
}

// item wraps fields in the form of requests.
func item(fields m) m { return m{"item": fields} }

// add creates a category, product or article and returns it.
func (b bench) add(kind string, fields m) m {
	b.t.Helper()
	return b.Result("POST", "/"+kind, b.Owner, item(fields))
}

// put changes fields of a thing that add returned.
func (b bench) put(kind string, of, fields m) m {
	b.t.Helper()
	return b.Result("PUT", at(kind, of), b.Owner, item(fields))
}

// at returns the address of a thing that add returned.
func at(kind string, of m) string { return "/" + kind + "/" + id(of) }

func id(of m) string { return strconv.FormatFloat(of["id"].(float64), 'f', -1, 64) }

// section creates a published category.
func (b bench) section(kind, name string) m {
	b.t.Helper()
	return b.add("categories", m{"name": name, "type": kind, "is_published": true})
}

// refused sends a body and checks that it is refused.
func (b bench) refused(method, path string, fields m, status int, code string) {
	b.t.Helper()
	b.Refused(method, path, b.Owner, item(fields), status, code)
}

// picture stores a file record without its bytes.
func (b bench) picture(company shop.CompanyID) string {
	b.t.Helper()
	return b.stored(company, "image")
}

// stored is picture for any type of file.
func (b bench) stored(company shop.CompanyID, kind string) string {
	b.t.Helper()
	ctx := context.Background()
	f := media.File{
		ID: uuid.New(), UploadID: uuid.New(), Section: "content", Type: kind, Name: "a.webp", MIME: "image/webp",
		SHA256: fmt.Sprintf("%064d", 1), Size: 1, CreatedAt: time.Unix(0, 0),
	}
	f.Path = "content/" + f.ID.String() + ".webp"
	err := b.Store.Write(ctx, company, func(tx *store.Tx) error {
		if err := media.RequestFile(ctx, tx, &f, []byte(f.ID.String())); err != nil {
			return err
		}
		return media.StoreFile(ctx, tx, &f, nil)
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return f.ID.String()
}

// gone returns a deleted picture.
func (b bench) gone() string {
	b.t.Helper()
	id := b.picture(b.Shop.ID)
	b.OK("DELETE", "/v1/storages/files/"+id, b.Owner, nil)
	return id
}

// show compares one field, given by its path, after encoding both sides as JSON.
func show(t *testing.T, what string, in m, want any, path ...string) {
	t.Helper()
	var got any = in
	for _, name := range path {
		object, ok := got.(m)
		if !ok {
			t.Errorf("%s: no %v in %v", what, path, in)
			return
		}
		got = object[name]
	}
	if n, ok := want.(int); ok {
		want = float64(n)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v is %#v, want %#v", what, path, got, want)
	}
}

// names returns a field of every entry of a list.
func names(list any, field string) (out []string) {
	for _, entry := range list.(l) {
		out = append(out, fmt.Sprint(entry.(m)[field]))
	}
	return out
}

func (b bench) company() string { return b.Shop.ID.String() }

// session returns a function that makes calls with a person's session, in a contour.
func (b bench) session(person shop.UserID) func(method, path, contour string, body any) apitest.Answer {
	token := b.Session(person)
	return func(method, path, contour string, body any) apitest.Answer {
		b.t.Helper()
		return b.Send(
			apitest.Request{Method: method, Path: path, Key: token, Body: body, Header: map[string]string{"X-Service-Contour": contour}},
		)
	}
}

func request(method, path string, header map[string]string) apitest.Request {
	return apitest.Request{Method: method, Path: path, Header: header}
}
