package release

import "testing"

func TestContentTypesAndCompressibility(t *testing.T) {
	for path, want := range map[string]struct {
		mime    string
		smaller bool
	}{
		"index.html":          {"text/html; charset=utf-8", true},
		"a/B.HTM":             {"text/html; charset=utf-8", true},
		"a.css":               {"text/css; charset=utf-8", true},
		"a.js":                {"text/javascript; charset=utf-8", true},
		"a.mjs":               {"text/javascript; charset=utf-8", true},
		"a.min.js.map":        {"application/json", true},
		"data.json":           {"application/json", true},
		"site.webmanifest":    {"application/manifest+json", true},
		"a.wasm":              {"application/wasm", true},
		"sitemap.xml":         {"application/xml", true},
		"ads.txt":             {"text/plain; charset=utf-8", true},
		"a.svg":               {"image/svg+xml", true},
		"favicon.ico":         {"image/x-icon", true},
		"a.png":               {"image/png", false},
		"a.JPEG":              {"image/jpeg", false},
		"a.webp":              {"image/webp", false},
		"a.avif":              {"image/avif", false},
		"a.gif":               {"image/gif", false},
		"a.woff":              {"font/woff", false},
		"a.woff2":             {"font/woff2", false},
		"a.ttf":               {"font/ttf", true},
		"a.otf":               {"font/otf", true},
		"a.eot":               {"application/vnd.ms-fontobject", true},
		"a.mp4":               {"video/mp4", false},
		"a.webm":              {"video/webm", false},
		"a.mp3":               {"audio/mpeg", false},
		"a.pdf":               {"application/pdf", false},
		"a.zip":               {"application/zip", false},
		"LICENSE":             {"application/octet-stream", false},
		"a.unknown":           {"application/octet-stream", false},
		"a.html/b":            {"application/octet-stream", false},
		"a.":                  {"application/octet-stream", false},
		"archive.tar.gz":      {"application/gzip", false},
		".html":               {"text/html; charset=utf-8", true},
		"model.gltf":          {"model/gltf+json", true},
		"text/html; x=.woff2": {"font/woff2", false},
	} {
		if got := MIME(path); got != want.mime || Compressible(got) != want.smaller {
			t.Errorf("%s: %s, compressible %v", path, got, Compressible(got))
		}
	}
}

// File names of a saved website contain whole addresses.
func TestTypeOfASavedFile(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"js/jquery.js?ver=3.6": "text/javascript; charset=utf-8", "menu.js@e": "text/javascript; charset=utf-8", "a/style.css?v=2.1.png": "text/css; charset=utf-8",
		"font.woff2?#iefix": "font/woff2", "logo@2x.png": "image/png", "photo.jpg@w=640": "image/jpeg", "load?f=main.js": "text/javascript; charset=utf-8",
		"styles.php?f=main.css": "text/css; charset=utf-8", "x?y": Unknown, "@e.svg": "image/svg+xml", "?": Unknown,
	} {
		if got := MIME(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}
