package media_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/media"
	"vitrine/internal/await"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
	"vitrine/resizer"
)

func imageOf(f apitest.Map, query string) string {
	return "/v1/storages/files/" + f["id"].(string) + "/image" + query
}

func (l library) see(path, key string, header ...string) apitest.Answer {
	l.t.Helper()
	sent := map[string]string{}
	for i := 0; i < len(header); i += 2 {
		sent[header[i]] = header[i+1]
	}
	return l.Send(apitest.Request{Method: "GET", Path: path, Key: key, Header: sent})
}

// width reads the width of a WebP.
func (l library) width(body []byte) int {
	l.t.Helper()
	info, err := resizer.Inspect(body)
	if err != nil || info.Format != resizer.WebP {
		l.t.Errorf("%d bytes: %v, %v", len(body), info, err)
	}
	return info.Width
}

// A picture comes in the widths of the storefront, with a tag that saves sending it again.
func TestAPictureIsShownInAWidth(t *testing.T) {
	t.Parallel()
	l := open(t)
	f := l.stored("image", "tea.png", pngOf(t, noisePicture(60, 40, 1)))
	for query, want := range map[string]int{"?w=20": 20, "?w=16": 16, "?w=0": 16, "?w=1": 16, "?w=60": 60, "?w=5000": 60, "?w=2147483647": 60, "": 60} {
		got := l.see(imageOf(f, query), l.Owner)
		if got.Status != 200 || got.Header.Get("Content-Type") != "image/webp" || l.width(got.Body) != want {
			t.Errorf("%s: %d %s", query, got.Status, got.Header)
			continue
		}
		for name, value := range map[string]string{
			"Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
			"Content-Disposition": "", "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
		} {
			if got.Header.Get(name) != value {
				t.Errorf("%s: %s %q", query, name, got.Header.Get(name))
			}
		}
		tag := got.Header.Get("ETag")
		if again := l.see(imageOf(f, query), l.Owner, "If-None-Match", `"x", `+tag); again.Status != 304 || len(again.Body) > 0 || again.Header.Get("ETag") != tag {
			t.Errorf("%s: %d with the tag %s", query, again.Status, tag)
		}
		head := l.Send(apitest.Request{Method: "HEAD", Path: imageOf(f, query), Key: l.Owner})
		if head.Status != 200 || head.Header.Get("Content-Length") != strconv.Itoa(len(got.Body)) || len(head.Body) > 0 {
			t.Errorf("HEAD %s: %d %v", query, head.Status, head.Header)
		}
	}
	small, large := l.see(imageOf(f, "?w=20"), l.Owner), l.see(imageOf(f, "?w=40"), l.Owner)
	if small.Header.Get("ETag") == large.Header.Get("ETag") {
		t.Error("two widths have one tag")
	}
	for _, query := range []string{"?w=wide", "?w=-1", "?w=1.5", "?w=99999999999999999999", "?w=0x10"} {
		l.Refused("GET", imageOf(f, query), l.Owner, nil, 400, "INVALID_REQUEST")
	}
	l.OK("POST", "/v1/storages/files/"+f["id"].(string)+"/prefer-original", l.Owner, apitest.Map{"prefer_original": true})
	now := l.see(imageOf(f, ""), l.Owner, "If-None-Match", small.Header.Get("ETag"))
	if now.Status != 200 || now.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the file with other bytes: %d %v", now.Status, now.Header)
	}
}

