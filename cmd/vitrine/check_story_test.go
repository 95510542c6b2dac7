package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/await"
	"vitrine/internal/corpus"
)

// corpusRow is a row of the corpus of redirect cases: rules or a CSV, and a request or a rule
// that must be refused.
type corpusRow struct {
	ID, CSV, Request, Method string
	Rules                    []map[string]any
	Write                    map[string]any
	Alone                    bool
	Expect                   struct {
		Status, HTTP   int
		Location, Code any
		From, Reason   string
	}
}

func readCorpus(t *testing.T) (rows []corpusRow) {
	t.Helper()
	rows = corpus.Lines[corpusRow](t, "redirect/cases.jsonl")
	if len(rows) < 200 {
		t.Fatalf("the corpus has %d rows", len(rows))
	}
	return rows
}

// accepted reports whether a value is the expected one, one of several expected ones, or
// empty if none is expected.
func accepted(want any, got string) bool {
	if list, ok := want.([]any); ok {
		return slices.Contains(list, any(got))
	}
	return want == nil && got == "" || want == any(got)
}

// storefront is a shop whose addresses are requested and checked.
type storefront struct {
	*program
	slug, key string
}

// with converts a rule of the corpus to the API's format.
func (s *storefront) with(rule map[string]any) map[string]any {
	if _, given := rule["enabled"]; !given {
		rule["enabled"] = true
	}
	to, _ := rule["to_target"].(string)
	_, port, _ := net.SplitHostPort(s.edge)
	rule["to_target"] = strings.ReplaceAll(to, "{host}", s.slug+".localhost:"+port)
	return map[string]any{"item": rule}
}

// ask sends a request byte for byte. Given header lines replace the Host.
func (s *storefront) ask(method, target string, lines ...string) (int, http.Header) {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.edge)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(await.Limit)); err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	if len(lines) == 0 {
		lines = []string{"Host: " + s.slug + ".localhost"}
	}
	lines = append(lines, "Content-Length: 0", "Connection: close", "", "")
	if _, err := fmt.Fprintf(conn, "%s %s HTTP/1.1\r\n%s", method, target, strings.Join(lines, "\r\n")); err != nil {
		s.t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		s.t.Fatalf("%s %.80s: %v", method, target, err)
	}
	defer response.Body.Close()
	return response.StatusCode, response.Header
}

// agrees requests an address and calls the check for it: both must report the same for every
// redirect on the way.
func (s *storefront) agrees(target string) {
	s.t.Helper()
	status, header := s.ask("GET", target)
	safe(s.t, target, header)
	check := s.must(s.key, "GET", "/storefront-redirects/check?url="+url.QueryEscape(target), nil)
	steps, _ := check["steps"].([]any)
	if check["reason"] == "" || (len(steps) > 0) != (status/100 == 3) {
		s.t.Errorf("%.80s answers %d; the check reports %v", target, status, check)
		return
	}
	if len(steps) == 0 && status != 200 && !strings.Contains(check["reason"].(string), fmt.Sprintf("(%d)", status)) &&
		check["reserved"] != true {
		s.t.Errorf("%.80s answers %d; the reason is %s", target, status, check["reason"])
	}
	for i, step := range steps {
		step := step.(map[string]any)
		if i > 0 {
			at, _ := step["from"].(string)
			status, header = s.ask("GET", at)
		}
		if step["to"] != header.Get("Location") || step["sent_code"] != float64(status) {
			s.t.Errorf("%.80s answers %d %q; step %d of the check is %v", target, status, header.Get("Location"), i+1, step)
		}
	}
}

// safe fails on results useful to attackers: a Location that a browser resolves to another
// host, and header fields injected through an address.
func safe(t testing.TB, target string, header http.Header) {
	t.Helper()
	location := header.Get("Location")
	if header.Get("Set-Cookie") != "" && strings.Contains(target, "Cookie") {
		t.Errorf("%.80s split the response: %v", target, header)
	}
	if strings.ContainsFunc(location, func(r rune) bool { return r < 0x21 || r == 0x7f || r == '\\' }) ||
		strings.HasPrefix(location, "//") || strings.Contains(location, "evil") && !strings.HasPrefix(location, "/") {
		t.Errorf("%.80s redirects to %q", target, location)
	}
}

// Every row of the corpus holds in the running program, and the check reports for each
// address what it answers.
func TestRedirectCorpusInTheProgram(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	var shops []*storefront
	for i := range 4 { // three for the rows, to stay below the rate limit, and one for rows that need an empty shop
		slug := fmt.Sprint("corpus", i)
		shops = append(shops, &storefront{program: p, slug: slug, key: p.shop(slug)})
	}
	p.start()
	for _, s := range shops {
		s.call(s.key, "PUT", "/storefront-redirects/settings", map[string]any{"miss_fallback": false})
	}
	rows := readCorpus(t)
	home := func(i int) *storefront { return shops[i%3] }
	for i, row := range rows {
		if !row.Alone {
			home(i).prepare(row)
		}
	}
	for i, row := range rows {
		s := home(i)
		if row.Alone {
			s = shops[3]
			ids := s.prepare(row)
			s.hold(row)
			s.must(s.key, "DELETE", "/storefront-redirects", map[string]any{"ids": ids})
			continue
		}
		s.hold(row)
	}
}

