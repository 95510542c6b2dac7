package release_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"io/fs"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// member is an entry of a hostile archive; the zero values are honest ones.
type member struct {
	name, text string
	mode       fs.FileMode
	lie        func(*zip.FileHeader) // called on a stored entry
}

// hostile packs an archive with an honest index.html and a member.
func hostile(t testing.TB, members ...member) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, e := range append([]member{{name: "index.html", text: "zip"}}, members...) {
		h := &zip.FileHeader{Name: e.name, Method: zip.Store, UncompressedSize64: uint64(len(e.text)), CompressedSize64: uint64(len(e.text)), CRC32: crcOf(e.text)}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		if e.lie != nil {
			e.lie(h)
		}
		entry, err := w.CreateRaw(h)
		if err == nil {
			_, err = entry.Write([]byte(e.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func many(n int) files {
	f := files{}
	for i := range n {
		f[fmt.Sprintf("d%d/%d.txt", i%7, i)] = fmt.Sprint(i)
	}
	return f
}

func TestHostileArchivesChangeNothing(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	live := show(a, at, a.Owner, files{"index.html": "live"})
	before := a.Result("GET", at, a.Owner, nil)["storage_usage"]
	good := hostile(t)
	cut := packed(t, many(20))
	for name, c := range map[string]struct {
		body []byte
		code string
	}{
		"nothing":             {nil, "ZIP_INVALID"},
		"a page":              {[]byte("<!doctype html>"), "ZIP_INVALID"},
		"traversal":           {hostile(t, member{name: "../x.html", text: "x"}), "RELEASE_PATH_INVALID"},
		"traversal inside":    {hostile(t, member{name: "a/../../x.html", text: "x"}), "RELEASE_PATH_INVALID"},
		"absolute":            {hostile(t, member{name: "/etc/passwd", text: "x"}), "RELEASE_PATH_INVALID"},
		"drive":               {hostile(t, member{name: "C:/x", text: "x"}), "RELEASE_PATH_INVALID"},
		"backslash":           {hostile(t, member{name: `..\x.html`, text: "x"}), "RELEASE_PATH_INVALID"},
		"control characters":  {hostile(t, member{name: "a\x1b[2J.html", text: "x"}), "RELEASE_PATH_INVALID"},
		"NUL":                 {hostile(t, member{name: "a.html\x00.png", text: "x"}), "RELEASE_PATH_INVALID"},
		"513 bytes of a path": {hostile(t, member{name: strings.Repeat("a", 513), text: "x"}), "RELEASE_PATH_INVALID"},
		"link":                {hostile(t, member{name: "a", text: "/etc/passwd", mode: fs.ModeSymlink | 0o777}), "ZIP_INVALID"},
		"device":              {hostile(t, member{name: "a", mode: fs.ModeDevice | 0o600}), "ZIP_INVALID"},
		"case conflict":       {hostile(t, member{name: "INDEX.html", text: "x"}), "RELEASE_PATH_CONFLICT"},
		"the same path":       {hostile(t, member{name: "index.html", text: "x"}), "RELEASE_PATH_CONFLICT"},
		"wrong CRC":           {hostile(t, member{name: "a", text: "x", lie: func(h *zip.FileHeader) { h.CRC32++ }}), "ZIP_INVALID"},
		"encrypted":           {hostile(t, member{name: "a", text: "x", lie: func(h *zip.FileHeader) { h.Flags |= 1 }}), "ZIP_INVALID"},
		"truncated":           {cut[:len(cut)-100], "ZIP_INVALID"},
		"half":                {cut[:len(cut)/2], "ZIP_INVALID"},
		"bytes behind":        {append(bytes.Clone(good), "<script>"...), "ZIP_INVALID"},
		"a program in front":  {append([]byte("MZ"), good...), "ZIP_INVALID"},
		"2,001 entries":       {packed(t, many(2001)), "RELEASE_TOO_LARGE"},
		"a lie of 1 TiB":      {hostile(t, member{name: "a", text: "x", lie: func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 40 }}), "RELEASE_TOO_LARGE"},
		"a bomb in a page":    {packed(t, files{"index.html": "x", "zeros.html": strings.Repeat("\x00", 20<<20+1)}), "RELEASE_TOO_LARGE"},
		"only hidden things":  {packed(t, files{".git/config": "x", "__MACOSX/a": "x", ".DS_Store": "x"}), "RELEASE_EMPTY"},
		"only empty files":    {packed(t, files{"index.html": ""}), "RELEASE_EMPTY"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := zipTo(a, at, "?base=none&publish=1", c.body); got.Status != 400 || apitest.Code(got.JSON) != c.code {
				t.Errorf("%d %s, want 400 %s", got.Status, got.Body, c.code)
			}
		})
	}
	if got := a.Result("GET", at, a.Owner, nil); got["active_release_id"] != live || fmt.Sprint(got["storage_usage"]) != fmt.Sprint(before) {
		t.Errorf("a refused archive left something: %v", got)
	}
	for _, forbidden := range []string{"x.php", "bin/x.exe", "a/b/run.SH"} {
		got := zipTo(a, at, "?base=none&publish=1", packed(t, files{"index.html": "x", forbidden: "x"}))
		if got.Status != 422 || apitest.Code(got.JSON) != "RELEASE_INVALID" || codes(got.JSON["report"], "errors") != "file.forbidden "+forbidden+":0" {
			t.Errorf("%s: %d %s", forbidden, got.Status, got.Body)
		}
	}
	if got := a.Result("GET", at, a.Owner, nil)["active_release_id"]; got != live {
		t.Errorf("live is %v, not %s", got, live)
	}
	if left := leftovers(t); len(left) != 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func crcOf(text string) uint32 { return crc32.ChecksumIEEE([]byte(text)) }

func TestAZIPBecomesASiteFolder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	website := files{"dist/index.html": "one", "dist/css/a.css": "a{}", "dist/docs/index.html": "docs", "dist/empty.txt": "", "dist/.git/config": "x", "__MACOSX/dist/._a": "x"}
	first := zipTo(a, at, "?publish=1", packed(t, website)) // there is nothing active yet: the same as none
	if first.Status != 200 || first.JSON["path"] != "/docs/" || len(first.JSON["upload"].(l)) != 0 {
		t.Fatalf("%d %s", first.Status, first.Body)
	}
	now := func() string { return paths(a.Result("GET", at, a.Owner, nil)["files"], "path") }
	if got := now(); got != "css/a.css docs/index.html index.html" {
		t.Errorf("one outer directory is taken off, hidden and empty files are left out: %s", got)
	}
	merged := zipTo(a, at, "?base=active&publish=1", packed(t, files{"new.css": "n{}"}))
	if merged.Status != 200 || now() != "css/a.css docs/index.html index.html new.css" {
		t.Errorf("merged: %d %s", merged.Status, now())
	}
	body, kind := form(t, "file", packed(t, files{"index.html": "all new"}))
	replaced := a.Send(apitest.Request{Method: "POST", Path: at + "/releases/zip?base=none&publish=1", Key: a.Owner, Body: body, Header: map[string]string{"Content-Type": kind}})
	if replaced.Status != 200 || now() != "index.html" {
		t.Errorf("replaced: %d %s", replaced.Status, now())
	}
	waiting := zipTo(a, at, "?base=none", packed(t, files{"index.html": "later"}))
	if waiting.Status != 200 || waiting.JSON["url"] != nil || now() != "index.html" {
		t.Errorf("without publish=1: %d %s", waiting.Status, waiting.Body)
	}
	if got := a.Result("GET", at, a.Owner, nil)["active_release_id"]; got != replaced.JSON["release_id"] {
		t.Errorf("without publish=1 %v is live", got)
	}
}

// The limits of document 3, section 8, one below, at and above each.
func TestTheLimitsOfASiteFolder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	holds := func(what string, d int, got apitest.Answer) {
		t.Helper()
		if d <= 0 && got.Status != 200 || d > 0 && got.Status != 400 {
			t.Errorf("%s, n%+d: %d %.200s", what, d, got.Status, got.Body)
		}
	}
	announce := func(list l) apitest.Answer {
		return a.Send(apitest.Request{Method: "POST", Path: at + "/releases", Key: a.Owner, Body: m{"base": "none", "files": list}})
	}
	index := m{"path": "index.html", "sha256": sum("x"), "size": 1}
	for d := -1; d <= 1; d++ {
		list := l{index}
		for n := range 1999 + d {
			list = append(list, m{"path": fmt.Sprint(n), "sha256": sum("x"), "size": 1})
		}
		holds("files", d, announce(list))
		for path, size := range map[string]int{"index.html": 20 << 20, "a.html": 20 << 20, "film.mp4": 100 << 20, "a.css": 100 << 20, "a.png": 10 << 20} {
			holds(path, d, announce(l{m{"path": path, "sha256": sum(path), "size": size + d}}))
		}
		holds("path", d, announce(l{index, m{"path": strings.Repeat("é", 254) + strings.Repeat("x", 4+d), "sha256": sum("x"), "size": 1}}))
		holds("entries", d, zipTo(a, at, "?base=none", packed(t, many(2000+d))))
		small := hostile(t, member{name: "a.bin", text: ""})
		holds("ZIP", d, zipTo(a, at, "?base=none", hostile(t, member{name: "a.bin", text: strings.Repeat("z", 60<<20-len(small)+d)})))
	}
}

func TestUnpackedBytesOfASiteFolder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	zeros := strings.Repeat("\x00", 100<<20)
	for d := -1; d <= 1; d++ {
		website := files{"index.html": "x", "last.bin": zeros[:12<<20-1+d]}
		for n := range 5 {
			website[fmt.Sprint(n, ".bin")] = zeros
		}
		got := zipTo(a, at, "?base=none", packed(t, website))
		if d <= 0 && got.Status != 200 || d > 0 && apitest.Code(got.JSON) != "RELEASE_TOO_LARGE" {
			t.Errorf("512 MiB%+d: %d %.200s", d, got.Status, got.Body)
		}
	}
}
