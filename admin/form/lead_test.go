package form_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

func TestAFormIsReturnedAsItWasSaved(t *testing.T) {
	h := newFixture(t)
	item := m{"name": " Ask ", "submit_text": "Go", "success": m{"action": "page", "url": "/thanks"}, "fields": l{
		m{"name": "phone", "type": "phone", "label": "Call me", "help": "We call once", "placeholder": "+1", "rules": m{"min_length": 5, "max_length": 20}},
		m{"name": "age", "type": "number", "rules": m{"min": 18, "max": "99.5"}}, m{"name": "day", "type": "date", "rules": m{"min": "2026-01-01"}},
		m{"name": "cv", "type": "file", "rules": m{"max_size": 1000}}, m{"name": "agree", "type": "consent", "label": "I agree", "url": "/privacy", "required": true},
	}}
	made := h.Result("POST", "/forms", h.Owner, m{"item": item})
	public := h.Send(apitest.Request{Method: "GET", Path: fmt.Sprintf("/forms/%v/public", made["id"]), Header: h.ThroughStorefront()}).JSON["result"].(m)
	for what, got := range map[string]m{"made": made, "read": h.Result("GET", "/forms/"+made["id"].(string), h.Editor, nil), "public": public} {
		fields := got["fields"].(l)
		if got["name"] != "Ask" || got["submit_text"] != "Go" || fmt.Sprint(got["success"]) != "map[action:page text: url:/thanks]" ||
			apitest.Values(fields, "type") != "phone number date file consent" || fmt.Sprint(fields[0].(m)["rules"]) != "map[max_length:20 min_length:5]" ||
			fmt.Sprint(fields[1].(m)["rules"]) != "map[max:99.5 min:18]" || fields[4].(m)["url"] != "/privacy" {
			t.Errorf("%s: %v", what, got)
		}
	}
	h.OK("PUT", "/forms/"+made["id"].(string), h.Owner, m{"item": m{"name": "Ask"}})
	if got := h.Result("GET", "/forms/"+made["id"].(string), h.Owner, nil); len(got["fields"].(l)) != 0 || fmt.Sprint(got["success"]) != "map[action:text text: url:]" {
		t.Errorf("replaced: %v", got)
	}
}

// A lead stores the consent texts as they were when the visitor agreed to them.
func TestMembersListAndChangeLeads(t *testing.T) {
	h := newFixture(t, field("email", "email", true), m{"name": "agree", "type": "consent", "label": "I agree to all", "url": "/privacy"}, field("words", "textarea", false))
	h.Clock.Advance(time.Hour)
	first := h.send("203.0.113.1", m{"email": "Ann@Example.com", "agree": "on", "words": "=1+1"}, m{"page_url": "/a", "utm": m{"source": "mail"}})
	h.OK("PUT", "/forms/"+h.form, h.Owner, m{"item": m{"name": "Later", "fields": l{field("email", "email", true), field("words", "textarea", false)}}})
	second := h.send("203.0.113.1", m{"email": "bob@example.com", "agree": "yes"}, nil)
	lead := h.lead(first)
	at := h.Clock.Now().UTC().Format(time.RFC3339)
	if got, want := fmt.Sprintln(lead["consents"], lead["created_at"], lead["status"], lead["note"], lead["test"], lead["form_name"], lead["files"]),
		"[map[at:"+at+" field:agree text:I agree to all url:/privacy]] "+at+" new  false Later []\n"; got != want {
		t.Errorf("the lead is %s, want %s", got, want)
	}
	if l := h.lead(second); fmt.Sprint(l["consents"], " ", l["values"]) != "[] map[email:bob@example.com]" {
		t.Errorf("a deleted field: %v", l)
	}
	path := "/form-leads/" + lead["id"].(string)
	changed := h.Result("PUT", path, h.Scoped("leads:write"), m{"status": "done", "note": "called"})
	if changed["status"] != "done" || changed["note"] != "called" {
		t.Errorf("changed: %v", changed)
	}
	if kept := h.Result("PUT", path, h.Owner, m{}); kept["status"] != "done" || kept["note"] != "called" {
		t.Errorf("fields that are not sent changed: %v", kept)
	}
	list := func(query string) m { return h.Result("GET", "/form-leads"+query, h.Scoped("leads:read"), nil) }
	if got := list("?filter.status=done"); got["total"] != 1.0 || got["currentPage"] != 1.0 || apitest.Values(got["items"], "id") != lead["id"] {
		t.Errorf("done: %v", got)
	}
	h.OK("PUT", path, h.Owner, m{"status": "spam"})
	if got := list("?filter.status=not_spam"); got["total"] != 1.0 || apitest.Values(got["items"], "id") != h.lead(second)["id"] {
		t.Errorf("all but spam: %v", got)
	}
	if got := string(h.Send(apitest.Request{Method: "GET", Path: "/form-leads/export?filter.status=not_spam", Key: h.Owner}).Body); strings.Count(got, "\n") != 2 || !strings.Contains(got, "bob@") {
		t.Errorf("all but spam, exported: %s", got)
	}
	if got := list("?page.number=2&page.limit=1"); got["total"] != 2.0 || apitest.Values(got["items"], "id") != lead["id"] {
		t.Errorf("the second page: %v", got)
	}
	if got := list("?filter.form_id=999"); got["total"] != 0.0 {
		t.Errorf("another form: %v", got)
	}
	if got := h.letters(); got != 2 {
		t.Errorf("%d letters", got)
	}
	for _, c := range []struct {
		method, path string
		body         any
	}{{"GET", "/form-leads?filter.status=x", nil}, {"PUT", path, m{"status": "x"}}, {"PUT", path, m{"note": strings.Repeat("x", 5001)}}, {"GET", "/form-leads/export?filter.status=x", nil}} {
		h.Refused(c.method, c.path, h.Owner, c.body, 400, "LEAD_STATUS_INVALID")
	}
	// Only callers with the permission to read leads see any, with a session or a key.
	for _, c := range []struct{ method, path string }{{"GET", "/form-leads"}, {"GET", path}, {"PUT", path}, {"DELETE", path}, {"GET", "/form-leads/export"}} {
		h.Refused(c.method, c.path, h.Scoped("forms:read", "forms:write"), nil, 403, "PAT_SCOPE_MISSING")
		if got := h.Send(apitest.Request{Method: c.method, Path: c.path, Key: h.Session(h.EditorID)}); got.Status != 403 {
			t.Errorf("%s %s: an editor's session gets %d", c.method, c.path, got.Status)
		}
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		h.Refused(method, path, h.Stranger, m{}, 404, "LEAD_NOT_FOUND")
	}
	h.OK("DELETE", path, h.Owner, nil)
	h.Refused("GET", path, h.Owner, nil, 404, "LEAD_NOT_FOUND")
	if got := list(""); got["total"] != 1.0 {
		t.Errorf("after a delete: %v", got)
	}
}

