package sitefile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/catalogue"
)

func preview(a *apitest.API, path, body string, limit int) m {
	a.Clock.Advance(2 * time.Second) // 30 a minute
	return a.OK("POST", filesPath+"/preview", a.Owner, m{"path": path, "body": body, "limit": limit})
}

// problems returns the lines and codes of errors.
func problems(answer m) string {
	var list []string
	for _, e := range answer["errors"].(l) {
		list = append(list, fmt.Sprint(e.(m)["line"], " ", e.(m)["code"]))
	}
	return strings.Join(list, ", ")
}

func stocked(a *apitest.API, n int) {
	items := l{}
	for i := range n {
		items = append(items, m{"name": fmt.Sprintf("Tea %03d", i), "price": m{"price": 10 + i}, "is_published": true})
	}
	for len(items) > 0 {
		k := min(100, len(items))
		a.OK("POST", "/products/batch", a.Owner, m{"items": items[:k]})
		items = items[k:]
	}
}

func TestPreviewCapsEveryRange(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	stocked(a, 60)
	body := `{{range products}}a{{end}}{{range products}}b{{end}}`
	for limit, want := range map[int]int{0: 20, 1: 1, 49: 49, 50: 50} {
		got := preview(a, "/x.txt", body, limit)
		if out := got["output"].(string); out != strings.Repeat("a", want)+strings.Repeat("b", want) || got["items_count"] != float64(want) ||
			got["truncated"] != false {
			t.Errorf("limit %d: %v", limit, got)
		}
	}
	for _, limit := range []int{51, -1} {
		refused := a.Refused("POST", filesPath+"/preview", a.Owner, m{"path": "/x.txt", "body": "", "limit": limit}, 400, "INVALID_REQUEST")
		if !strings.Contains(refused["error"].(string), "limit") {
			t.Error(refused)
		}
	}
}

// A feed has no draft: its preview shows what visitors would get now, for every caller.
func TestPreviewShowsTheLiveCatalogue(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Live tea", "price": m{"price": 1}, "is_published": true}})["id"]
	a.OK("PUT", fmt.Sprintf("/products/%v", tea), a.Dev, m{"item": m{"name": "Draft tea"}})
	body := m{"path": "/feed.txt", "body": "{{range products}}{{.Name}}{{end}}", "limit": 5}
	for _, key := range []string{a.Dev, a.Owner} {
		if got := a.OK("POST", filesPath+"/preview", key, body); got["output"] != "Live tea" {
			t.Errorf("%v", got)
		}
	}
}

func TestPreviewReportsErrorsOfTheTemplate(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	stocked(a, 1)
	for body, want := range map[string]string{
		"ok":                                  "",
		"a\n{{nope}}":                         "2 SITE_FILE_TEMPLATE_INVALID",
		"\n\n{{if}}{{end}}":                   "3 SITE_FILE_TEMPLATE_INVALID",
		"{{range products}}\n{{.Foo}}{{end}}": "2 SITE_FILE_TEMPLATE_INVALID",
		`{{range products "nope=1"}}{{end}}`:  "1 SITE_FILE_TEMPLATE_INVALID",
		`{{range products "category=gone"}}{{end}}`: "1 SITE_FILE_TEMPLATE_INVALID",
	} {
		if got := preview(a, "/x.txt", body, 0); problems(got) != want {
			t.Errorf("%q: %v", body, got)
		}
	}
	a.Refused("POST", filesPath+"/preview", a.Owner, m{"path": "/x.exe", "body": ""}, 400, "SITE_FILE_NAME_INVALID")
}

func TestPreviewOfAFeedIsLinted(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	stocked(a, 2)
	body := a.OK("GET", filesPath+"/templates", a.Owner, nil)["items"].(l)[0].(m)["body"].(string)
	good := preview(a, "/yandex-feed.yml", body, 0)
	if problems(good) != "" || good["feed"] != "yml" || !strings.Contains(good["output"].(string), "<offer id=") {
		t.Fatalf("%v", good)
	}
	bad := preview(a, "/yandex-feed.yml", strings.ReplaceAll(body, `<offer id="{{.OfferID}}"`, `<offer id="1"`), 0)
	var found bool
	for _, w := range bad["warnings"].(l) {
		found = found || strings.Contains(w.(m)["code"].(string), "id") && w.(m)["line"] != 0.0
	}
	if !found {
		t.Errorf("two offers of one id: %v", bad["warnings"])
	}
}