// A file comes as it is. What a browser could run, or would have to guess, is a download.
func TestOtherFilesAreDownloads(t *testing.T) {
	t.Parallel()
	l := open(t)
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(document.domain)</script></svg>`)
	for _, c := range []struct {
		kind, name string
		file       []byte
		mime       string
		attached   bool
	}{
		{"image", "a.gif", gifOf(t, noisePicture(20, 10, 9)), "image/gif", false},
		{"file", "raw.png", pngOf(t, noisePicture(20, 10, 9)), "image/png", false},
		{"image", "Знак \"1\".svg", svg, "image/svg+xml", true},
		{"file", "mark.svg", svg, "image/svg+xml", true},
		{"file", "page.html", []byte("<!doctype html><title>x</title><script>alert(1)</script>"), "text/html; charset=utf-8", true},
		{"file", "list.pdf", []byte("%PDF-1.7\n%%EOF"), "application/pdf", true},
		{"model", "cup.glb", []byte("glTF\x02\x00\x00\x00\x10\x00\x00\x00"), "model/gltf-binary", true},
	} {
		f := l.stored(c.kind, c.name, c.file)
		got := l.see(imageOf(f, ""), l.Owner)
		disposition := got.Header.Get("Content-Disposition")
		if got.Status != 200 || !bytes.Equal(got.Body, c.file) || got.Header.Get("Content-Type") != c.mime || strings.HasPrefix(disposition, "attachment; ") != c.attached {
			t.Errorf("%s: %d %v", c.name, got.Status, got.Header)
		}
		if !strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox; default-src 'none'") || got.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: %v", c.name, got.Header)
		}
		if again := l.see(imageOf(f, ""), l.Owner, "If-None-Match", got.Header.Get("ETag")); again.Status != 304 {
			t.Errorf("%s: %d with its tag", c.name, again.Status)
		}
		switch wide := l.see(imageOf(f, "?w=16"), l.Owner); {
		case c.mime == "image/svg+xml":
			if wide.Status != 200 || !bytes.Equal(wide.Body, c.file) || !strings.HasPrefix(wide.Header.Get("Content-Disposition"), "attachment; ") {
				t.Errorf("%s in a width: %d %v", c.name, wide.Status, wide.Header)
			}
		case strings.HasPrefix(c.mime, "image/"):
			if wide.Status != 200 || l.width(wide.Body) != 16 {
				t.Errorf("%s in a width: %d %v", c.name, wide.Status, wide.Header)
			}
		case wide.Status != 400 || apitest.Code(wide.JSON) != "FILE_NOT_IMAGE" || wide.JSON["place"] != "w":
			t.Errorf("%s in a width: %d %v", c.name, wide.Status, wide.JSON)
		}
	}
	named := l.stored("file", `знак; "1".bin`, []byte{1})
	if got := l.see(imageOf(named, ""), l.Owner).Header.Get("Content-Disposition"); got != `attachment; filename="____; _1_.bin"; filename*=UTF-8''%D0%B7%D0%BD%D0%B0%D0%BA%3B%20%221%22.bin` {
		t.Errorf("%s", got)
	}
}

// Players of videos read the parts that they need.
func TestAPartOfAFileIsSent(t *testing.T) {
	t.Parallel()
	l := open(t)
	file := append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("tea "), 50_000)...)
	f, size := l.stored("file", "list.pdf", file), len(file)
	whole := l.see(imageOf(f, ""), l.Owner)
	if whole.Header.Get("Accept-Ranges") != "bytes" || !bytes.Equal(whole.Body, file) {
		t.Fatalf("%d %v, %d bytes", whole.Status, whole.Header, len(whole.Body))
	}
	tag := whole.Header.Get("ETag")
	for _, c := range []struct {
		field, had string
		status     int
		from, to   int
	}{
		{"bytes=0-9", "", 206, 0, 10},
		{"bytes=0-0", "", 206, 0, 1},
		{"bytes=0-", "", 206, 0, size},
		{"bytes=100000-100099", tag, 206, 100_000, 100_100},
		{fmt.Sprint("bytes=", size-1, "-"), "", 206, size - 1, size},
		{fmt.Sprint("bytes=", size-5, "-", size+5), "", 206, size - 5, size},
		{"bytes=-7", "", 206, size - 7, size},
		{"bytes=-9999999", "", 206, 0, size},
		{fmt.Sprint("bytes=", size, "-"), "", 416, 0, 0},
		{"bytes=-0", "", 416, 0, 0},
		{"bytes=5-4", "", 200, 0, size},
		{"bytes=0-1,4-5", "", 200, 0, size},
		{"items=0-1", "", 200, 0, size},
		{"bytes=0-99999999999999999999", "", 200, 0, size},
		{"bytes=0-9", `"another"`, 200, 0, size},
		{"bytes=0-9", "W/" + tag, 200, 0, size},
	} {
		header := []string{"Range", c.field}
		if c.had != "" {
			header = append(header, "If-Range", c.had)
		}
		got := l.see(imageOf(f, ""), l.Owner, header...)
		part, want := got.Header.Get("Content-Range"), ""
		switch c.status {
		case 206:
			want = fmt.Sprintf("bytes %d-%d/%d", c.from, c.to-1, size)
		case 416:
			want = fmt.Sprintf("bytes */%d", size)
		}
		if got.Status != c.status || part != want || !bytes.Equal(got.Body, file[c.from:c.to]) || got.Header.Get("ETag") != tag ||
			got.Header.Get("Content-Length") != strconv.Itoa(c.to-c.from) {
			t.Errorf("%s, If-Range %s: %d %v, %d bytes", c.field, c.had, got.Status, got.Header, len(got.Body))
		}
		if got.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" || !strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %v", c.field, got.Header)
		}
	}
	head := l.Send(apitest.Request{Method: "HEAD", Path: imageOf(f, ""), Key: l.Owner, Header: map[string]string{"Range": "bytes=0-9"}})
	if head.Status != 200 || head.Header.Get("Content-Length") != strconv.Itoa(size) || head.Header.Get("Accept-Ranges") != "bytes" || len(head.Body) > 0 {
		t.Errorf("HEAD: %d %v", head.Status, head.Header)
	}
	if again := l.see(imageOf(f, ""), l.Owner, "Range", "bytes=0-9", "If-None-Match", tag); again.Status != 304 || len(again.Body) > 0 {
		t.Errorf("a part with the tag of the file: %d", again.Status)
	}
	l.Refused("GET", imageOf(f, ""), l.Stranger, nil, 404, "FILE_NOT_FOUND")
	picture := l.stored("image", "tea.png", pngOf(t, noisePicture(60, 40, 1)))
	if got := l.see(imageOf(picture, "?w=20"), l.Owner, "Range", "bytes=0-9"); got.Status != 200 || l.width(got.Body) != 20 {
		t.Errorf("a part of a picture in a width: %d", got.Status)
	}
}

// The members of a shop and keys that read its files see them, also in a closed shop; nobody else.
func TestWhoSeesThePicturesOfAShop(t *testing.T) {
	t.Parallel()
	l := open(t)
	f := l.stored("image", "tea.png", pngOf(t, noisePicture(20, 10, 1)))
	waiting, gone := l.announce("image", "soon.png"), l.stored("image", "old.png", pngOf(t, noisePicture(20, 10, 2)))
	l.OK("DELETE", "/v1/storages/files/"+gone["id"].(string), l.Owner, nil)
	draft := map[string]string{"Authorization": "Bearer " + l.Session(l.OwnerID), "X-Service-Contour": "dev"}
	buyer := l.Buyer("ann@people.test")
	for _, closed := range []bool{false, true} {
		l.Close(closed)
		for _, query := range []string{"", "?w=16"} {
			at := imageOf(f, query)
			for who, key := range map[string]string{
				"owner": l.Owner, "editor": l.Editor, "draft key": l.Dev, "owner's session": l.Session(l.OwnerID), "admin": l.Session(l.Member(shop.Admin)),
				"editor's session": l.Session(l.EditorID), "reader": l.Scoped("storage:read"), "grant": l.Grant(l.OwnerID, "storage:read"),
			} {
				if got := l.see(at, key); got.Status != 200 || l.width(got.Body) > 20 {
					t.Errorf("closed %v: %s gets %d %s", closed, who, got.Status, got.Body)
				}
			}
			if got := l.Send(apitest.Request{Method: "GET", Path: at, Header: draft}); got.Status != 200 {
				t.Errorf("a session in the draft gets %d", got.Status)
			}
			l.Refused("GET", at, "", nil, 401, "UNAUTHENTICATED")
			l.Refused("GET", at, "vs_invented", nil, 401, "UNAUTHENTICATED")
			l.Refused("GET", at, l.Stranger, nil, 404, "FILE_NOT_FOUND")
			l.Refused("GET", at, l.Session(l.StrangerID), nil, 404, "FILE_NOT_FOUND")
			l.Refused("GET", at, l.Scoped("storage:write"), nil, 403, "PAT_SCOPE_MISSING")
			for who, header := range map[string]map[string]string{
				"visitor": l.ThroughStorefront(), "visitor with the PIN": l.WithPIN(), "buyer": l.OnHost(l.Bound(buyer)), "owner's cookie": l.OnHost(l.Session(l.OwnerID)),
			} {
				if got := l.Send(apitest.Request{Method: "GET", Path: at, Header: header}); got.Status != 401 && got.Status != 403 {
					t.Errorf("closed %v: a %s on the shop's host gets %d", closed, who, got.Status)
				}
			}
		}
	}
	for _, query := range []string{"", "?w=16"} {
		l.Refused("GET", "/v1/storages/files/"+waiting.id+"/image"+query, l.Owner, nil, 400, "FILE_NOT_STORED")
		l.Refused("GET", imageOf(gone, query), l.Owner, nil, 404, "FILE_NOT_FOUND")
		l.Refused("GET", "/v1/storages/files/"+uuid.NewString()+"/image"+query, l.Owner, nil, 404, "FILE_NOT_FOUND")
		l.Refused("GET", "/v1/storages/files/x/image"+query, l.Owner, nil, 404, "NOT_FOUND")
	}
}

// The picture of a buyer's review is seen through the review alone.
func TestThePictureOfABuyerIsNoFileOfTheLibrary(t *testing.T) {
	t.Parallel()
	l := open(t)
	ann := l.Bound(l.Buyer("ann@people.test"))
	send := func(method, path string, body any) apitest.Map {
		got := l.Send(apitest.Request{Method: method, Path: path, Header: l.OnHost(ann), Body: body})
		if got.Status >= 300 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		return got.JSON
	}
	answer := send("POST", "/v1/storages/files", apitest.Map{"section": "reviews", "file_type": "image", "original_name": "a.png"})
	up := answer["upload"].(apitest.Map)
	l.OK("PUT", up["url"].(string), "", pngOf(t, noisePicture(20, 10, 3)))
	send("POST", "/v1/storages/files/"+up["id"].(string)+"/done", nil)
	l.Refused("GET", imageOf(answer["result"].(apitest.Map), ""), l.Owner, nil, 404, "FILE_NOT_FOUND")
}

// An <img> on a page of the admin origin shows pictures with the cookie. It counts for no other
// page, and not when the address is opened by itself or in a frame.
func TestThePagesOfTheAdminOriginShowPictures(t *testing.T) {
	t.Parallel()
	const origin = "http://localhost:8081"
	l := openWith(t, func(cfg *admin.Config) { cfg.URLs.Admin = origin })
	u := l.announce("image", "tea.png")
	u.url = strings.TrimPrefix(u.url, origin)
	l.put(u, pngOf(t, noisePicture(20, 10, 1)))
	f := l.done(u)
	cookie := map[string]string{"Cookie": "vitrine=" + l.Session(l.EditorID)}
	img := map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image", "Accept": "image/avif,image/webp,image/*,*/*;q=0.8"}
	maps.Copy(img, cookie)
	see := func(path string, header map[string]string, more ...string) apitest.Answer {
		all := maps.Clone(header)
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return l.Send(apitest.Request{Method: "GET", Path: path, Header: all})
	}
	for _, query := range []string{"?w=16", ""} {
		if got := see(imageOf(f, query), img); got.Status != 200 || l.width(got.Body) > 20 {
			t.Errorf("%s: %d %s", query, got.Status, got.Body)
		}
		for what, header := range map[string][]string{
			"a page of a shop":       {"Sec-Fetch-Site", "same-site"},
			"a page of another site": {"Sec-Fetch-Site", "cross-site"},
			"the address bar":        {"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
			"a link of our page":     {"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
			"a frame of our page":    {"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"},
			"an object of our page":  {"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "object"},
			"an old browser":         {"Sec-Fetch-Site", ""},
		} {
			if got := see(imageOf(f, query), img, header...); got.Status != 401 {
				t.Errorf("%s %s: %d", what, query, got.Status)
			}
		}
	}
}

// A page cannot send X-Vitrine-Shop with a picture, so its address names the shop: each of two
// windows sees the pictures of its own.
func TestTheAddressOfAPictureNamesTheShop(t *testing.T) {
	t.Parallel()
	l := open(t)
	if err := l.Store.Write(t.Context(), l.Other.ID, func(tx *store.Tx) error { return people.AddMember(t.Context(), tx, l.OwnerID, shop.Editor) }); err != nil {
		t.Fatal(err)
	}
	f := l.stored("image", "tea.png", pngOf(t, noisePicture(20, 10, 1)))
	session, at := l.Session(l.OwnerID), imageOf(f, "?w=16")
	for query, status := range map[string]int{"": 200, "&shop=tea": 200, "&shop=" + l.Shop.ID.String(): 200, "&shop=": 200, "&shop=rival": 404, "&shop=" + l.Other.ID.String(): 404, "&shop=nothing": 403, "&shop=" + strings.Repeat("9", 63): 403, "&shop=" + strings.Repeat("9", 64): 400, "&shop=tea%00": 400, "&shop=%ff": 400} {
		if got := l.see(at+query, session); got.Status != status {
			t.Errorf("%s: %d %s", query, got.Status, got.Body)
		}
	}
	if got := l.see(at+"&shop=rival", session, "X-Vitrine-Shop", "tea"); got.Status != 200 {
		t.Errorf("the header does not go first: %d", got.Status)
	}
	l.Refused("GET", at+"&shop=tea", l.Session(l.StrangerID), nil, 403, "COMPANY_ID_PROBLEM")
	l.Refused("GET", at+"&shop=rival", l.Owner, nil, 403, "COMPANY_ID_PROBLEM")
	if got := l.see("/v1/storages/files?shop=rival", session); got.JSON["total"] != 1.0 || got.Header.Get("X-Ignored-Fields") != "shop" {
		t.Errorf("another endpoint takes the shop from the address: %v", got.JSON)
	}
}

// Pictures do not use up the other calls of the shop, but a shop that asks for many at once waits for
// its own, and a busy image service says so.
func TestAFloodOfPicturesIsBounded(t *testing.T) {
	t.Parallel()
	var running, most atomic.Int32
	free := make(chan struct{})
	l := openWith(t, func(cfg *admin.Config) {
		cfg.Media.Resize = func(_ context.Context, _ string, width int) (media.Resized, error) {
			if width == 17 {
				return media.Resized{}, shop.ErrUnavailable
			}
			now := running.Add(1)
			defer running.Add(-1)
			for was := most.Load(); now > was && !most.CompareAndSwap(was, now); was = most.Load() {
			}
			<-free
			return media.Resized{Body: []byte("RIFF"), ETag: `"1"`}, nil
		}
	})
	f := l.stored("image", "tea.png", pngOf(t, noisePicture(20, 10, 1)))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got := l.see(imageOf(f, "?w=16"), l.Owner); got.Status != 200 {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		})
	}
	if !await.Until(func() bool { return running.Load() >= 4 }) {
		t.Error("four pictures are never resized at once")
	}
	close(free)
	all.Wait()
	if most.Load() != 4 {
		t.Errorf("%d at once", most.Load())
	}
	got := l.see(imageOf(f, "?w=17"), l.Owner)
	if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a busy service: %d %v", got.Status, got.Header)
	}
	for i := range 700 {
		if got := l.see(imageOf(f, "?w="+fmt.Sprint(16+i%2*2)), l.Owner); got.Status != 200 {
			t.Fatalf("picture %d: %d %s", i, got.Status, got.Body)
		}
	}
	l.OK("GET", "/v1/storages/files", l.Owner, nil)
}
