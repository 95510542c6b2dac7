package form_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/admin/upkeep"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
	"vitrine/internal/store/privacy"
	"vitrine/internal/store/storetest"
)

const pdf = "%PDF-1.7\n"

// upload sends a file for the field cv from a client address.
func (h fixture) upload(from, name, body string) apitest.Answer {
	h.t.Helper()
	header := h.ThroughStorefront()
	header["X-Forwarded-For"], header["Content-Type"] = from, "application/octet-stream"
	query := url.Values{"form_id": {h.form}, "field": {"cv"}, "name": {name}}
	return h.Send(apitest.Request{Method: "POST", Path: "/form-files?" + query.Encode(), Body: body, Header: header})
}

func (h fixture) id(sent apitest.Answer) string {
	h.t.Helper()
	if sent.Status != 200 {
		h.t.Fatalf("not accepted: %d %s", sent.Status, sent.Body)
	}
	return sent.JSON["result"].(m)["id"].(string)
}

// used returns how many bytes are counted for the shop, and how many of them are pending.
func (h fixture) used() (used, pending int64) {
	h.t.Helper()
	used, _, err := media.Storage(h.t.Context(), h.Store.Shop(h.Shop.ID))
	if err == nil {
		pending, err = media.Pending(h.t.Context(), h.Store.Shop(h.Shop.ID))
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return used, pending
}

func (h fixture) round() {
	h.t.Helper()
	if err := upkeep.New(h.Store, h.Blobs, h.Config().Log, h.Clock.Now).Round(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

func fileForm(t *testing.T) fixture {
	return newFixture(t, field("name", "text", false), m{"name": "cv", "type": "file", "required": true, "rules": m{"max_size": 100_000}})
}

func TestAFileIsDeletedWithItsLead(t *testing.T) {
	h := fileForm(t)
	body := pdf + strings.Repeat("x", 50_000)
	id := h.id(h.upload("203.0.113.1", `C:\me\"c v".pdf.exe`, body))
	if used, pending := h.used(); used != int64(len(body)) || pending != 0 {
		t.Errorf("%d bytes are counted, %d pending", used, pending)
	}
	h.Refused("GET", "/form-leads/1/files/"+id, h.Owner, nil, 404, "FORM_FILE_NOT_FOUND") // it has no lead yet
	if got := h.send("203.0.113.1", m{"name": "x"}, nil); got.Status != 400 || got.JSON["field"] != "cv" || got.JSON["rule"] != "required" {
		t.Errorf("without the file: %s", got.Body)
	}
	sent := h.send("203.0.113.2", m{"cv": id}, nil)
	lead := h.lead(sent)
	files := lead["files"].(l)
	if len(files) != 1 || fmt.Sprint(lead["values"]) != "map[cv:_c v_.pdf.exe.pdf]" {
		t.Fatalf("%v", lead)
	}
	f := files[0].(m)
	if f["name"] != "_c v_.pdf.exe.pdf" || f["type"] != "application/pdf" || f["size"] != float64(len(body)) && f["size"] != fmt.Sprint(len(body)) || f["field"] != "cv" {
		t.Errorf("%v", f)
	}
	got := h.Send(apitest.Request{Method: "GET", Path: f["url"].(string), Key: h.Scoped("leads:read")})
	if got.Status != 200 || string(got.Body) != body || got.Header.Get("Content-Type") != "application/octet-stream" || got.Header.Get("X-Content-Type-Options") != "nosniff" ||
		got.Header.Get("Content-Disposition") != `attachment; filename="_c v_.pdf.exe.pdf"; filename*=UTF-8''_c%20v_.pdf.exe.pdf` {
		t.Errorf("%d %v %d bytes", got.Status, got.Header, len(got.Body))
	}
	for _, key := range []string{"", h.Stranger, h.Editor, h.Scoped("storage:read", "forms:read"), h.Session(h.EditorID)} {
		if got := h.Send(apitest.Request{Method: "GET", Path: f["url"].(string), Key: key}); got.Status < 400 || bytes.Contains(got.Body, []byte("PDF")) {
			t.Errorf("%.10s reads the file: %d", key, got.Status)
		}
	}
	// The file does not appear in the library, and no other lead can use it.
	h.Refused("GET", "/v1/storages/files/"+id, h.Owner, nil, 404, "FILE_NOT_FOUND")
	if got := h.send("203.0.113.1", m{"cv": id}, nil); got.Status != 400 || got.JSON["field"] != "cv" {
		t.Errorf("used by two leads: %s", got.Body)
	}
	h.Clock.Advance(time.Hour + time.Minute)
	h.round()
	if used, _ := h.used(); used != int64(len(body)) {
		t.Error("the file of a lead was swept")
	}
	h.OK("DELETE", "/form-leads/"+lead["id"].(string), h.Owner, nil)
	if used, pending := h.used(); used != 0 || pending != 0 {
		t.Errorf("%d bytes are counted after the lead was deleted, %d pending", used, pending)
	}
}

func TestUnacceptableFilesAreRefused(t *testing.T) {
	h := fileForm(t)
	for name, c := range map[string]struct{ body, rule string }{
		"a.png": {"<!doctype html><script>alert(1)</script>", "type"}, "b.png": {`<svg xmlns="http://www.w3.org/2000/svg"/>`, "type"}, "c.pdf": {"MZ\x90\x00\x03\x00", "type"},
		"d.txt": {"#!/bin/sh\nrm -rf /", "type"}, "e.pdf": {"", "type"}, "f.pdf": {pdf + strings.Repeat("x", 100_000), "max_size"},
	} {
		got := h.upload("203.0.113.1", name, c.body)
		if got.Status != 400 || apitest.Code(got.JSON) != "FORM_VALUE_INVALID" || got.JSON["field"] != "cv" || got.JSON["rule"] != c.rule {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	if used, pending := h.used(); used != 0 || pending != 0 {
		t.Errorf("%d bytes are counted, %d pending", used, pending)
	}
	header := h.ThroughStorefront()
	for _, query := range []string{"?form_id=" + h.form + "&field=name", "?form_id=" + h.form, "?form_id=" + h.form + "&field=x"} {
		if got := h.Send(apitest.Request{Method: "POST", Path: "/form-files" + query, Body: pdf, Header: header}); got.Status != 400 {
			t.Errorf("%s: %d %s", query, got.Status, got.Body)
		}
	}
	if got := h.Send(apitest.Request{Method: "POST", Path: "/form-files?form_id=999&field=cv", Body: pdf, Header: header}); got.Status != 404 {
		t.Errorf("unknown form: %d", got.Status)
	}
	// A sandboxed page may send JSON only.
	if got := sandboxed(h.API, "POST", "/form-files?form_id="+h.form+"&field=cv", pdf, nil); got.Status != 403 {
		t.Errorf("a sandboxed page: %d", got.Status)
	}
	// A browser form sends multipart data.
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, err := w.CreateFormFile("file", "x.pdf")
	if err == nil {
		_, err = part.Write([]byte(pdf))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	header["Content-Type"] = w.FormDataContentType()
	if got := h.Send(apitest.Request{Method: "POST", Path: "/form-files?form_id=" + h.form + "&field=cv&name=x.pdf", Body: &body, Header: header}); got.Status != 200 {
		t.Errorf("multipart: %d %s", got.Status, got.Body)
	}
}

// A file that no lead uses is removed after an hour, or earlier if more files arrive. Uploads are
// limited per address, and all of them together never use more than half of the shop's plan.
func TestUploadsCannotFillTheStorageOfAShop(t *testing.T) {
	h := fileForm(t)
	h.Clock.Advance(time.Minute)
	for n := range 31 {
		got := h.upload("203.0.113.1", "a.pdf", fmt.Sprint(pdf, n))
		if n < 30 && got.Status != 200 || n == 30 && got.Status != 429 {
			t.Fatalf("file %d: %d %s", n+1, got.Status, got.Body)
		}
	}
	first := h.id(h.upload("198.51.100.1", "first.pdf", pdf+"first"))
	for n := range 200 {
		h.Clock.Advance(time.Second)
		h.id(h.upload(fmt.Sprintf("198.51.101.%d", n), "a.pdf", fmt.Sprint(pdf, "flood", n)))
	}
	if got := h.send("198.51.100.1", m{"cv": first}, nil); got.Status != 400 {
		t.Errorf("the oldest file is still in quarantine: %d", got.Status)
	}
	mine := h.id(h.upload("198.51.100.2", "mine.pdf", pdf+"mine"))
	if got := h.status(h.send("198.51.100.2", m{"cv": mine}, nil)); got != "new" {
		t.Errorf("during the flood: %s", got)
	}
	h.Clock.Advance(time.Hour + time.Minute)
	h.round()
	if used, pending := h.used(); used != int64(len(pdf)+4) || pending != 0 {
		t.Errorf("%d bytes are counted after an hour, %d pending", used, pending)
	}
	h.limit(100_000)
	large := pdf + strings.Repeat("y", 45_000)
	h.id(h.upload("198.51.100.3", "a.pdf", large))
	if got := h.upload("198.51.100.3", "b.pdf", large+"z"); got.Status != 429 || apitest.Code(got.JSON) != "STORAGE_LIMIT_REACHED" {
		t.Errorf("more than half of the plan: %d %s", got.Status, got.Body)
	}
	if used, pending := h.used(); used != int64(len(pdf)+4+len(large)) || pending != 0 {
		t.Errorf("%d bytes are counted, %d pending", used, pending)
	}
}

// Erasing an address removes it from leads, letters, events and files.
func TestErasingAnAddressRemovesItsLeads(t *testing.T) {
	h := newFixture(t, field("email", "email", false), field("words", "textarea", false), m{"name": "cv", "type": "file"})
	h.Clock.Advance(time.Minute)
	id := h.id(h.upload("203.0.113.1", "canary-name.pdf", pdf+"canary"))
	h.send("203.0.113.1", m{"email": "Canary@Example.com", "words": "canary-words", "cv": id}, m{"page_url": "/canary-page", "utm": m{"source": "canary-utm"}})
	h.send("203.0.113.1", m{"words": "write to canary@example.com, please"}, nil)
	stays := h.lead(h.send("203.0.113.1", m{"email": "bob@example.com", "words": "stays"}, nil))
	err := h.Store.Write(context.Background(), h.Shop.ID, func(tx *store.Tx) error { return privacy.EraseLeads(t.Context(), tx, " canary@example.com ") })
	if err != nil {
		t.Fatal(err)
	}
	list := h.Result("GET", "/form-leads", h.Owner, nil)
	if list["total"] != 1.0 || apitest.Values(list["items"], "id") != stays["id"] || h.letters() != 1 {
		t.Errorf("%v, %d letters", list, h.letters())
	}
	events := storetest.Events(t, h.Store.Pool, int(h.Shop.ID))
	if len(events) == 0 {
		t.Fatal(events)
	}
	for _, e := range events {
		if strings.Contains(strings.ToLower(string(e.Body)), "canary") {
			t.Errorf("the event journal contains %s", e.Body)
		}
	}
	if used, pending := h.used(); used != 0 || pending != 0 {
		t.Errorf("%d bytes are left", used+pending)
	}
}

// Deleting an account with a verified address removes its leads from every shop; before that, the
// data export contains them.
func TestDeletingAnAccountRemovesItsLeads(t *testing.T) {
	h := newFixture(t, field("email", "email", false))
	h.send("203.0.113.1", m{"email": "Ann@people.test"}, nil)
	for _, proven := range []bool{false, true} {
		ann := h.Buyer("ann@people.test")
		if proven {
			h.OK("POST", "/v1/auth/code", "", m{"email": "ann@people.test"})
			h.OK("POST", "/v1/auth/code/confirm", "", m{"email": "ann@people.test", "code": h.Code("ann@people.test")})
		}
		all, err := privacy.ExportPerson(t.Context(), h.Store, ann, 0)
		if err != nil || strings.Contains(string(all), "Ann@people.test") != proven {
			t.Errorf("verified %t: the export contains %s %v", proven, all, err)
		}
		if err := privacy.RemovePerson(t.Context(), h.Store, ann); err != nil {
			t.Fatal(err)
		}
		want := 1.0
		if proven {
			want = 0
		}
		if got := h.Result("GET", "/form-leads", h.Owner, nil)["total"]; got != want {
			t.Errorf("verified %t: %v leads are left", proven, got)
		}
	}
}