func TestLeadsAreExported(t *testing.T) {
	h := newFixture(t, field("name", "text", false), field("words", "textarea", false))
	h.send("203.0.113.1", m{"name": "=HYPERLINK(1)", "words": "a,\"b\"\nc"}, m{"utm": m{"source": "@x"}, "page_url": "/p"})
	h.send("203.0.113.1", m{"name": "-1"}, nil)
	read := func(query string) [][]string {
		got := h.Send(apitest.Request{Method: "GET", Path: "/form-leads/export" + query, Key: h.Owner})
		rows, err := csv.NewReader(strings.NewReader(string(got.Body))).ReadAll()
		if err != nil || got.Status != 200 || !strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment") {
			t.Fatalf("%d %v %s", got.Status, err, got.Body)
		}
		return rows
	}
	rows := read("?filter.form_id=" + h.form)
	if len(rows) != 3 || fmt.Sprint(rows[0]) != "[id created_at form_id form status test note page_url utm name words values]" ||
		rows[1][9] != "'=HYPERLINK(1)" || rows[1][10] != "a,\"b\"\nc" || rows[1][8] != "source: @x" || rows[2][9] != "'-1" {
		t.Errorf("%q", rows)
	}
	if rows = read(""); len(rows) != 3 || rows[1][9] != "name: =HYPERLINK(1)\nwords: a,\"b\"\nc" {
		t.Errorf("of all forms: %q", rows)
	}
	h.Refused("GET", "/form-leads/export?filter.form_id=999", h.Owner, nil, 404, "FORM_NOT_FOUND")
	h.OK("DELETE", "/forms/"+h.form, h.Owner, nil) // its leads are kept
	if rows = read("?filter.form_id=" + h.form); len(rows) != 3 || rows[2][9] != "'-1" {
		t.Errorf("of a deleted form: %q", rows)
	}
	h.Refused("GET", "/form-leads/export?filter.form_id="+h.form, h.Stranger, nil, 404, "FORM_NOT_FOUND")
}

// A test lead is marked as one, causes no letter and counts against no limit.
func TestATestLeadCausesNoLetter(t *testing.T) {
	h := newFixture(t, field("name", "text", true), field("size", "radio", true, "S", "L"), m{"name": "cv", "type": "file", "required": true}, field("email", "email", false))
	got := h.Result("POST", "/forms/"+h.form+"/test", h.Scoped("forms:write"), m{})
	lead := h.Result("GET", "/form-leads/"+got["id"].(string), h.Owner, nil)
	if lead["test"] != true || fmt.Sprint(lead["values"]) != "map[email:test@example.com name:Test size:S]" || lead["status"] != "new" {
		t.Errorf("%v", lead)
	}
	if told := h.reported(); told != got["id"].(string)+" test" || h.letters() != 0 {
		t.Errorf("reported %s, %d letters", told, h.letters())
	}
	h.Refused("POST", "/forms/"+h.form+"/test", h.Owner, m{"values": m{"name": "x", "size": "XL"}}, 400, "FORM_VALUE_INVALID")
	h.Refused("POST", "/forms/999/test", h.Owner, m{}, 404, "FORM_NOT_FOUND")
	h.Refused("POST", "/forms/"+h.form+"/test", h.Scoped("leads:write"), m{}, 403, "PAT_SCOPE_MISSING")
}
