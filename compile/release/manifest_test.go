package release

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/shop"
)

// sum is a made-up sha256: one digit, repeated. A whole sha256 is kept.
func sum(digit string) string { return strings.Repeat(digit, 64)[:64] }

// row parses "path digit size" into a request's row, as in row("a.css 1 10").
func row(text string) File {
	var path, digit string
	var size int64
	if _, err := fmt.Sscan(text, &path, &digit, &size); err != nil {
		panic(err)
	}
	return File{Path: path, SHA256: sum(digit), Size: size}
}

func rows(texts ...string) (files []File) {
	for _, text := range texts {
		files = append(files, row(text))
	}
	return files
}

func paths(files []File) (list []string) {
	for _, f := range files {
		list = append(list, f.Path)
	}
	return list
}

func nothing(string) bool { return false }

func mustPlan(t *testing.T, req Request, base []File, has func(string) bool, l Limits) Manifest {
	t.Helper()
	m, err := Plan(req, base, has, l)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func want(t *testing.T, what string, got []string, list string) {
	t.Helper()
	if strings.Join(got, " ") != list {
		t.Errorf("%s: got %q, want %q", what, got, list)
	}
}

func TestPlanKeepsUnmentionedFiles(t *testing.T) {
	base := rows("css/a.css 1 10", "index.html 2 20", "old.png 3 30")
	has := func(sha string) bool { return sha <= sum("3") }
	m := mustPlan(
		t, Request{Base: "active", Files: rows("index.html 4 40", "new.png 3 30"), Delete: []string{"old.png", "none.png"}},
		base, has, Document,
	)
	want(t, "files", paths(m.Files), "css/a.css index.html new.png")
	want(t, "upload", paths(m.Upload), "index.html")
	want(t, "reused", m.Reused, "new.png") // a rename: same hash, new path
	want(t, "inherited", m.Inherited, "css/a.css")
	if f, _ := Find(m.Files, "index.html"); f.SHA256 != sum("4") || f.MIME != "text/html; charset=utf-8" {
		t.Errorf("index.html is %+v", f)
	}
}

func TestPlanFromNothingIgnoresTheBase(t *testing.T) {
	m := mustPlan(t, Request{Base: "none", Files: rows("index.html 1 1")}, rows("old.png 3 30"), nothing, Folder)
	want(t, "files", paths(m.Files), "index.html")
	want(t, "inherited", m.Inherited, "")
}

func TestPlanDeletesBeforeItPuts(t *testing.T) {
	base := rows("A.css 1 1", "dir 2 1", "x 3 1")
	m := mustPlan(t, Request{Files: rows("a.css 1 1", "dir/in 2 1", "x 4 1"), Delete: []string{"A.css", "dir", "x"}}, base, nothing, Document)
	want(t, "files", paths(m.Files), "a.css dir/in x")
}

func TestPlanAsksForEachContentOnce(t *testing.T) {
	m := mustPlan(t, Request{Base: "none", Files: rows("b 1 5", "a 1 5", "index.html 2 5", "b 1 5")}, nil, nothing, Document)
	want(t, "upload", paths(m.Upload), "a index.html")
	want(t, "reused", m.Reused, "b")
}

func TestEmptyFilesStayInDocumentsOnly(t *testing.T) {
	req := Request{Base: "none", Files: rows("index.html 1 5", "empty.css "+emptySum+" 0")}
	want(t, "document", paths(mustPlan(t, req, nil, nothing, Document).Files), "empty.css index.html")
	m := mustPlan(t, req, nil, nothing, Folder)
	want(t, "folder", paths(m.Files), "index.html")
	want(t, "dropped", m.Dropped, "empty.css")
	_, err := Plan(Request{Base: "none", Files: rows("index.html " + emptySum + " 0")}, nil, nothing, Folder)
	refused(t, err, ErrEmpty)
}

func TestPlanRefuses(t *testing.T) {
	base := rows("Logo.png 1 1", "dir/a 2 2", "index.html 3 3")
	bad := func(f File) Request { return Request{Files: []File{f}} }
	for name, tc := range map[string]struct {
		req  Request
		want *shop.Refusal
		say  string
	}{
		"traversal":              {bad(row("../a 1 1")), ErrPath, `"../a"`},
		"traversal in delete":    {Request{Delete: []string{"../a"}}, ErrPath, `"../a"`},
		"case twin of the base":  {bad(row("logo.png 4 1")), ErrConflict, `"Logo.png"`},
		"file where a folder is": {bad(row("dir 4 1")), ErrConflict, `"dir/a"`},
		"folder where a file is": {bad(row("index.html/a 4 1")), ErrConflict, `"index.html"`},
		"two contents":           {Request{Files: rows("a 1 1", "a 2 1")}, ErrConflict, "different contents"},
		"short hash":             {bad(File{Path: "a", SHA256: "abc", Size: 1}), ErrFile, "64 hex digits"},
		"hash with g":            {bad(row("a g 1")), ErrFile, "64 hex digits"},
		"negative size":          {bad(row("a 4 -1")), ErrFile, "0 or more"},
		"empty by its size only": {bad(row("a 4 0")), ErrFile, "size 0"},
		"one hash, two sizes":    {bad(row("a 3 4")), ErrFile, "another size"},
		"unknown base":           {Request{Base: "latest", Files: rows("a 1 1")}, ErrBase, "active"},
		"base zero":              {Request{Base: "0", Files: rows("a 1 1")}, ErrBase, ""},
		"nothing left":           {Request{Delete: paths(base)}, ErrEmpty, ""},
		"long note":              {Request{Note: strings.Repeat("й", MaxNote+1)}, shop.ErrInvalidRequest, "note"},
		"note with NUL":          {Request{Note: "a\x00"}, shop.ErrInvalidRequest, "note"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Plan(tc.req, base, nothing, Document)
			refused(t, err, tc.want, tc.say)
		})
	}
}

