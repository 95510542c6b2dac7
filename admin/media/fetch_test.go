package media_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/media"
	"vitrine/internal/outbound"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

const fromURL = "/v1/storages/files/from-url"

// web is a library and a public server whose files the tests define. Every host name resolves to
// that server, except inside.test.
type web struct {
	library
	files map[string][]byte
	base  string
}

func openWeb(t *testing.T, wrap ...func(*media.Images)) web {
	t.Helper()
	w := web{files: map[string][]byte{}}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		file, found := w.files[r.URL.Path]
		switch {
		case r.URL.Query().Has("to"):
			http.Redirect(rw, r, r.URL.Query().Get("to"), http.StatusFound)
		case r.URL.Path == "/cut":
			rw.Header().Set("Content-Length", "1000")
			fmt.Fprint(rw, "GIF89a")
		case !found:
			rw.WriteHeader(http.StatusTeapot)
		default:
			rw.Header().Set("Content-Type", "text/html") // ignored: the bytes decide
			if _, err := rw.Write(file); err != nil {
				t.Log(err)
			}
		}
	}))
	t.Cleanup(server.Close)
	look := func(_ context.Context, host string) ([]netip.Addr, error) {
		switch host {
		case "inside.test":
			return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
		case "nowhere.test":
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	client := outbound.New(outbound.Resolve(look), outbound.Allow(netip.MustParsePrefix("127.0.0.1/32")))
	w.library = openWith(t, func(cfg *admin.Config) { cfg.Fetch = client.Do }, wrap...)
	w.base = "http://shop.test" + server.URL[strings.LastIndexByte(server.URL, ':'):]
	return w
}

func fetchBody(url string) apitest.Map {
	return apitest.Map{"source_url": url, "section": "content", "file_type": "image"}
}

func TestAPictureIsFetchedFromAURL(t *testing.T) {
	t.Parallel()
	w := openWeb(t)
	m := noisePicture(60, 40, 1)
	for _, c := range []struct {
		file       []byte
		path, name string
		mime       string
	}{
		{pngOf(t, m), "/a/tea.png", "tea.png", "image/webp"},
		{rotated(jpegOf(t, noisePicture(40, 60, 2))), "/чай зелёный.jpg", "чай зелёный.jpg", "image/webp"},
		{gifOf(t, m), "/a.png", "a.png", "image/gif"},
		{[]byte(tinyWebP), "/no-extension", "no-extension", "image/webp"},
		{bmpOf(t, m), "/pic.bmp", "pic.bmp", "image/bmp"},
		{tiffOf(t, m), "/", "shop.test", "image/tiff"},
		{pngOf(t, noisePicture(9, 9, 7)), "/a\x00b\xff\n.png", "ab.png", "image/webp"},
		{pngOf(t, noisePicture(9, 9, 8)), "/" + strings.Repeat("n", 300) + ".png", strings.Repeat("n", 251) + ".png", "image/webp"},
	} {
		w.files[c.path] = c.file
		before := w.used()
		url := w.base + escaped(c.path)
		answer := w.OK("POST", fromURL, w.Owner, fetchBody(url))
		f := answer["result"].(apitest.Map)
		if f["original_name"] != c.name || f["mime"] != c.mime || f["status"] != "stored" || f["section"] != "content" ||
			answer["file_size"] != f["size"] {
			t.Errorf("%q: %v", c.path, answer)
		}
		row, err := w.served(f)
		if err != nil || f["url"] != "http://tea.shops.test"+f["public_path"].(string) {
			t.Errorf("%q: %v, %v", c.path, f, err)
		}
		counted := row.Size
		if row.SHA256 != row.OriginalSHA256 {
			counted += int64(len(c.file))
		}
		if w.used()-before != counted {
			t.Errorf("%q: %d bytes are counted, not %d", c.path, w.used()-before, counted)
		}
		if again := w.Result("GET", "/v1/storages/files/"+f["id"].(string), w.Owner, nil); again["url"] != f["url"] {
			t.Errorf("%q: read back as %v", c.path, again)
		}
	}
	named := fetchBody(w.base + "/a/tea.png?to=/a/tea.png%3Fx") // three hops at most; this is two
	named["original_name"], named["file_type"] = `C:\pics\other.png`, "image/png"
	if f := w.Result("POST", fromURL, w.Dev, named); f["original_name"] != "other.png" {
		t.Errorf("%v", f)
	}
}

func escaped(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if c == '/' || c == '.' || c >= 'a' && c <= 'z' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

func TestUnacceptableURLsAreRefused(t *testing.T) {
	t.Parallel()
	w := openWeb(t)
	whole := pngOf(t, noisePicture(60, 40, 5))
	w.files["/page"] = []byte("<!DOCTYPE html><script>1</script>")
	w.files["/icon.svg"] = []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)
	w.files["/half"], w.files["/nothing"], w.files["/whole"] = whole[:len(whole)/2], nil, whole
	w.files["/big"] = append(pngOf(t, noisePicture(5, 5, 1)), make([]byte, 10<<20)...)
	w.files["/bomb"] = []byte(
		"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\xff\xff\x00\x00\xff\xff\x08\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00IEND\xaeB`\x82",
	)
	to := func(target string) string {
		return w.base + "/?to=" + strings.NewReplacer("?", "%3F", "=", "%3D").Replace(target)
	}
	for _, c := range []struct{ url, code string }{
		{"", "INVALID_REQUEST"}, {"tea.png", "URL_NOT_ALLOWED"}, {"ftp://shop.test/tea.png", "URL_NOT_ALLOWED"}, {"file:///etc/passwd", "URL_NOT_ALLOWED"},
		{"http://user:pass@shop.test/", "URL_NOT_ALLOWED"}, {"http://localhost/tea.png", "URL_NOT_ALLOWED"}, {"http://127.0.0.2/", "URL_NOT_ALLOWED"},
		{"http://10.1.2.3/", "URL_NOT_ALLOWED"}, {"http://172.31.0.1/", "URL_NOT_ALLOWED"}, {"http://192.168.1.1/", "URL_NOT_ALLOWED"},
		{"http://169.254.169.254/latest/meta-data/", "URL_NOT_ALLOWED"}, {"http://[::1]/", "URL_NOT_ALLOWED"}, {"http://[fd00::1]/", "URL_NOT_ALLOWED"},
		{"http://[::ffff:10.0.0.1]/", "URL_NOT_ALLOWED"}, {"http://[64:ff9b::a00:1]/", "URL_NOT_ALLOWED"}, {"http://[2002:a00:1::1]/", "URL_NOT_ALLOWED"},
		{"http://100.64.0.1/", "URL_NOT_ALLOWED"}, {"http://inside.test/", "URL_NOT_ALLOWED"}, {"http://0x7f000001/", "URL_NOT_ALLOWED"},
		{to("http://10.0.0.1/"), "URL_NOT_ALLOWED"}, {to("http://inside.test/"), "URL_NOT_ALLOWED"}, {to("file:///etc/passwd"), "URL_NOT_ALLOWED"},
		{to(to("http://192.168.0.1/")), "URL_NOT_ALLOWED"},
		{"http://nowhere.test/tea.png", "URL_FETCH_FAILED"}, {"http://shop.test:1024/", "URL_FETCH_FAILED"}, {w.base + "/missing", "URL_FETCH_FAILED"},
		{w.base + "/page", "URL_FETCH_FAILED"}, {w.base + "/icon.svg", "URL_FETCH_FAILED"}, {w.base + "/half", "URL_FETCH_FAILED"},
		{w.base + "/nothing", "URL_FETCH_FAILED"}, {w.base + "/cut", "URL_FETCH_FAILED"}, {w.base + "/?to=", "URL_FETCH_FAILED"},
		{w.base + "/big", "FILE_TOO_LARGE"}, {w.base + "/bomb", "IMAGE_TOO_LARGE"},
	} {
		w.Refused("POST", fromURL, w.Owner, fetchBody(c.url), 400, c.code)
	}
	for field, value := range map[string]any{"section": "a", "file_type": "model", "original_name": "a\x7f", "source_url": 7} {
		body := fetchBody(w.base + "/whole")
		body[field] = value
		w.Refused("POST", fromURL, w.Owner, body, 400, "INVALID_REQUEST")
	}
	w.Refused("POST", fromURL, w.Scoped("storage:read"), fetchBody(w.base+"/whole"), 403, "PAT_SCOPE_MISSING")
	w.Limit(companydb.Limits{store.LimitStorage: int64(len(whole))})
	if answer := w.Refused("POST", fromURL, w.Owner, fetchBody(w.base+"/whole"), 429, "STORAGE_LIMIT_REACHED"); answer["limit_code"] != "storage_bytes" {
		t.Errorf("%v", answer)
	}
	if list := w.OK("GET", "/v1/storages/files", w.Owner, nil); list["total"] != 0.0 || w.used() != 0 {
		t.Errorf("files were left: %v, %d bytes", list, w.used())
	}
}

func TestRedirectsAreFollowedUpToALimit(t *testing.T) {
	t.Parallel()
	w := openWeb(t)
	w.files["/tea.png"] = pngOf(t, noisePicture(5, 5, 1))
	at := func(hops int) string {
		url := "/tea.png"
		for range hops {
			url = "/?to=" + strings.NewReplacer("%", "%25", "?", "%3F", "=", "%3D").Replace(url)
		}
		return w.base + url
	}
	if f := w.Result("POST", fromURL, w.Owner, fetchBody(at(3))); f["width"] != 5.0 {
		t.Errorf("%v", f)
	}
	w.Refused("POST", fromURL, w.Owner, fetchBody(at(4)), 400, "URL_FETCH_FAILED")
}
