package main

import (
	"bytes"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	guideBlock   = regexp.MustCompile("(?s)```sh\n(.*?)```")
	guideProfile = regexp.MustCompile("(?s)```json\n(\\{\n  \"ucp\".*?)```")
	guideSets    = regexp.MustCompile(`(?m)^(?:export )?([A-Za-z_]+)=`)
)

// ofTheShell are variables that a reader's shell needs unchanged.
var ofTheShell = []string{
	"HOME", "PATH", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "TERM", "LANG", "EDITOR", "MAIL", "TMPDIR", "UID", "IFS", "PS1", "DISPLAY", "HOSTNAME",
}

// Every block of every guide is typed into a new shell, with the variables set by the blocks
// before it: each command succeeds, and none changes variables of the reader's shell.
func TestGuidesWorkInAShell(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8")
	p.start()
	p.writeGuideFiles(t)
	_, index := p.call("", "GET", "/docs/index.json", nil)
	typed := 0
	for n, g := range index["guides"].([]any) {
		path := itoa(g.(map[string]any)["path"])
		_, text, err := p.try("", "GET", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		scripts := guideBlock.FindAllStringSubmatch(string(text), -1)
		if len(scripts) > 0 {
			r := &reader{program: p, slug: "guide-" + strconv.Itoa(n)}
			if profile := guideProfile.FindStringSubmatch(string(text)); profile != nil {
				r.profile = serveText(t, profile[1])
			}
			r.prepare()
			for _, script := range scripts {
				r.types(t, path, script[1])
				typed++
			}
		}
	}
	if typed < 50 {
		t.Errorf("only %d blocks were typed", typed)
	}
}

// writeGuideFiles writes the files that the guides refer to.
func (p *program) writeGuideFiles(t *testing.T) {
	t.Helper()
	for name, shade := range map[string]byte{"sencha.png": 10, "hero.jpg": 60, "hands.jpg": 110, "table.jpg": 160} {
		picture := image.NewGray(image.Rect(0, 0, 640, 480))
		for i := range picture.Pix {
			picture.Pix[i] = shade
		}
		var out bytes.Buffer
		if err := jpeg.Encode(&out, picture, nil); err != nil {
			t.Fatal(err)
		}
		p.writeFile(t, name, out.Bytes())
	}
	const page = "<!doctype html><html><head><title>Spring</title></head><body><h1>Spring</h1></body></html>"
	p.writeFile(t, "index.html", []byte(page))
	p.writeFile(t, "my-website/index.html", []byte(page))
	p.writeFile(t, "site.zip", packFiles(t, map[string][]byte{"index.html": []byte(page + "\n")}))
	p.writeFile(t, "bin/.keep", nil)
	if err := os.Symlink(os.Args[0], filepath.Join(p.dir, "bin", "vitrine")); err != nil {
		t.Fatal(err)
	}
}

func (p *program) writeFile(t *testing.T, name string, body []byte) {
	t.Helper()
	name = filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

// serveText serves a text at an address.
func serveText(t *testing.T, text string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, text) //nolint:errcheck // the reader sees it
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// reader follows one guide in a new shop.
type reader struct {
	*program
	slug, key, draft string
	session          string // variables set by the blocks before
	profile          string // address of the profile that the guide shows
}

// prepare prepares the shop for the quickstart and the first lines of guides.
func (r *reader) prepare() {
	r.key = r.shop(r.slug)
	r.draft = r.verb("key", "issue", "--shop", r.slug, "--contour", "dev", "--scopes", "catalog:read,catalog:write")["key"].(string)
	owner := itoa(r.must("", "POST", "/v1/auth/login", map[string]any{"email": r.slug + "@example.test", "password": "a long password"})["token"])
	r.must(owner, "POST", "/v1/shop/delivery-options", map[string]any{"name": "Courier", "price": 6, "needs_address": true})
	bearer := "'Authorization: Bearer "
	r.session = "set -euo pipefail\ncurl() { command curl --fail-with-body \"$@\"; }\nAUTH=" + bearer + r.key + "'\nDRAFT=" + bearer + r.draft + "'\nOWNER=" + bearer + owner + "'\n"
}

// types runs one block and saves the variables it sets.
func (r *reader) types(t *testing.T, guide, block string) {
	t.Helper()
	key := r.key
	if strings.Contains(block, "export DRAFT=") {
		key = r.draft
	}
	script := strings.NewReplacer("<API_KEY>", key, "<PROFILE_ADDRESS>", r.profile, "--shop tea", "--shop "+r.slug).Replace(block)
	var names []string
	for _, m := range guideSets.FindAllStringSubmatch(block, -1) {
		if slices.Contains(ofTheShell, m[1]) {
			t.Errorf("%s sets %s, a variable of the reader's shell:\n%s", guide, m[1], block)
		}
		names = append(names, m[1])
	}
	const mark = "\n-- set --\n"
	out, err := r.program.shell(r.session + script + "\nprintf '" + strings.ReplaceAll(mark, "\n", `\n`) + "'\ndeclare -p AUTH " + strings.Join(names, " "))
	said, set, done := strings.Cut(out, mark)
	if strings.Contains(block, "https://pictures.example/") { // the host does not exist, as the response says
		if err == nil || !strings.Contains(said, "URL_FETCH_FAILED") {
			t.Errorf("%s: %v\n%s\n%s", guide, err, block, said)
		}
		return
	}
	if err != nil || !done {
		t.Errorf("%s: %v\n%s\n%s", guide, err, block, said)
		return
	}
	for _, name := range names {
		if strings.Contains(set, "declare -- "+name+`=""`) || strings.Contains(set, name+`="null"`) {
			t.Errorf("%s: %s is empty\n%s\n%s", guide, name, block, said)
		}
	}
	r.session += set
}
