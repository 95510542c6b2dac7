package admin_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

// Things of other shops answer as if they did not exist: same status, same code, same text
// (document 1, section 7).
func TestForeignIdsAnswerAsUnknownOnes(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	add := func(path string, body apitest.Map) string {
		t.Helper()
		return fmt.Sprint(a.Result("POST", path, a.Stranger, body)["id"])
	}
	item := func(fields apitest.Map) apitest.Map { return apitest.Map{"item": fields} }
	rubric := add("/categories", item(apitest.Map{"name": "News", "type": "news"}))
	theirs := map[string]string{ // path prefix: an id of the other shop that does not exist in ours
		"/products":        add("/products", item(apitest.Map{"name": "Theirs"})),
		"/categories":      add("/categories", item(apitest.Map{"name": "Theirs", "type": "product"})),
		"/articles":        add("/articles", item(apitest.Map{"title": "Theirs", "category_id": rubric})),
		"/attributes":      add("/attributes", item(apitest.Map{"name": "Theirs"})),
		"/content-blocks":  add("/content-blocks", item(apitest.Map{"name": "theirs", "sections": []any{}})),
		"/html-documents":  add("/html-documents", item(apitest.Map{"name": "Theirs"})),
		"/account/tokens":  fmt.Sprint(a.OK("GET", "/v1/account/tokens", a.Session(a.StrangerID), nil)["result"].([]any)[0].(apitest.Map)["id"]),
		"/current/members": a.StrangerID.String(),
		"/invitations":     fmt.Sprint(a.Result("POST", "/v1/orgs/current/members", a.Session(a.StrangerID), apitest.Map{"email": "theirs@people.test", "role": "editor"})["id"]),
		"/collections":     add("/v1/storages/collections", apitest.Map{"name": "Theirs"}),
		"/storages/files":  add("/v1/storages/files", apitest.Map{"section": "content", "file_type": "file", "original_name": "a.txt"}),
	}
	tried := 0
	for _, e := range a.Admin.Table() {
		for noun, id := range theirs {
			if !strings.Contains(e.Path, noun+"/{") {
				continue
			}
			tried++
			absent := "2000000000"
			if strings.Contains(id, "-") {
				absent = "6b1f6a4e-0000-4000-8000-000000000000"
			}
			ask := func(id string) (apitest.Answer, string) {
				a.Clock.Advance(time.Minute)
				path := segment.ReplaceAllString(firstSegment.ReplaceAllString(e.Path, "${1}"+id), "7")
				got := a.Send(
					apitest.Request{
						Method: e.Method, Path: path, Key: credential(a, a.Session(a.OwnerID), e),
						Body: `{"role": "editor", "name": "x", "item": {}, "items": []}`,
					},
				)
				return got, strings.ReplaceAll(string(got.Body), id, "ID")
			}
			foreign, text := ask(id)
			unknown, want := ask(absent)
			if foreign.Status != unknown.Status || text != want {
				t.Errorf("%s %s: foreign %d %s, unknown %d %s", e.Method, e.Path, foreign.Status, text, unknown.Status, want)
			}
			empty := strings.TrimSpace(text) == `{"result":[]}` && e.Path == "/products/{id}/stock/history" // document 2, 4.3
			if foreign.Status < 300 && !empty || strings.Contains(text, "Theirs") {
				t.Errorf("%s %s reaches a thing of another shop: %d %s", e.Method, e.Path, foreign.Status, text)
			}
		}
	}
	if tried < 30 {
		t.Errorf("only %d endpoints were tried", tried)
	}
}

// firstSegment matches the path up to its first parameter; it names the kind of thing.
var firstSegment = regexp.MustCompile(`^([^{]*)\{[^}]+\}`)