func TestPreviewCutsItsOutputAtACharacter(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	write := func(char string, bytes int) string {
		n := bytes / len(char)
		chunk := strings.Repeat(char, 1000)
		return fmt.Sprintf(`{{range %d}}%s{{end}}%s`, n/1000, chunk, strings.Repeat(char, n%1000))
	}
	for bytes, cut := range map[int]bool{200<<10 - 1: false, 200 << 10: false, 200<<10 + 1: true} {
		got := preview(a, "/x.txt", write("x", bytes), 0)
		if out := got["output"].(string); got["truncated"] != cut || len(out) != min(bytes, 200<<10) {
			t.Errorf("%d bytes: truncated %v at %d", bytes, got["truncated"], len(out))
		}
	}
	got := preview(a, "/x.txt", write("€", 300<<10), 0)
	if out := got["output"].(string); !utf8.ValidString(out) || len(out) != 204_798 || strings.ContainsRune(out, utf8.RuneError) {
		t.Errorf("cut to %d bytes", len(got["output"].(string)))
	}
	if got := preview(a, "/x.txt", write("x", 4<<20), 0); problems(got) != "" {
		t.Errorf("4 MB: %v", problems(got))
	}
	if got := preview(a, "/x.txt", write("x", 4<<20+1), 0); problems(got) == "" {
		t.Error("more than 4 MB is not reported as an error")
	}
}

func TestPreviewsAreRateLimited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.Clock.Advance(time.Minute - time.Duration(a.Clock.Now().Second())*time.Second) // a new window of the rate limit
	call := apitest.Request{Method: "POST", Path: filesPath + "/preview", Key: a.Owner, Body: m{"path": "/x.txt", "body": "x"}}
	for i := range 30 {
		if answer := a.Send(call); answer.Status != 200 {
			t.Fatalf("call %d: %d %s", i+1, answer.Status, answer.Body)
		}
	}
	answer := a.Send(call)
	if answer.Status != 429 || apitest.Code(answer.JSON) != "SITE_FILE_PREVIEW_RATE_LIMITED" || answer.Header.Get("Retry-After") == "" ||
		fmt.Sprint(answer.JSON["retry_after"]) != answer.Header.Get("Retry-After") {
		t.Errorf("call 31: %d %s %v", answer.Status, answer.Body, answer.Header)
	}
	a.OK("GET", filesPath, a.Owner, nil)
	a.Clock.Advance(time.Minute)
	if answer := a.Send(call); answer.Status != 200 {
		t.Errorf("in the next minute: %d", answer.Status)
	}
}

// If both render slots of a shop are in use, a preview waits 3 seconds for one and is then
// refused. Another shop has its own slots.
func TestPreviewWaitsForARenderSlot(t *testing.T) {
	t.Parallel()
	var shared *catalogue.Catalogues
	a := apitest.New(t, func(cfg *admin.Config) {
		shared = catalogue.NewCatalogues(cfg.Hosts, cfg.Now)
		cfg.Catalogues = shared
	})
	var leave []func()
	for range 2 {
		free, err := shared.Renders.Acquire(t.Context(), a.Shop.ID)
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, free)
	}
	call := apitest.Request{Method: "POST", Path: filesPath + "/preview", Key: a.Owner, Body: m{"path": "/x.txt", "body": "x"}}
	answer := a.Send(call)
	if answer.Status != 429 || apitest.Code(answer.JSON) != "SITE_FILE_PREVIEW_RATE_LIMITED" || answer.Header.Get("Retry-After") != "3" ||
		answer.JSON["retry_after"] != 3.0 {
		t.Errorf("%d %s", answer.Status, answer.Body)
	}
	call.Key = a.Stranger
	if answer := a.Send(call); answer.Status != 200 {
		t.Errorf("another shop: %d %s", answer.Status, answer.Body)
	}
	leave[0]()
	call.Key = a.Owner
	if answer := a.Send(call); answer.Status != 200 {
		t.Errorf("with a free slot: %d %s", answer.Status, answer.Body)
	}
	leave[1]()
}

