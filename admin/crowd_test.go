package admin_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// twins are one API with an empty database and one whose database has 1,000 other shops. Both
// must answer every call the same, with the same number of statements.
type twins struct {
	t            *testing.T
	alone, among *apitest.API
	calls, sent  int
	seen         []storetest.Statement // statements of the database with 1,000 shops
}

func newTwins(t *testing.T) (w *twins, database string) {
	t.Helper()
	database = storetest.ManyShops(t, store.Migrate)
	w = &twins{t: t, alone: apitest.New(t), among: apitest.On(t, database)}
	w.take()
	return w, database
}

// keys are the callers: people of both shops, and an anonymous caller.
var keys = map[string]func(a *apitest.API) string{
	"owner": func(a *apitest.API) string { return a.Owner }, "draft": func(a *apitest.API) string { return a.Dev },
	"stranger": func(a *apitest.API) string { return a.Stranger }, "anonymous": func(*apitest.API) string { return "" },
}

// changing matches the parts of responses that differ between two runs of one test.
var changing = regexp.MustCompile(
	`\d{4}-\d\d-\d\dT[0-9:.]+(Z|\+00:00)|"request_id":"[0-9a-f]+"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|` +
		`/uploads/[^"]+|/preview/[^"]+|"key":"[^"]+"|"views":"\d+"|"etag":"[^"]+"|"token":"[^"]+"`,
)

// perCall matches the parts of responses that differ between two calls of one endpoint: the token
// of a form contains its time of creation.
var perCall = regexp.MustCompile(`"token":"[^"]+","until":"[^"]+"`)

// send makes a call in both databases and returns the common response.
func (w *twins) send(who string, r apitest.Request) apitest.Answer {
	w.t.Helper()
	var answers [2]apitest.Answer
	var sent [2][]storetest.Statement
	for i, a := range []*apitest.API{w.alone, w.among} {
		a.Clock.Advance(time.Minute) // the next window of the rate limits
		r.Key = keys[who](a)
		answers[i] = a.Send(r)
		sent[i] = ofCalls(a.Sent.Take())
	}
	w.calls++
	w.sent += len(sent[1])
	w.seen = append(w.seen, sent[1]...)
	name := who + " " + r.Method + " " + r.Path
	if !identical(answers[0], answers[1]) {
		if a, b := asUnknown(r.Path, neutral(answers[0])), asUnknown(r.Path, neutral(answers[1])); a != b {
			w.t.Errorf("%s answers\n%.500s\nalone, and among others\n%.500s", name, a, b)
		}
	}
	if len(sent[0]) != len(sent[1]) {
		w.t.Errorf(
			"%s sends %d statements alone and %d among others:\n%s\n\n%s", name, len(sent[0]), len(sent[1]), texts(sent[0]),
			texts(sent[1]),
		)
	}
	for owner, mark := range map[string]string{"": storetest.Mark, "stranger": "Leaf", "owner": "Rival leaf", "draft": "Rival leaf"} {
		if (owner == "" || owner == who) && strings.Contains(string(answers[1].Body), mark) {
			w.t.Errorf("%s shows another shop: %.600s", name, answers[1].Body)
		}
	}
	return answers[1]
}

// ofCalls leaves out the statements that store views, which are batched in the background.
func ofCalls(sent []storetest.Statement) []storetest.Statement {
	return slices.DeleteFunc(sent, func(s storetest.Statement) bool {
		return strings.Contains(s.SQL, "SET views =") || strings.Contains(s.SQL, "set_config('vitrine.writes', $1") // its transaction's beginning
	})
}

// identical reports whether two answers are equal with nothing replaced. Those of the large
// documents always are, and replacing the changing parts in them takes most of the time.
func identical(a, b apitest.Answer) bool {
	return a.Status == b.Status && bytes.Equal(a.Body, b.Body) &&
		a.Header.Get("Content-Type") == b.Header.Get("Content-Type") && a.Header.Get("Location") == b.Header.Get("Location")
}

