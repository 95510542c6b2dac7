package main

import (
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/await"
)

// readme is the text of the README below a heading, or all of it.
func readme(t *testing.T, heading string) string {
	t.Helper()
	return document(t, "README.md", heading)
}

// document is the text of a document of the repository below a heading, or all of it.
func document(t *testing.T, name, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	if heading == "" {
		return string(text)
	}
	_, after, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("%s has no part %q", name, heading)
	}
	part, _, _ := strings.Cut(after, "\n## ")
	return part
}

func TestReadmeListsEverySettingWithItsDefault(t *testing.T) {
	rows := readme(t, "Settings")
	for i := range reflect.TypeFor[Settings]().NumField() {
		field := reflect.TypeFor[Settings]().Field(i)
		if !field.IsExported() {
			continue // not a setting
		}
		tag := field.Tag
		found := regexp.MustCompile(`(?m)^\|[^|]*`+"`"+tag.Get("env")+"`"+`[^|]*\|.*$`).FindAllString(rows, -1)
		if len(found) != 1 {
			t.Errorf("%s has %d rows", tag.Get("env"), len(found))
			continue
		}
		row := found[0]
		if fallback := tag.Get("default"); !strings.Contains(row, "`"+fallback+"`") && fallback != "" {
			t.Errorf("the row of %s does not have its default, %s: %s", tag.Get("env"), fallback, row)
		}
	}
	for _, name := range regexp.MustCompile(`VITRINE_[A-Z_]*[A-Z]`).FindAllString(rows, -1) {
		if !known(name) {
			t.Errorf("%s is not a setting", name)
		}
	}
}

func known(name string) bool {
	for i := range reflect.TypeFor[Settings]().NumField() {
		if reflect.TypeFor[Settings]().Field(i).Tag.Get("env") == name {
			return true
		}
	}
	return false
}

// A folder is in the table with its own path or, by its last name in backticks, in the row of
// a parent folder.
func TestArchitectureListsEveryPackage(t *testing.T) {
	out, err := exec.CommandContext(await.Context(t), "go", "list", "vitrine/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(document(t, "ARCHITECTURE.md", "The tree")) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			rows[name[1]] = cells[2]
		}
	}
	for name := range strings.FieldsSeq(string(out)) {
		name = strings.TrimPrefix(name, "vitrine/")
		if _, own := rows[name]; own {
			continue
		}
		named := false
		for above := path.Dir(name); above != "."; above = path.Dir(above) {
			named = named || strings.Contains(rows[above], "`"+path.Base(name)+"`")
		}
		if !named {
			t.Errorf("%s is not in the table of ARCHITECTURE.md", name)
		}
	}
	for name := range rows {
		if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
			t.Errorf("the table of ARCHITECTURE.md names %s: %v", name, err)
		}
	}
}

var localLink = regexp.MustCompile(`\]\(([^):]+)\)`)

// Links between the documents of the repository lead to files, folders and headings that exist.
func TestLinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md"} {
		for _, link := range localLink.FindAllStringSubmatch(document(t, name, ""), -1) {
			path, heading, _ := strings.Cut(link[1], "#")
			target := name
			if path != "" {
				target = filepath.Join(filepath.Dir(name), path)
			}
			if _, err := os.Stat(filepath.Join("../..", target)); err != nil {
				t.Errorf("%s: %v", name, err)
			} else if heading != "" && !hasHeading(document(t, target, ""), heading) {
				t.Errorf("%s: %s has no heading for #%s", name, target, heading)
			}
		}
	}
}

var notInAnchors = regexp.MustCompile(`[^a-z0-9 _-]`)

// hasHeading reports whether a document has a heading with this anchor.
func hasHeading(text, anchor string) bool {
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			slug := strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-")
			if slug == anchor {
				return true
			}
		}
	}
	return false
}

// promises matches statements of a README line about an address: where to see the effect, or
// the status it answers with.
var promises = regexp.MustCompile(`(see )?http://([a-z0-9-]+)\.localhost:8080(/[^\s]*)(?: answers ([0-9]{3}))?`)

var assigned = regexp.MustCompile(`^(?:export )?([A-Z_]+)=`)

// The README is typed line by line into the shell of a new machine: every line succeeds, and
// its statements hold.
func TestReadmeCommandsWork(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	p.keepDemoPictures()
	p.start("--demo")
	if err := os.MkdirAll(filepath.Join(p.dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.Args[0], filepath.Join(p.dir, "bin", "vitrine")); err != nil {
		t.Fatal(err)
	}
	key := p.verb("key", "issue", "--shop", "demo", "--scopes", "all")["key"].(string)
	session := "set -euo pipefail\n"
	typed := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(readme(t, "Try it"), -1) {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSpace(line)
			command := strings.NewReplacer("vt_…", key, "127.0.0.1:8081", p.admin).Replace(line)
			set := assigned.FindStringSubmatch(command)
			if set != nil {
				command += "\ndeclare -p " + set[1] // the next lines use the variable
			}
			out, err := p.shell(session + command)
			if err != nil || strings.Contains(out, `"error":"rpc`) {
				t.Fatalf("%s\n%v\n%s", line, err, out)
			}
			if set != nil {
				session += out[strings.LastIndex(out, "declare "):]
			}
			typed++
			for _, promise := range promises.FindAllStringSubmatch(line, -1) {
				p.keeps(line, promise)
			}
		}
	}
	if typed < 25 {
		t.Errorf("%d lines were typed", typed)
	}
	p.movesToItsDomain("tea", "tea.example.com")
}

func (p *program) shell(script string) (string, error) {
	cmd := exec.CommandContext(await.Context(p.t), "bash", "-c", script)
	cmd.Dir = p.dir
	for _, e := range p.env {
		if !strings.HasPrefix(e, "VITRINE_DATA_DIR=") { // the default ./var, as for users
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "VITRINE_ADMIN_URL=http://localhost:"+portOf(p.t, p.admin))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p *program) keeps(line string, promise []string) {
	p.t.Helper()
	want := http.StatusOK
	if promise[4] != "" {
		want, _ = strconv.Atoi(promise[4])
	} else if promise[1] == "" {
		return // no statement about an address
	}
	wait(p.t, line, func() bool { status, _, _ := p.visit(promise[2], promise[3]); return status == want })
}

// movesToItsDomain checks that a shop stays at its slug until its DNS confirms the domain,
// even if the domain is requested earlier.
func (p *program) movesToItsDomain(slug, domain string) {
	p.t.Helper()
	if status := p.visitHost(domain); status != http.StatusNotFound {
		p.t.Errorf("an unproven domain answers %d", status)
	}
	if status, _, _ := p.visit(slug, "/"); status != http.StatusOK {
		p.t.Errorf("before the proof the slug's address answers %d", status)
	}
	view := p.verb("shop", "domain", "--shop", slug, "--domain", domain)
	record := view["records"].([]any)[0].(map[string]any)
	p.dns.SetTXT(record["name"].(string), record["value"].(string))
	wait(p.t, "the domain is proven", func() bool { return p.visitHost(domain) == http.StatusOK })
	status, header, _ := p.visit(slug, "/")
	if status != http.StatusPermanentRedirect || !strings.HasPrefix(header.Get("Location"), "http://"+domain) {
		p.t.Errorf("then the slug's address answers %d %s", status, header.Get("Location"))
	}
}

// visitHost requests the root of a host from the edge.
func (p *program) visitHost(host string) int {
	p.t.Helper()
	request, err := http.NewRequest("GET", "http://"+p.edge+"/", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Host = host
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		p.t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}
