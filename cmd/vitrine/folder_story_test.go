package main

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/internal/await"
)

// edition is a website whose files all contain the number of its release.
func edition(t *testing.T, n int) []byte {
	files := map[string][]byte{}
	for i := range 60 {
		files[fmt.Sprintf("part/%d.html", i)] = fmt.Appendf(nil, "<p>part %d of edition %d.</p>%s", i, n, strings.Repeat(" words", 200))
	}
	files["index.html"] = fmt.Appendf(nil, "<p>edition %d.</p>", n)
	return packFiles(t, files)
}

// kill -9 while a website is being published by ZIP: after a restart the last acknowledged
// edition is served, or the one being published, and completely.
func TestKillDuringPublicationOfAWebsite(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	r := p.start()
	section := itoa(p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{
		"name": "Docs", "type": "site", "is_published": true, "seo": map[string]any{"slug": "docs"}}})["id"])
	publish := func(n int) bool {
		status, _, err := p.try(key, "POST", "/site-folders/"+section+"/releases/zip?base=none&publish=1", edition(t, n))
		return err == nil && status == 200
	}
	if !publish(0) {
		t.Fatal("the first edition was refused")
	}
	for round := range 3 {
		first := (round + 1) * 1000
		var acknowledged, tried atomic.Int64
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for n := first; ; n++ {
				tried.Store(int64(n))
				if !publish(n) {
					return
				}
				acknowledged.Store(int64(n))
			}
		}()
		wait(t, "some editions are out", func() bool { return int(acknowledged.Load()) > first+round })
		r.kill()
		await.Next(t, ended)
		r = p.start()
		status, _, index := p.visit("tea", "/docs/")
		shown := -1
		for n := int(acknowledged.Load()); n <= int(tried.Load()); n++ {
			if strings.Contains(index, fmt.Sprintf("edition %d.", n)) {
				shown = n
			}
		}
		if status != 200 || shown < 0 {
			t.Fatalf("edition %d was acknowledged, %d tried; the site shows %d %s", acknowledged.Load(), tried.Load(), status, index)
		}
		for i := range 60 {
			want := fmt.Sprintf("part %d of edition %d.", i, shown)
			if status, _, body := p.visit("tea", fmt.Sprintf("/docs/part/%d.html", i)); status != 200 || !strings.Contains(body, want) {
				t.Errorf("part %d: %d %.80s, want %s", i, status, body, want)
			}
		}
		if _, folder := p.call(key, "GET", "/site-folders/"+section, nil); len(folder["result"].(map[string]any)["files"].([]any)) != 61 {
			t.Errorf("the folder after the kill: %v", folder)
		}
	}
}