// prepare creates the rules of a row in the shop, and checks the report of an import.
func (s *storefront) prepare(row corpusRow) (ids []any) {
	s.t.Helper()
	for _, rule := range row.Rules {
		ids = append(ids, s.must(s.key, "POST", "/storefront-redirects", s.with(rule))["id"])
	}
	if row.CSV == "" {
		return ids
	}
	report := s.must(s.key, "POST", "/storefront-redirects/import", map[string]any{"text": row.CSV})
	if row.Expect.Reason == "" {
		return ids
	}
	for _, line := range report["rows"].([]any) {
		if line := line.(map[string]any); line["from"] == row.Expect.From && line["reason"] == row.Expect.Reason {
			return ids
		}
	}
	s.t.Errorf("%s: no line %s with %s in %v", row.ID, row.Expect.From, row.Expect.Reason, report)
	return ids
}

// hold requests the address of a row, or attempts its write.
func (s *storefront) hold(row corpusRow) {
	s.t.Helper()
	switch {
	case row.Write != nil:
		status, answer := s.call(s.key, "POST", "/storefront-redirects", s.with(row.Write))
		_, code, _ := strings.Cut(itoa(answer["error"]), " desc = ")
		code, _, _ = strings.Cut(code, ":")
		if status != row.Expect.HTTP || row.Expect.Code != nil && !accepted(row.Expect.Code, code) {
			s.t.Errorf("%s: %d %v, want %d %v", row.ID, status, answer, row.Expect.HTTP, row.Expect.Code)
		}
	case row.Request != "":
		method := row.Method
		if method == "" {
			method = "GET"
		}
		status, header := s.ask(method, row.Request)
		if status != row.Expect.Status || !accepted(row.Expect.Location, header.Get("Location")) {
			s.t.Errorf(
				"%s %s %.80s: %d %q, want %d %v", row.ID, method, row.Request, status, header.Get("Location"), row.Expect.Status,
				row.Expect.Location,
			)
		}
		s.agrees(row.Request)
	}
}

