package demo

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine/edge"
	"vitrine/internal/await"
	"vitrine/internal/shop"
	"vitrine/internal/source"
)

// visitor is a client of a storefront in front of the lab.
type visitor struct {
	t      *testing.T
	client *http.Client
}

func (l *lab) visitor(t *testing.T) *visitor {
	t.Helper()
	hosts, err := shop.ParseStorefronts("http://{shop}.shops.test")
	if err != nil {
		t.Fatal(err)
	}
	server, err := edge.New(edge.Config{Source: source.New(l.Store, l.Blobs, hosts), Secret: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if err := errors.Join(server.Shutdown(context.WithoutCancel(t.Context())), await.Next(t, done)); err != nil {
			t.Error(err)
		}
	})
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &visitor{t, &http.Client{Transport: direct{transport, listener.Addr().String()}, CheckRedirect: stay, Timeout: await.Limit}}
}

// direct sends every request to one address and keeps the host name.
type direct struct {
	http.RoundTripper
	to string
}

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host, r.URL.Host = r.URL.Host, d.to
	return d.RoundTripper.RoundTrip(r)
}

func (v *visitor) get(address string) (status int, location, body string) {
	v.t.Helper()
	response, err := v.client.Get(address)
	if err != nil {
		v.t.Fatal(err)
	}
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		v.t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Location"), string(raw)
}

// follow follows redirects within the shop and returns the final address.
func (v *visitor) follow(address string) (status int, last string) {
	v.t.Helper()
	for range 11 {
		status, location, _ := v.get(address)
		if status < 300 || status >= 400 {
			return status, address
		}
		base, err := url.Parse(address)
		if err != nil {
			v.t.Fatal(err)
		}
		next, err := base.Parse(location)
		if err != nil {
			v.t.Fatal(err)
		}
		if next.Host != base.Host {
			return status, next.String()
		}
		address = next.String()
	}
	return 0, address
}

func TestEveryAddressAnswers(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if _, err := l.seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	v := l.visitor(t)
	for slug, load := range map[string]func() (*content, error){"demo": loadMain, "atelier": loadAtelier} {
		c, err := load()
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for _, s := range c.Categories {
			if on(s.Published) {
				shown++
			}
		}
		for _, p := range c.Products {
			if on(p.Published) {
				shown++
			}
		}
		for _, a := range c.Articles {
			if a.Days == nil || *a.Days <= 0 { // the others are published later
				shown++
			}
		}
		v.sitemap("http://"+slug+".shops.test", shown)
		v.rules("http://"+slug+".shops.test", c.Redirects)
	}
}

func (v *visitor) sitemap(origin string, least int) {
	v.t.Helper()
	_, _, body := v.get(origin + "/sitemap.xml")
	var list struct {
		URL []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(body), &list); err != nil {
		v.t.Fatal(err)
	}
	if len(list.URL) < least {
		v.t.Errorf("%s: the sitemap names %d pages, expected %d", origin, len(list.URL), least)
	}
	for _, u := range list.URL {
		if status, _, body := v.get(u.Loc); status != 200 || !strings.Contains(body, "<h1") {
			v.t.Errorf("%s answers %d, or has no heading", u.Loc, status)
		}
	}
}

func (v *visitor) rules(origin string, rules []rule) {
	v.t.Helper()
	for _, r := range rules {
		if !on(r.Enabled) {
			continue
		}
		address := origin + strings.NewReplacer("/**", "/a/b", "/*/*", "/2019/water-first", "*", "x").Replace(r.FromPath)
		if r.QueryMatch != "" {
			address += "?" + r.QueryMatch
		}
		status, last := v.follow(address)
		if r.External && last == r.ToTarget {
			continue
		}
		if last == address || status != 200 {
			v.t.Errorf("%s ends at %s with %d", address, last, status)
		}
	}
}

func TestLandingPageShowsLiveProducts(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if _, err := l.seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	v := l.visitor(t)
	_, _, body := v.get("http://demo.shops.test/tea-hour")
	for _, want := range []string{"Uji ceremonial matcha, 30 g", "€34", `href="/kitchen"`, "/_html/", "<title>The Tea Hour"} {
		if !strings.Contains(body, want) {
			t.Errorf("the landing page lacks %q", want)
		}
	}
	for _, never := range []string{"{{", "svc-for", "Advent tea box"} {
		if strings.Contains(body, never) {
			t.Errorf("the landing page shows %q", never)
		}
	}
	_, location, _ := v.get("http://demo.shops.test/teaware/teapots/celadon-pot")
	if location != "/teaware/teapots/celadon-teapot" {
		t.Errorf("the old address of a renamed product redirects to %q", location)
	}
}

// The report of its release is empty.
func TestTheLandingPageHasNoFaults(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r, err := l.seed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, documents := l.Call("GET", "/html-documents", r.Key, nil)
	id, _ := documents["result"].([]any)[0].(map[string]any)["id"].(string)
	_, releases := l.Call("GET", "/html-documents/"+id+"/releases", r.Key, nil)
	release, _ := releases["result"].([]any)[0].(map[string]any)["id"].(string)
	_, answer := l.Call("GET", "/html-documents/"+id+"/releases/"+release, r.Key, nil)
	report, ok := answer["result"].(map[string]any)["report"].(map[string]any)
	if !ok {
		t.Fatalf("no report in %v", answer)
	}
	for _, level := range []string{"errors", "warnings", "info"} {
		if list, _ := report[level].([]any); len(list) > 0 {
			t.Errorf("%s: %v", level, list)
		}
	}
}