func TestForbiddenKindsAreStoredAndFound(t *testing.T) {
	m := mustPlan(t, Request{Base: "none", Files: rows("index.html 1 1", "shell.php 2 1")}, nil, nothing, Folder)
	r, err := Validate(m.Files, func(string) ([]byte, error) { return []byte("<p>words"), nil }, Folder)
	if err != nil || len(r.Errors) != 1 || r.Errors[0].Code != FileForbidden {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestHashesAreLowerCased(t *testing.T) {
	m := mustPlan(t, Request{Files: []File{{Path: "a", SHA256: sum("A"), Size: 1}}}, nil, nothing, Document)
	if m.Upload[0].SHA256 != sum("a") {
		t.Errorf("%+v", m.Upload[0])
	}
}

func TestParseBase(t *testing.T) {
	for text, want := range map[string]Base{"": {Active: true}, "active": {Active: true}, "none": {}, "42": {Release: 42}} {
		if got, err := ParseBase(text); err != nil || got != want {
			t.Errorf("ParseBase(%q) = %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"Active", "-1", "0", "1.5", `"7"`, "null", "99999999999999999999"} {
		if _, err := ParseBase(text); err == nil {
			t.Errorf("ParseBase(%q) passed", text)
		}
	}
}

func TestAFileReadsItsSizeAsNumberOrString(t *testing.T) {
	for _, text := range []string{`{"path":"a","sha256":"x","size":7,"mime":"evil/type","more":1}`, `{"path":"a","sha256":"x","size":"7"}`} {
		var f File
		if err := json.Unmarshal([]byte(text), &f); err != nil || f != (File{Path: "a", SHA256: "x", Size: 7}) {
			t.Errorf("%s: %+v, %v", text, f, err)
		}
	}
	var f File
	for _, text := range []string{`{"path":"a","sha256":"x"}`, `{"path":"a","sha256":"x","size":null}`} {
		if err := json.Unmarshal([]byte(text), &f); err != nil || f.Size >= 0 {
			t.Errorf("no size: %+v, %v", f, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"path":"a","size":"much"}`), &f); err == nil {
		t.Error("a size of words passed")
	}
	out, err := json.Marshal(File{"a", "x", 7, "text/plain"})
	if err != nil || string(out) != `{"path":"a","sha256":"x","size":7,"mime":"text/plain"}` {
		t.Errorf("%s, %v", out, err)
	}
}

// TestPlanIsBaseMinusDeletePlusFiles compares Plan with a simple model, and the four lists with
// each other.
func TestPlanIsBaseMinusDeletePlusFiles(t *testing.T) {
	path := rapid.StringMatching(`[a-d](/[a-b]){0,2}`)
	file := rapid.Custom(func(t *rapid.T) File {
		digit := rapid.StringMatching(`[0-5]`).Draw(t, "content")
		return File{Path: path.Draw(t, "path"), SHA256: sum(digit), Size: int64(digit[0])}
	})
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SliceOfN(file, 0, 6).Draw(t, "base")
		slices.SortFunc(base, byPath)
		base = slices.CompactFunc(base, func(a, b File) bool { return a.Path == b.Path })
		req := Request{
			Base:   rapid.SampledFrom([]string{"active", "none", "7"}).Draw(t, "from"),
			Files:  rapid.SliceOfNDistinct(file, 0, 6, func(f File) string { return f.Path }).Draw(t, "files"),
			Delete: rapid.SliceOfN(path, 0, 4).Draw(t, "delete"),
		}
		stored := rapid.SliceOf(rapid.StringMatching(`[0-5]`)).Draw(t, "stored")
		has := func(sha string) bool { return slices.Contains(stored, sha[:1]) }

		model := map[string]string{}
		if req.Base != "none" {
			for _, f := range base {
				model[f.Path] = f.SHA256
			}
		}
		maps.DeleteFunc(model, func(path, _ string) bool { return slices.Contains(req.Delete, path) })
		for _, f := range req.Files {
			model[f.Path] = f.SHA256
		}

		m, err := Plan(req, base, has, Document)
		if err != nil {
			if len(model) > 0 && conflict(slices.Collect(maps.Keys(model))) == nil {
				t.Fatalf("refused without a reason: %v", err)
			}
			return
		}
		got := map[string]string{}
		for _, f := range m.Files {
			got[f.Path] = f.SHA256
		}
		if !maps.Equal(got, model) || !slices.IsSortedFunc(m.Files, byPath) {
			t.Fatalf("got %v, want %v", got, model)
		}
		checkSplit(t, m, req, has)
	})
}

// checkSplit checks the lists against each other: every path is in exactly one, and every missing
// content is uploaded once.
func checkSplit(t *rapid.T, m Manifest, req Request, has func(string) bool) {
	all := slices.Concat(paths(m.Upload), m.Reused, m.Inherited)
	slices.Sort(all)
	if !slices.Equal(all, paths(m.Files)) {
		t.Fatalf("the lists hold %v, want %v", all, paths(m.Files))
	}
	missing := map[string]bool{}
	for _, f := range req.Files {
		if !has(f.SHA256) {
			missing[f.SHA256] = true
		}
	}
	for _, f := range m.Upload {
		if !missing[f.SHA256] {
			t.Fatalf("%s is requested twice or unnecessarily", f.Path)
		}
		delete(missing, f.SHA256)
	}
	if len(missing) > 0 {
		t.Fatalf("%v are never requested", missing)
	}
}