// Attacks on redirect engines, against the running program.
func TestRedirectAttacks(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	s := &storefront{program: p, slug: "tea", key: p.shop("tea")}
	p.start()
	s.call(s.key, "PUT", "/storefront-redirects/settings", map[string]any{"miss_fallback": false})
	for _, rule := range []map[string]any{
		{"from_path": "/old-page", "to_target": "/new"}, {"from_path": "/old-page", "to_target": "/p5", "query_match": "id=5"},
		{"from_path": "/d", "to_target": "/n", "drop_query": true}, {"from_path": "/t", "to_target": "/n?src=old#top"},
		{"from_path": "/go/*", "to_target": "/$1"}, {"from_path": "/deep/**", "to_target": "/sub/$1"}, {"from_path": "/x/*", "to_target": "/find?q=$1"},
		{"from_path": "/goods/*", "to_target": "/shop"}, {"from_path": "/k", "to_target": "/kk"}, {"from_path": "/café", "to_target": "/coffee"},
		{"from_path": "/over", "to_target": "/n", "override_live": true},
	} {
		s.must(s.key, "POST", "/storefront-redirects", s.with(rule))
	}
	for _, c := range []struct {
		target, location string
		status           int
	}{
		{"//evil.com", "", 404}, {"//evil.com%2f..", "", 404}, {"/go//evil.com", "/evil.com", 308}, {"/go/%5Cevil.com", "/%5Cevil.com", 308},
		{`/go/\evil.com`, "/%5Cevil.com", 308}, {"/deep//evil.com/x", "/sub/evil.com/x", 308}, {"/go/%5C%5Cevil.com%252e", "/%5C%5Cevil.com%252e", 308},
		{"/old-page%09", "", 400}, {"/old-page%0a", "", 400}, {"/x/%0d%0aSet-Cookie:a=1", "", 400}, {"/%00", "", 400}, {"/old-page%00.html", "", 400},
		{"/%zz", "", 400}, {"/%", "", 400}, {"/%u0041", "", 400}, {"/a/../old-page", "", 404}, {"/%2e%2e/old-page", "", 404}, {"/..%2Fold-page", "", 404},
		{"/%252e%252e/old-page", "", 404}, {"/public/..%2F%5cgithub.com%2F%3f%2F..%2F..", "", 404}, {"/OLD-Page///", "/new", 308}, {"/%6Fld-page", "/new", 308},
		{"/old-page?gclid=A%2BB&q=a+b&u=http://x//y", "/new?gclid=A%2BB&q=a+b&u=http://x//y", 308}, {"/d?x=1&gclid=A%2BB&utm_source=a+b&y=2&yclid=", "/n?gclid=A%2BB&utm_source=a+b&yclid=", 308},
		{"/d?utmx=1", "/n", 308}, {"/d?gclid", "/n?gclid", 308}, {"/old-page?", "/new", 308}, {"/t?id=7", "/n?src=old&id=7#top", 308}, {"/t?src=evil", "/n?src=old#top", 308},
		{"/old-page?x=1&id=5", "/p5?x=1&id=5", 308}, {"/old-page?id=%35", "/new?id=%35", 308}, {"/old-page?ID=5", "/new?ID=5", 308}, {"/old-page?id=55", "/new?id=55", 308},
		{"/caf%C3%A9", "/coffee", 308}, {"/CAF%C3%89", "", 404}, {"/cafe%CC%81", "", 404}, {"/%E2%84%AA", "", 404}, {"/%ff", "", 404}, {"/%C0%AF", "", 404},
		{"/goodsale", "", 404}, {"/goods", "/shop", 308}, {"/goods/", "/shop", 308}, {"/goods/A/B%20c?q=1", "/shop/A/B%20c?q=1", 308},
		{"/x/a%2Fb", "", 404}, {"/x/a&b%23c", "/find?q=a%26b%23c", 308}, {"/x/", "", 404}, {"/x//", "", 404}, {"/feed.XML?x", "", 404}, {"/a.Json", "", 404},
		{"/" + strings.Repeat("a/", 3900), "", 404}, {"/" + strings.Repeat("a", 9000), "", 414},
	} {
		status, header := s.ask("GET", c.target)
		if status != c.status || header.Get("Location") != c.location {
			t.Errorf("%.80s: %d %q, want %d %q", c.target, status, header.Get("Location"), c.status, c.location)
		}
		s.agrees(c.target)
	}
	if status, header := s.ask("GET", "/go/%2Fevil.com"); strings.HasPrefix(header.Get("Location"), "//") {
		t.Errorf("an escaped slash: %d %q", status, header.Get("Location"))
	}
	host := "Host: tea.localhost"
	for _, c := range []struct {
		method, target string
		lines          []string
		status         int
		location       string
	}{
		{"GET", "http://evil.com/old-page", []string{host}, 404, ""}, {"GET", "/old-page", []string{"Host: evil.com"}, 404, ""},
		{"GET", "/old-page", []string{host, "X-Forwarded-Host: evil.com"}, 308, "/new"}, {"GET", "/old-page", []string{"Host: TEA.localhost.:8080"}, 308, "/new"},
		{"GET", "/old-page", []string{"X: y"}, 400, ""}, {"GET", "/old-page", []string{host, "Host: evil.com"}, 400, ""}, {"GET", "*", []string{host}, 400, ""},
		{"CONNECT", "x:443", []string{host}, 405, ""}, {"HEAD", "/old-page", []string{host}, 308, "/new"}, {"POST", "/old-page", []string{host}, 308, "/new"},
		{"POST", "/over", []string{host}, 301, "/n"}, {"GET", "/old-page", []string{host, "If-None-Match: *", "If-Match: x", "Range: bytes=0-1"}, 308, "/new"},
	} {
		if status, header := s.ask(c.method, c.target, c.lines...); status != c.status || header.Get("Location") != c.location {
			t.Errorf("%s %s %q: %d %q, want %d %q", c.method, c.target, c.lines, status, header.Get("Location"), c.status, c.location)
		}
	}
}

// A rule for all addresses does not apply to the platform's own.
func TestCatchAllRuleDoesNotApplyToThePlatform(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	s := &storefront{program: p, slug: "tea", key: p.shop("tea")}
	p.start()
	status, answer := s.call(
		s.key, "POST", "/storefront-redirects",
		s.with(map[string]any{"from_path": "/*", "to_target": "https://elsewhere.test/", "external": true, "override_live": true}),
	)
	if status != 200 {
		t.Fatalf("%d %v", status, answer)
	}
	for _, target := range []string{"/cart", "/CART/", "/%63art", "//cart", "/_next/x", "/api/x", "/.well-known/acme-challenge/t", "/robots.txt", "/sitemap.xml"} {
		if status, header := s.ask("GET", target); header.Get("Location") == "https://elsewhere.test/" {
			t.Errorf("%s: %d %v", target, status, header)
		}
		if check := s.must(s.key, "GET", "/storefront-redirects/check?url="+url.QueryEscape(target), nil); check["reserved"] != true {
			t.Errorf("%s: the check reports %v", target, check)
		}
	}
	if status, header := s.ask("GET", "/anything"); status != 301 || header.Get("Location") == "" {
		t.Errorf("any other address: %d %v", status, header)
	}
}
