package media

import (
	"strings"
	"testing"
	"unicode"

	"vitrine/internal/shop"
)

func TestFileTypesAreCategories(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"image", kindImage}, {" Image ", kindImage}, {"image/png", kindImage}, {"IMAGE/SVG+XML", kindImage}, {"video/mp4", kindVideo},
		{"audio", kindAudio}, {"model/gltf-binary", kindModel}, {"file", kindFile}, {"application/pdf", kindFile}, {"text/csv", kindFile},
		{"font/woff2", kindFile}, {"", ""}, {"im", ""}, {"picture", ""}, {"image/", ""}, {"/png", ""}, {"a/", ""},
	} {
		got, err := parseKind(c.text)
		if refusal, ok := shop.AsRefusal(err); got != c.want || ok != (c.want == "") || ok && refusal.Code != "INVALID_REQUEST" {
			t.Errorf("%q: %q, %v; want %q", c.text, got, err, c.want)
		}
	}
}

func TestContentTypeOfAnUploadFitsWhatWasAnnounced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header, kind string
		want         bool
	}{
		{"", kindImage, true}, {"image/png", kindImage, true}, {"image", kindImage, true}, {"Image/PNG; q=1", kindImage, true},
		{"application/octet-stream", kindImage, true}, {"application/x-www-form-urlencoded", kindImage, true},
		{"text/html", kindImage, false}, {"video/mp4", kindImage, false}, {"imagery/png", kindImage, false}, {";;", kindImage, false},
		{"video/mp4", kindVideo, true}, {"model/gltf-binary", kindModel, true}, {"application/zip", kindModel, true}, {"text/html", kindFile, true},
	} {
		if got := matchesKind(c.header, c.kind); got != c.want {
			t.Errorf("%q for %s: %v", c.header, c.kind, got)
		}
	}
}

func TestSectionsBecomePathSegments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"products", "products"}, {"Home Page", "home-page"}, {"a/../b", "a-b"}, {"blog_2", "blog_2"}, {"tea-shop", "tea-shop"},
		{"ab", ""}, {"  ab  ", ""}, {"товары", ""}, {"---", ""}, {"...", ""}, {strings.Repeat("a", 65), ""},
	} {
		if got, err := cleanSection(c.text); got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q: %q, %v; want %q", c.text, got, err, c.want)
		}
	}
}

func TestNamesLoseTheirFolders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"tea.png", "tea.png"}, {`C:\fakepath\чай.png`, "чай.png"}, {"../../etc/passwd", "passwd"}, {" a b.jpg ", "a b.jpg"},
		{"", ""}, {"dir/", ""}, {"a\x01b", ""}, {strings.Repeat("я", 256), ""}, {strings.Repeat("я", 255), strings.Repeat("я", 255)},
	} {
		if got, err := cleanName(c.text); got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q: %q, %v; want %q", c.text, got, err, c.want)
		}
	}
	for name, want := range map[string]string{
		"a.PNG": "png", "a.tar.gz": "gz", "a": "", "a.": "", "a.p p": "", "a.верх": "", "a.abcdefghijk": "", ".htaccess": "htaccess",
	} {
		if got := extension(name); got != want {
			t.Errorf("extension of %q: %q, want %q", name, got, want)
		}
	}
}

func FuzzSection(f *testing.F) {
	f.Add("Home Page/../x")
	f.Fuzz(func(t *testing.T, text string) {
		clean, err := cleanSection(text)
		if err != nil {
			return
		}
		if bad := strings.Trim(clean, "abcdefghijklmnopqrstuvwxyz0123456789_-"); bad != "" || clean == "" {
			t.Errorf("%q became %q", text, clean)
		}
	})
}

func FuzzName(f *testing.F) {
	f.Add(`C:\a/b.png`)
	f.Fuzz(func(t *testing.T, text string) {
		name, err := cleanName(text)
		if err == nil && (name == "" || strings.ContainsAny(name, `/\`) || strings.IndexFunc(name, unicode.IsControl) >= 0) {
			t.Errorf("%q became %q", text, name)
		}
		if strings.ContainsAny(extension(text), `./\ `) {
			t.Errorf("%q has the extension %q", text, extension(text))
		}
	})
}
