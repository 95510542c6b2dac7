package admin_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// editedKind is a noun of the model: where its objects are, and a text of theirs that is edited.
type editedKind struct {
	path, field string
	inItem      bool
	fresh       object
}

var editedKinds = []editedKind{
	{"/products", "name", true, object{"name": "Tea"}},
	{"/categories", "name", true, object{"name": "Teas"}},
	{"/articles", "title", true, object{"title": "First flush"}},
	{"/galleries", "name", true, object{"name": "Harvest"}},
	{"/promotions", "name", true, object{"name": "Spring", "kind": "discount", "value": object{"percent": 15}}},
	{"/access-policies", "name", false, object{"name": "Trade", "kind": "password"}},
	{"/customers", "name", false, object{"name": "Bob", "email": "bob@people.test"}},
	{"/customer-groups", "name", false, object{"name": "Friends"}},
	{"/v1/storages/collections", "name", false, object{"name": "Spring"}},
}

// modelled is an object with what a GET must answer.
type modelled struct {
	editedKind
	id    string
	shop  shop.CompanyID
	value string
	at    string // updated_at
}

// window is a session of a person that works in one shop, with the version of each object that
// it read last.
type window struct {
	person  shop.UserID
	session string
	shop    shop.CompanyID
	read    map[*modelled]string
}

// model is two people who each have a window in each of two shops.
type model struct {
	*apitest.API
	windows []*window
	objects map[shop.CompanyID][]*modelled
	edits   int
}

