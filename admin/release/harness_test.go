package release_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime/multipart"
	"testing"

	"vitrine/admin/api/apitest"
)

type (
	m = apitest.Map
	l = []any
)

// files is a folder to publish: content by path.
type files map[string]string

const page = `<!doctype html><html><head><title>Hello</title><meta name="description" content="A page"></head><body style="margin:0;font:1em serif">%s</body></html>`

// html returns a valid document with the given body.
func html(body string) string { return fmt.Sprintf(page, body) }

func sum(content string) string {
	h := sha256.Sum256([]byte(content))
	return hex.EncodeToString(h[:])
}

// manifest returns the file list of a request.
func (f files) manifest() l {
	list := l{}
	for path, content := range f {
		list = append(list, m{"path": path, "sha256": sum(content), "size": len(content)})
	}
	return list
}

func newDocument(a *apitest.API) string {
	return a.Result("POST", "/html-documents", a.Owner, m{"item": m{"name": "Landing", "level": 3}})["id"].(string)
}

// announce creates a release and returns its id and the upload URLs.
func announce(a *apitest.API, doc, base string, f files) (id string, upload map[string]string) {
	answer := a.OK("POST", "/html-documents/"+doc+"/releases", a.Owner, m{"base": base, "files": f.manifest()})
	upload = map[string]string{}
	for _, u := range answer["upload"].(l) {
		upload[u.(m)["path"].(string)] = u.(m)["upload_url"].(string)
	}
	return answer["release_id"].(string), upload
}

// send creates a release without a base and uploads all missing files.
func send(a *apitest.API, doc string, f files) string {
	id, upload := announce(a, doc, "none", f)
	for path, url := range upload {
		a.OK("PUT", url, "", f[path])
	}
	return id
}

// path returns the path of a release.
func path(doc, release string) string { return "/html-documents/" + doc + "/releases/" + release }

func publish(a *apitest.API, doc string, f files) (release string) {
	release = send(a, doc, f)
	a.OK("POST", path(doc, release)+"/publish", a.Owner, nil)
	return release
}

// active returns the id of the live release.
func active(a *apitest.API, doc string) string {
	return a.Result("GET", "/html-documents/"+doc, a.Owner, nil)["active_release_id"].(string)
}

// packed returns a ZIP of files, in random order.
func packed(t testing.TB, f files) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for path, content := range f {
		entry, err := w.Create(path)
		if err == nil {
			_, err = entry.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// zipped sends a ZIP as a raw body.
func zipped(a *apitest.API, doc, query string, body []byte) apitest.Answer {
	return a.Send(apitest.Request{
		Method: "POST", Path: "/html-documents/" + doc + "/releases/zip" + query, Key: a.Owner, Body: body,
		Header: map[string]string{"Content-Type": "application/zip"},
	})
}

// form returns a multipart body with the file in the named part.
func form(t testing.TB, name string, content []byte) (body []byte, contentType string) {
	t.Helper()
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	if err := w.WriteField("note", "beside it"); err != nil {
		t.Fatal(err)
	}
	part, err := w.CreateFormFile(name, "site.zip")
	if err == nil {
		_, err = part.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes(), w.FormDataContentType()
}