func neutral(a apitest.Answer) string {
	return fmt.Sprint(
		a.Status, " ", a.Header.Get("Content-Type"), " ", a.Header.Get("Location"), "\n",
		changing.ReplaceAllString(string(a.Body), "…"),
	)
}

// asUnknown turns the response about another person's order into the response about an unknown one:
// document 2, 4.3 distinguishes them.
func asUnknown(path, answer string) string {
	if strings.HasPrefix(path, "/orders/") && strings.Contains(answer, "desc = DENIED") {
		answer = strings.Replace(answer, `"code":"DENIED"`, `"code":"ORDER_NOT_FOUND"`, 1)
		return notFound.ReplaceAllString(answer, "404${1}NotFound desc = ORDER_NOT_FOUND")
	}
	return answer
}

var notFound = regexp.MustCompile(`(?s)403(.*)PermissionDenied desc = DENIED`)

func texts(statements []storetest.Statement) string {
	var lines []string
	for _, s := range statements {
		lines = append(lines, strings.Join(strings.Fields(s.SQL), " "))
	}
	return strings.Join(lines, "\n")
}

// make creates something in both databases.
func (w *twins) make(who, path string, fields apitest.Map) {
	w.t.Helper()
	if a := w.send(who, apitest.Request{Method: "POST", Path: path, Body: apitest.Map{"item": fields}}); a.Status >= 300 {
		w.t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
}

type list = []any

// createThings gives both shops one thing of every kind; ids are the same in both databases and
// start at 1.
func (w *twins) createThings(who, name string) {
	for i, kind := range []string{"product", "news", "page"} {
		w.make(who, "/categories", apitest.Map{"name": name + " " + kind, "type": kind, "is_published": true, "is_home": i == 2})
	}
	section, rubric := 1, 2
	if who == "stranger" {
		section, rubric = 4, 5
	}
	w.make(
		who, "/attributes",
		apitest.Map{"name": name + " colour", "options": list{apitest.Map{"value": "red"}, apitest.Map{"value": "blue"}}},
	)
	attribute := (section + 2) / 3 // one per shop
	for i := range 3 {
		w.make(
			who, "/products",
			apitest.Map{"name": fmt.Sprint(name, " ", i), "sku": fmt.Sprint("S", i), "is_published": i < 2, "category_id": section,
				"price": apitest.Map{"price": 10 + i}, "attributes": list{apitest.Map{"attribute_id": attribute, "values": list{"red"}}}},
		)
		w.make(who, "/articles", apitest.Map{"title": fmt.Sprint(name, " news ", i), "category_id": rubric, "is_published": i < 2})
		w.make(who, "/product-groups", apitest.Map{"name": fmt.Sprint(name, " group ", i)})
	}
	w.make(who, "/content-blocks", apitest.Map{"name": name + " block"})
	w.make(who, "/html-documents", apitest.Map{"name": name + " document", "level": 3})
	w.send(
		who,
		apitest.Request{
			Method: "POST", Path: "/site-files",
			Body: apitest.Map{"name": "feed.csv", "body": "{{range products}}{{.Name}},{{end}}", "is_published": true},
		},
	)
	w.send(who, apitest.Request{Method: "POST", Path: "/access-policies", Body: apitest.Map{
		"name": name + " policy", "kind": "password", "resources": list{apitest.Map{"type": "product", "id": section + 2}}}})
	w.make(who, "/storefront-redirects", apitest.Map{"from_path": "/old", "to_target": "/", "enabled": true})
}

func (w *twins) take() {
	w.alone.Sent.Take()
	w.among.Sent.Take()
}

// values are the ids in paths: things of the first shop, of the second, of the other shops, and
// unknown ones.
var values = []string{"1", "2", "4", fmt.Sprint(storetest.ForeignID), "leaf-0", "rival-leaf-0", "crowd-product-99"}

// reads calls every reading endpoint with all ids, as each caller.
func (w *twins) reads() {
	for _, e := range w.among.Admin.Table() {
		if e.Method != "GET" || e.Auth == api.SessionOnly {
			continue
		}
		for who := range keys {
			for _, value := range values {
				path := strings.ReplaceAll(e.Path, "{type}", "category")
				path = segment.ReplaceAllString(path, value) + "?slug=" + value + "&entity_type=product&path=/leaf&url=/old"
				if who == "anonymous" {
					path += "&company_id=1&filter.company_id=1"
				}
				w.send(who, apitest.Request{Method: "GET", Path: path})
				if !strings.Contains(e.Path, "{") {
					break
				}
			}
		}
	}
}

// bodies are writes that succeed in the first shop; endpoints without one are called with an
// empty item.
var bodies = map[string]apitest.Request{
	"POST /products":                       {Body: `{"item":{"name":"New","sku":"new"}}`},
	"PUT /products/{id}":                   {Body: `{"item":{"name":"New 1","seo":{"slug":"leaf-one"},"categories":[1]}}`},
	"POST /products/batch":                 {Body: `{"items":[{"name":"New"},{"name":"New","sku":"S0"},{"name":"New","category_id":99}]}`},
	"PATCH /products/batch":                {Body: `{"ids":[1,2,99,2000000001],"item":{"description":"leaves"}}`},
	"POST /products/import":                {Body: `{"text":"sku,name\nS0,New\ncrowd1,New leaf\n"}`},
	"PUT /products/{id}/variants":          {Body: `{"items":[{"sku":"V1"},{"sku":"crowd-4-0"}]}`},
	"PUT /products/{id}/ad-participation":  {Body: `{"mode":"exclude"}`},
	"POST /categories":                     {Body: `{"item":{"name":"New section","parent_id":1}}`},
	"PUT /categories/{id}":                 {Body: `{"item":{"name":"New section one","seo":{"slug":"leaf-section-one"}}}`},
	"POST /categories/move":                {Body: `{"from_id":3,"to_id":1,"type":"inside"}`},
	"POST /articles":                       {Body: `{"item":{"title":"New news","category_id":2}}`},
	"PUT /articles/{id}":                   {Body: `{"item":{"title":"New news 1","slug":"crowd-article-1"}}`},
	"POST /attributes":                     {Body: `{"item":{"name":"crowd attribute 1"}}`},
	"PUT /attributes/{id}":                 {Body: `{"item":{"name":"New colours"}}`},
	"POST /product-groups":                 {Body: `{"item":{"name":"New group","products":[1,2]}}`},
	"POST /content-blocks":                 {Body: `{"item":{"name":"New words"}}`},
	"PUT /categories/{id}/content-blocks":  {Body: `{"items":[{"block_id":1,"sort_order":0}]}`},
	"PUT /articles/{id}/content-blocks":    {Body: `{"items":[{"block_id":1,"sort_order":0}]}`},
	"PUT /design/bindings/{type}/{id}":     {Body: `{"slots":{}}`},
	"POST /access-policies":                {Body: `{"name":"New policy","kind":"password","resources":[{"type":"product","id":3}]}`},
	"POST /access-policies/{id}/passwords": {Body: `{"password":"sesame"}`},
	"POST /storefront-redirects":           {Body: `{"item":{"from_path":"/crowd/1","to_target":"/","enabled":true}}`},
	"POST /storefront-redirects/import":    {Body: `{"text":"/a,/b,301\n/crowd/2,/c,301\n"}`},
	"POST /site-files":                     {Body: `{"name":"crowd1.txt","body":"words","is_published":true}`},
	"PATCH /site-files/{id}":               {Body: `{"category_id":1,"in_sitemap":true}`},
	"POST /site-files/preview":             {Body: `{"path":"/crowd1.xml","body":"<a>{{range products}}{{.Name}}{{end}}</a>"}`},
	"POST /v1/storages/files":              {Body: `{"section":"content","file_type":"image","original_name":"leaf.png"}`},
	"POST /v1/storages/collections":        {Body: `{"name":"Leaves"}`},
	"POST /drafts/publish":                 {Body: `{"all":true}`},
	"POST /drafts/discard":                 {Body: `{"all":true}`},
}

// writes calls every writing endpoint, as the owner, as the owner in the draft, and as a
// stranger. Deletions come last.
func (w *twins) writes() {
	for _, last := range []bool{false, true} {
		for _, e := range w.among.Admin.Table() {
			if e.Method == "GET" || e.Auth == api.SessionOnly || e.Auth == api.Link || (e.Method == "DELETE") != last {
				continue
			}
			for _, who := range []string{"draft", "stranger", "owner"} {
				path := strings.ReplaceAll(e.Path, "{type}", "category")
				r := bodies[e.Method+" "+e.Path]
				if r.Body == nil {
					r.Body = `{"item":{}}`
				}
				r.Method, r.Path = e.Method, segment.ReplaceAllString(path, "1")
				w.send(who, r)
			}
		}
	}
}

// foreign calls every endpoint whose path names a thing with an id that all other shops have,
// and with an unknown id: the responses must be the same.
func (w *twins) foreign() {
	w.t.Helper()
	a := w.among
	for _, e := range a.Admin.Table() {
		if !strings.Contains(e.Path, "{") || e.Auth == api.SessionOnly {
			continue
		}
		for who, key := range keys {
			var heard [2]string
			for i, value := range []string{fmt.Sprint(storetest.ForeignID), "2000000001"} {
				a.Clock.Advance(time.Minute)
				a.Send(apitest.Request{Method: "GET", Path: "/v1/orgs/current", Key: key(a)}) // records the use of the key
				a.Sent.Take()
				r := bodies[e.Method+" "+e.Path]
				r.Method, r.Key = e.Method, key(a)
				for _, slug := range []string{"product", "article", "section"} {
					r.Path = strings.ReplaceAll(strings.ReplaceAll(e.Path, "{type}", "category"), "{slug}", "crowd-"+slug+"-"+value)
					r.Path = segment.ReplaceAllString(r.Path, value) + "?company_id=1&filter.company_id=1"
					answer := a.Send(r)
					heard[i] += strings.ReplaceAll(asUnknown(e.Path, fmt.Sprintln(answer.Status, perCall.ReplaceAllString(string(answer.Body), "…"))), value, "…")
					w.seen = append(w.seen, a.Sent.Take()...)
					if !strings.Contains(e.Path, "{slug}") {
						break
					}
				}
			}
			if heard[0] != heard[1] {
				w.t.Errorf("%s %s %s distinguishes a foreign id from an unknown one:\n%s%s", who, e.Method, e.Path, heard[0], heard[1])
			}
		}
	}
}

// A shop is unaffected by a thousand others: every endpoint answers the same, with the same
// number of statements, shows nothing of the others and scans no whole table.
func TestAThousandOtherShopsChangeNothing(t *testing.T) {
	t.Parallel()
	w, database := newTwins(t)
	before, empty := storetest.CrowdState(t, database)
	w.createThings("owner", "Leaf")
	w.createThings("stranger", "Rival leaf")
	w.make("draft", "/products", apitest.Map{"name": "Leaf draft"})
	w.reads()
	w.writes()
	w.reads()
	w.foreign() // last: the two databases differ afterwards
	after, _ := storetest.CrowdState(t, database)
	for table, state := range before {
		if after[table] != state {
			t.Errorf("rows of other shops in %s were changed: %s, and now %s", table, state, after[table])
		}
	}
	distinct := map[string]storetest.Statement{}
	for _, s := range w.seen {
		distinct[fmt.Sprint(s.Draft, s.SQL)] = s
	}
	var statements []storetest.Statement
	for _, s := range distinct {
		statements = append(statements, s)
	}
	for table, by := range storetest.SequentialScans(t, database, statements) {
		t.Errorf("%d statements read all of %s, such as\n%s", len(by), table, strings.TrimSpace(by[0]))
	}
	t.Logf(
		"%d calls in each database, %d statements, %d of them different; tables that no shop fills: %v", w.calls, w.sent,
		len(statements), empty,
	)
}