func newModel(t *testing.T) *model {
	m := &model{API: apitest.New(t), objects: map[shop.CompanyID][]*modelled{}}
	join := func(company shop.CompanyID, person shop.UserID) {
		err := m.Store.Write(t.Context(), company, func(tx *store.Tx) error {
			return people.AddMember(t.Context(), tx, person, shop.Admin)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	join(m.Shop.ID, m.StrangerID)
	join(m.Other.ID, m.OwnerID)
	for _, person := range []shop.UserID{m.OwnerID, m.StrangerID} {
		for _, company := range []shop.CompanyID{m.Shop.ID, m.Other.ID} {
			m.windows = append(m.windows, &window{person, m.Session(person), company, map[*modelled]string{}})
		}
	}
	for _, w := range m.windows[:2] {
		rubric := ""
		for _, kind := range editedKinds {
			body := object{}
			for name, value := range kind.fresh {
				body[name] = value
			}
			if kind.path == "/articles" {
				got := m.call(w, "POST", "/categories", item(object{"name": "Journal", "type": "news"}))
				rubric = fmt.Sprint(got.JSON["result"].(object)["id"])
				body["category_id"] = rubric
			}
			if kind.inItem {
				body = item(body)
			}
			got := m.call(w, "POST", kind.path, body)
			if got.Status/100 != 2 {
				t.Fatalf("POST %s: %d %s", kind.path, got.Status, got.Body)
			}
			made := got.JSON["result"].(object)
			m.objects[w.shop] = append(m.objects[w.shop], &modelled{
				editedKind: kind, id: fmt.Sprint(made["id"]), shop: w.shop, value: fmt.Sprint(made[kind.field]), at: fmt.Sprint(made["updated_at"]),
			})
		}
	}
	return m
}

func (m *model) request(w *window, method, path string, body any) apitest.Request {
	return apitest.Request{Method: method, Path: path, Key: w.session, Body: body, Header: map[string]string{"X-Vitrine-Shop": fmt.Sprint(w.shop)}}
}

func (m *model) call(w *window, method, path string, body any) apitest.Answer {
	m.Clock.Advance(2 * time.Second) // within the limits of a session
	return m.Send(m.request(w, method, path, body))
}

// reads checks that an object is what the model says.
func (m *model) reads(t *rapid.T, w *window, o *modelled) {
	got := m.call(w, "GET", o.path+"/"+o.id, nil)
	now, _ := got.JSON["result"].(object)
	if got.Status != 200 || now[o.field] != o.value || now["updated_at"] != o.at {
		t.Fatalf("GET %s/%s in shop %d: %d %s, want %q of %s", o.path, o.id, w.shop, got.Status, got.Body, o.value, o.at)
	}
	w.read[o] = o.at
}

// try is an edit that a window is about to make.
type try struct {
	value string
	basis string // updated_at; empty: the last write wins
}

func (m *model) try(t *rapid.T, w *window, o *modelled) (try, apitest.Request) {
	m.edits++
	e := try{value: fmt.Sprint("Edit ", m.edits)}
	body, inner := object{}, object{o.field: e.value}
	if o.inItem {
		body["item"] = inner
	} else {
		body = inner
	}
	if rapid.IntRange(0, 3).Draw(t, "based") > 0 {
		if e.basis = w.read[o]; e.basis != "" {
			body["expected_updated_at"] = e.basis
		}
	}
	return e, m.request(w, "PUT", o.path+"/"+o.id, body)
}

// editsAtOnce makes edits of one object at once, and checks which of them may succeed.
func (m *model) editsAtOnce(t *rapid.T, o *modelled, windows ...*window) {
	m.Clock.Advance(2 * time.Second)
	tries, calls := make([]try, len(windows)), make([]apitest.Request, len(windows))
	for i, w := range windows {
		tries[i], calls[i] = m.try(t, w, o)
	}
	based, blind := 0, 0 // edits of the present version, and edits without one
	var done []try
	for i, got := range m.AtOnce(calls...) {
		e := tries[i]
		current := e.basis == o.at
		switch {
		case got.Status == 200 && e.basis == "":
			blind++
			done = append(done, e)
		case got.Status == 200 && current:
			based++
			done = append(done, e)
		case got.Status == 409 && apitest.Code(got.JSON) == "EDIT_CONFLICT" && e.basis != "" && (!current || len(windows) > 1):
		default:
			t.Fatalf("PUT %s/%s of %q, now %q: %d %s", o.path, o.id, e.basis, o.at, got.Status, got.Body)
		}
	}
	if based > 1 {
		t.Fatalf("%d edits of one version of %s/%s succeeded", based, o.path, o.id)
	}
	if len(done) == 0 {
		for _, e := range tries {
			if e.basis == o.at {
				t.Fatalf("no edit of the present version of %s/%s succeeded", o.path, o.id)
			}
		}
		return
	}
	got := m.call(windows[0], "GET", o.path+"/"+o.id, nil)
	now, _ := got.JSON["result"].(object)
	last := ""
	for _, e := range done {
		// An edit of a version does not overwrite one that it does not know, so it is last only alone.
		if now[o.field] == e.value && (e.basis == "" || blind == 0) {
			last = e.value
		}
	}
	if last == "" || now["updated_at"] == o.at {
		t.Fatalf("GET %s/%s after the edits %v: %d %s", o.path, o.id, done, got.Status, got.Body)
	}
	o.value, o.at = last, now["updated_at"].(string)
}

// Two people edit objects of two shops, each in a window per shop: an edit lands in the shop that
// its window names, and none is overwritten by one that does not know it, unless that one asks
// for no comparison. More checks: -rapid.checks=10000.
func TestNoEditIsLost(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	rapid.Check(t, func(t *rapid.T) {
		for _, w := range m.windows {
			w.session = m.Session(w.person) // by the clock of the model sessions end
		}
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			w := rapid.SampledFrom(m.windows).Draw(t, "window")
			o := rapid.SampledFrom(m.objects[w.shop]).Draw(t, "object")
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0, 1:
				m.reads(t, w, o)
			case 2, 3:
				m.editsAtOnce(t, o, w)
			case 4:
				other := m.windows[0]
				for _, one := range m.windows {
					if one != w && one.shop == w.shop {
						other = one
					}
				}
				m.editsAtOnce(t, o, w, other)
			}
		}
		for _, w := range m.windows[:2] {
			m.reads(t, w, rapid.SampledFrom(m.objects[w.shop]).Draw(t, "checked"))
		}
	})
	for _, w := range m.windows[:2] {
		for _, o := range m.objects[w.shop] {
			got := m.call(w, "GET", o.path+"/"+o.id, nil)
			if now, _ := got.JSON["result"].(object); now[o.field] != o.value {
				t.Errorf("%s/%s in shop %d: %v, want %q", o.path, o.id, w.shop, now[o.field], o.value)
			}
		}
	}
}
