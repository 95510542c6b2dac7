package docs_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/media"
	"vitrine/internal/outbound"
)

const page = "<!doctype html><html><head><title>Spring</title></head><body><h1>Spring</h1></body></html>"

func archive(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, err := w.Create("index.html")
	if err == nil {
		_, err = f.Write([]byte(page + "\n"))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// anyPicture accepts all uploads and all fetched files as pictures.
func anyPicture(c *admin.Config) {
	picture := media.Picture{Format: "png", Width: 4, Height: 3}
	c.Media = media.Images{
		Inspect: func([]byte) (media.Picture, error) { return picture, nil },
		Master: func(_ context.Context, file []byte) ([]byte, media.Picture, error) {
			return append([]byte("RIFF"), file...), picture, nil
		},
		Photo: func(_ context.Context, file []byte) ([]byte, media.Picture, error) {
			return append([]byte("RIFF"), file...), picture, nil
		},
	}
	c.Fetch = func(context.Context, outbound.Request) (*outbound.Answer, error) {
		return &outbound.Answer{Status: 200, Size: -1, Body: io.NopCloser(strings.NewReader("\x89PNG"))}, nil
	}
}

// publish serves a document of a guide, such as the profile of an assistant.
func publish(t *testing.T, document string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, document) //nolint:errcheck // the reader sees it
	}))
	t.Cleanup(s.Close)
	return s.URL + "/profile"
}

// Every example of every guide is executed on the real API, in order from the start of its guide.
func TestEveryExampleWorks(t *testing.T) {
	t.Parallel()
	a := apitest.New(t, anyPicture)
	h := over(t, a.Admin.Table())
	a.OK("POST", "/v1/shop/delivery-options", a.Session(a.OwnerID), apitest.Map{"name": "Courier", "price": 6, "needs_address": true}) // as the demo shop
	ran := 0
	for _, g := range h.guides() {
		t.Run(strings.TrimPrefix(g.Path, "/docs/"), func(t *testing.T) {
			s := &shell{
				t: t, api: a, docs: h, vars: map[string]string{"AUTH": "Authorization: Bearer " + a.Owner, "DRAFT": "Authorization: Bearer " + a.Dev, "OWNER": "Authorization: Bearer " + a.Session(a.OwnerID)},
				files: map[string]string{"sencha.png": "\x89PNG\r\n\x1a\n", "hero.jpg": "\x89PNG\r\n\x1a\n1", "hands.jpg": "\x89PNG\r\n\x1a\n2", "table.jpg": "\x89PNG\r\n\x1a\n3", "index.html": page, "site.zip": archive(t)},
			}
			for _, block := range blocks(h.get(g.Path).body) {
				if profile, ok := strings.CutPrefix(strings.TrimSpace(block), "```json\n"); ok {
					s.vars["PROFILE"] = publish(t, strings.TrimSuffix(profile, "```"))
				}
				if script, ok := strings.CutPrefix(strings.TrimSpace(block), "```sh\n"); ok {
					s.run(strings.TrimSuffix(script, "```"))
					ran++
				}
			}
		})
	}
	if ran < 20 {
		t.Errorf("only %d examples were found", ran)
	}
}
