package main

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/await"
)

// ymlFeed is the part of a Yandex feed that its rules concern.
type ymlFeed struct {
	Date string `xml:"date,attr"`
	Shop struct {
		Name       string `xml:"name"`
		URL        string `xml:"url"`
		Currencies []struct {
			ID string `xml:"id,attr"`
		} `xml:"currencies>currency"`
		Categories []struct {
			ID     string `xml:"id,attr"`
			Parent string `xml:"parentId,attr"`
			Name   string `xml:",chardata"`
		} `xml:"categories>category"`
		Offers []struct {
			ID       string   `xml:"id,attr"`
			Name     string   `xml:"name"`
			URL      string   `xml:"url"`
			Price    int64    `xml:"price"`
			OldPrice int64    `xml:"oldprice"`
			Currency string   `xml:"currencyId"`
			Category string   `xml:"categoryId"`
			Pictures []string `xml:"picture"`
		} `xml:"offers>offer"`
	} `xml:"shop"`
}

// check checks a feed against Yandex's rules, reimplemented here.
func (f ymlFeed) check(t *testing.T) {
	t.Helper()
	if _, err := time.Parse("2006-01-02 15:04", f.Date); err != nil || f.Shop.Name == "" || len(f.Shop.Currencies) != 1 {
		t.Errorf("date %q, shop %q, %d currencies", f.Date, f.Shop.Name, len(f.Shop.Currencies))
	}
	sections, offers := map[string]bool{}, map[string]bool{}
	for _, c := range f.Shop.Categories {
		if c.Parent != "" && !sections[c.Parent] || c.Name == "" {
			t.Errorf("category %q has the parent %q, which is not listed before it", c.ID, c.Parent)
		}
		sections[c.ID] = true
	}
	for _, o := range f.Shop.Offers {
		switch {
		case o.ID == "" || len(o.ID) > 20 || offers[o.ID]:
			t.Errorf("offer id %q", o.ID)
		case !sections[o.Category]:
			t.Errorf("offer %s is in category %q, which is not listed", o.ID, o.Category)
		case o.Price <= 0 || o.OldPrice != 0 && o.OldPrice <= o.Price || o.Currency != f.Shop.Currencies[0].ID:
			t.Errorf("offer %s costs %d, before %d %s", o.ID, o.Price, o.OldPrice, o.Currency)
		case o.Name == "" || !strings.HasPrefix(o.URL, f.Shop.URL+"/"):
			t.Errorf("offer %s: %q at %s", o.ID, o.Name, o.URL)
		}
		offers[o.ID] = true
	}
}

// googleFeed is the part of a Merchant feed that its rules concern.
type googleFeed struct {
	Items []struct {
		ID           string `xml:"http://base.google.com/ns/1.0 id"`
		Group        string `xml:"http://base.google.com/ns/1.0 item_group_id"`
		Title        string `xml:"http://base.google.com/ns/1.0 title"`
		Link         string `xml:"http://base.google.com/ns/1.0 link"`
		Image        string `xml:"http://base.google.com/ns/1.0 image_link"`
		Price        string `xml:"http://base.google.com/ns/1.0 price"`
		Availability string `xml:"http://base.google.com/ns/1.0 availability"`
	} `xml:"channel>item"`
}

// The feeds of the demo shop are acceptable for marketplaces: complete XML according to their
// rules, with working addresses and pictures.
func TestFeedsOfTheDemoShop(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	key := p.verb("key", "issue", "--shop", "demo", "--scopes", "all")["key"].(string)
	status, header, text := p.visit("demo", "/yandex-feed.yml")
	if status != 200 || header.Get("Content-Type") != "application/xml; charset=utf-8" {
		t.Fatalf("%d %v", status, header)
	}
	var yandex ymlFeed
	if err := xml.Unmarshal([]byte(text), &yandex); err != nil {
		t.Fatal(err)
	}
	yandex.check(t)
	_, _, text = p.visit("demo", "/google-feed.xml")
	var google googleFeed
	if err := xml.Unmarshal([]byte(text), &google); err != nil {
		t.Fatal(err)
	}
	if len(google.Items) < 5 || len(google.Items) != len(yandex.Shop.Offers) {
		t.Errorf("%d offers for Yandex and %d for Google", len(yandex.Shop.Offers), len(google.Items))
	}
	for _, i := range google.Items[:5] {
		if i.Title == "" || i.Availability != "in_stock" || !strings.HasSuffix(i.Price, " EUR") {
			t.Errorf("%+v", i)
		}
		for _, address := range []string{i.Link, i.Image} {
			at, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			if status, _, _ := p.visit("demo", at.EscapedPath()); status != 200 {
				t.Errorf("%s answers %d", address, status)
			}
		}
	}
	products := map[string]bool{} // a product with variants has an item for each
	for _, i := range google.Items {
		products[cmp.Or(i.Group, i.ID)] = true
	}
	if len(products) == len(google.Items) {
		t.Error("no product of the feed has variants")
	}
	wait(t, "the build was written down", func() bool {
		for _, f := range p.must(key, "GET", "/site-files", nil)["items"].([]any) {
			build, _ := f.(map[string]any)["last_build"].(map[string]any)
			if build == nil {
				return false
			}
			if build["state"] != "good" || build["items"] != float64(len(products)) || len(build["errors"].([]any)) > 0 {
				t.Errorf("last_build of %s: %v", f.(map[string]any)["name"], build)
			}
		}
		return true
	})
}

// A program killed during a build serves the last good copy after a restart, even if the new
// build fails.
func TestKilledDuringABuild(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	r := p.start()
	key := p.shop("tea")
	product := p.must(
		key, "POST", "/products",
		map[string]any{"item": map[string]any{"name": "Good", "is_published": true, "price": map[string]any{"price": 5}}},
	)
	const slow = `{{range 15000000}}{{end}}{{range products}}{{if eq .Name "Bad"}}{{len 3}}{{end}}{{.Name}}{{end}} and no more`
	file := p.must(key, "POST", "/site-files", map[string]any{"name": "list.txt", "body": slow, "is_published": true})
	at := "/site-files/" + file["id"].(string)
	if status, _, body := p.visit("tea", "/list.txt"); status != 200 || body != "Good and no more" {
		t.Fatalf("%d %q", status, body)
	}
	build := func() map[string]any {
		b, _ := p.must(key, "GET", at, nil)["last_build"].(map[string]any)
		return b
	}
	wait(t, "the copy was kept", func() bool { return build() != nil })
	rename := func(name string) {
		p.must(key, "PUT", fmt.Sprint("/products/", product["id"]), map[string]any{"item": map[string]any{"name": name}})
	}
	for range 3 {
		rename("Bad")
		visited := make(chan struct{})
		go func() {
			defer close(visited)
			if response, err := p.ask("tea", "/list.txt"); err == nil { // else the program died during the response
				response.Body.Close()
			}
		}()
		<-time.After(50 * time.Millisecond)
		r.kill()
		await.Next(t, visited)
		r = p.start()
		if status, _, body := p.visit("tea", "/list.txt"); status != 200 || body != "Good and no more" {
			t.Errorf("after a kill: %d %q", status, body)
		}
		wait(t, "the failed build was written down", func() bool { return build()["state"] == "failed" })
	}
	rename("New")
	wait(t, "the new copy is served", func() bool {
		_, _, body := p.visit("tea", "/list.txt")
		return body == "New and no more"
	})
}