// A preview contains only those parts of the catalogue that an anonymous visitor may see.
func TestFeedsContainOnlyWhatVisitorsMaySee(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := section(a, "tea", 0)
	hidden := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "hidden", "type": "product", "seo": m{"slug": "hidden"}}})["id"]
	green := section(a, "green", tea)
	add := func(fields m) string {
		item := m{"is_published": true, "price": m{"price": 10}, "category_id": green}
		for k, v := range fields {
			item[k] = v
		}
		return fmt.Sprint(a.Result("POST", "/products", a.Owner, m{"item": item})["id"])
	}
	add(m{"name": "first", "seo": m{"slug": "first"}, "sku": "F1", "description": "<b>bold</b> & more"})
	add(m{"name": "unpublished", "is_published": false})
	add(m{"name": "off the grid", "catalog_hidden": "true"})
	free := add(m{"name": "free", "price": m{"price": 0}})
	add(m{"name": "in a hidden section", "category_id": hidden})
	gone := add(m{"name": "deleted"})
	a.OK("DELETE", "/products/"+gone, a.Owner, nil)
	excluded := add(m{"name": "excluded"})
	a.OK("PUT", "/products/"+excluded+"/ad-participation", a.Owner, m{"mode": "exclude"})
	const line = "{{range products}}{{.Name}}|{{.URL}}|{{.CategoryPath}}|{{.Price}} {{.Currency}}\n{{end}}"
	want := "first|http://tea.shops.test/tea/green/first|tea > green|10 EUR\n" // nothing from a hidden section
	if got := preview(a, "/x.txt", line, 0)["output"]; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := preview(a, "/x.txt", `{{range products "include_zero_price=true" "category=tea"}}{{.Name}},{{end}}`, 0)["output"]; got != "first,free," {
		t.Errorf("with free ones: %s", got)
	}
	if got := preview(a, "/x.xml", `<a>{{range products "limit=1"}}{{.Description}}{{end}}</a>`, 0)["output"]; got != "<a>&lt;b&gt;bold&lt;/b&gt; &amp; more</a>" {
		t.Errorf("escaped: %s", got)
	}
	links := preview(
		a, "/x.txt",
		fmt.Sprintf("{{product_url %s}} {{product_url %s}} {{category_url %v}} {{category_url %v}}|", free, gone, green, hidden),
		0,
	)
	if links["output"] != "http://tea.shops.test/tea/green/free  http://tea.shops.test/tea/green |" {
		t.Errorf("links: %v", links)
	}
	// Every change is visible in the next preview, although only changed rows are read.
	a.OK("PUT", "/products/"+excluded+"/ad-participation", a.Owner, m{"mode": "include"})
	a.OK("PUT", fmt.Sprint("/categories/", tea), a.Owner, m{"item": m{"name": "Teas", "seo": m{"slug": "teas"}}})
	a.OK("PUT", "/products/"+free, a.Owner, m{"item": m{"price": m{"price": 7}}})
	want = "first|http://tea.shops.test/teas/green/first|Teas > green|10 EUR\nfree|http://tea.shops.test/teas/green/free|Teas > green|7 EUR\n" +
		"excluded|http://tea.shops.test/teas/green/excluded|Teas > green|10 EUR\n"
	if got := preview(a, "/x.txt", line, 0)["output"]; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	file := newFile(a, m{"name": "list.csv", "category_id": tea, "is_published": true})
	linked := fmt.Sprintf("{{file_url %s}} {{file_path %s}}", file["id"], file["id"])
	if got := preview(a, "/x.txt", linked, 0)["output"]; got != "http://tea.shops.test/teas/list.csv /teas/list.csv" {
		t.Errorf("a file: %s", got)
	}
	if got := a.OK("POST", filesPath+"/preview", a.Stranger, m{"path": "/x.txt", "body": line})["output"]; got != "" {
		t.Errorf("another shop sees %s", got)
	}
}

// A JSON file stays valid JSON, whatever the products contain.
func TestProductTextDoesNotBreakTheFile(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	name := "]]> \"quote\" \\ </script> \u2028 'x' & =1+1 {{.}}"
	a.OK("POST", "/products", a.Owner, m{"item": m{"name": name, "is_published": true, "price": m{"price": 1}}})
	got := preview(a, "/x.json", `[{{range products}}{"name":"{{.Name}}"}{{end}}]`, 0)
	var list []map[string]string
	if err := json.Unmarshal([]byte(got["output"].(string)), &list); err != nil || list[0]["name"] != name {
		t.Errorf("%v: %v", err, got["output"])
	}
}
