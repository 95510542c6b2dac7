package release_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/outbound"
)

// An archive on the web becomes a release as if it had been sent, and so does a page; nothing of the
// internal network is fetched.
func TestReleasesAreFetchedFromAURL(t *testing.T) {
	t.Parallel()
	at := map[string]string{
		"/site.zip": string(packed(t, files{"index.html": html("<img src=a.png width=1 height=1>"), "a.png": "a"})), "/page": html("of the web"),
		"/half.zip": string(packed(t, files{"index.html": html("half")}))[:60], "/text": "only a text", "/nothing": "",
		"/long": "<!doctype html>" + strings.Repeat("a", 2<<20), "/climbs.zip": string(packed(t, files{"../up.html": "a"})),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, found := at[r.URL.Path]
		switch {
		case r.URL.Query().Has("to"):
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
		case r.URL.Path == "/cut":
			w.Header().Set("Content-Length", "100000")
			fallthrough
		case found:
			if _, err := w.Write([]byte(body)); err != nil {
				t.Log(err)
			}
		default:
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	t.Cleanup(server.Close)
	look := func(_ context.Context, host string) ([]netip.Addr, error) {
		if host == "inside.test" {
			return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	client := outbound.New(outbound.Resolve(look), outbound.Allow(netip.MustParsePrefix("127.0.0.1/32")))
	a := apitest.New(t, func(cfg *admin.Config) { cfg.Fetch = client.Do })
	base := "http://site.test" + server.URL[strings.LastIndexByte(server.URL, ':'):]
	doc := newDocument(a)
	fetched := func(from, more string) string {
		return "/html-documents/" + doc + "/releases/zip?source_url=" + url.QueryEscape(from) + more
	}
	release := a.OK("POST", fetched(base+"/?to="+url.QueryEscape(base+"/site.zip"), "&publish=1"), a.Owner, nil)["release_id"].(string)
	if active(a, doc) != release {
		t.Error("the archive is not published")
	}
	release = a.OK("POST", fetched(base+"/page", ""), a.Owner, nil)["release_id"].(string)
	if got := a.Send(apitest.Request{Method: "GET", Path: path(doc, release) + "/file?path=index.html", Key: a.Owner}); string(got.Body) != at["/page"] {
		t.Errorf("the page became %q", got.Body)
	}
	if list := a.Result("GET", path(doc, release), a.Owner, nil)["files"].(l); len(list) != 2 {
		t.Errorf("the page replaced files beside it: %v", list)
	}
	for from, code := range map[string]string{
		"ftp://site.test/site.zip": "URL_NOT_ALLOWED", "http://10.1.2.3/site.zip": "URL_NOT_ALLOWED", "http://inside.test/": "URL_NOT_ALLOWED", "site.zip": "URL_NOT_ALLOWED",
		base + "/?to=http://192.168.0.1/": "URL_NOT_ALLOWED", base + "/missing": "URL_FETCH_FAILED", base + "/text": "URL_FETCH_FAILED",
		base + "/nothing": "URL_FETCH_FAILED", base + "/cut": "URL_FETCH_FAILED", base + "/half.zip": "ZIP_INVALID", base + "/climbs.zip": "RELEASE_PATH_INVALID",
		base + "/long": "RELEASE_TOO_LARGE", "http://site.test/" + strings.Repeat("a", 4000): "URL_NOT_ALLOWED",
	} {
		a.Refused("POST", fetched(from, ""), a.Owner, nil, 400, code)
	}
	if list := a.OK("GET", "/html-documents/"+doc+"/releases", a.Owner, nil)["result"].(l); len(list) != 2 {
		t.Errorf("a refused archive left a release: %d", len(list))
	}
}
