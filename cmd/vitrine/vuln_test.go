package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// vulnerableModule has a program that calls a function with the vulnerability GO-2026-0001, and
// a database, in the layout of vuln.go.dev, that contains it.
var vulnerableModule = map[string]string{
	"go.mod":              "module example.test/m\n\ngo 1.26\n",
	"main.go":             "package main\n\nimport \"strings\"\n\nfunc main() { println(strings.ToUpper(\"x\")) }\n",
	"db/index/db.json":    `{"modified":"2026-01-02T00:00:00Z"}`,
	"db/index/vulns.json": `[{"id":"GO-2026-0001","modified":"2026-01-02T00:00:00Z"}]`,
	"db/index/modules.json": `[{"path":"stdlib","vulns":[
		{"id":"GO-2026-0001","modified":"2026-01-02T00:00:00Z"}]}]`,
	"db/ID/GO-2026-0001.json": `{"schema_version":"1.3.1","id":"GO-2026-0001","modified":"2026-01-02T00:00:00Z","affected":[
		{"package":{"name":"stdlib","ecosystem":"Go"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],
		"ecosystem_specific":{"imports":[{"path":"strings","symbols":["ToUpper"]}]}}],
		"database_specific":{"url":"https://example.test/GO-2026-0001"}}`,
}

// make vuln fails on a vulnerability unless .ci/vuln accepts it, on lines of .ci/vuln that are
// invalid or no longer needed, and passes if the database cannot be reached.
func TestCheckForKnownVulnerabilities(t *testing.T) {
	t.Parallel()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	tool := regexp.MustCompile(`(?m)^GOVULNCHECK := (.+)$`).FindSubmatch(makefile)
	script, err := filepath.Abs("../../.ci/govulncheck")
	if err != nil || tool == nil {
		t.Fatal(err, "or the Makefile does not name the tool")
	}
	dir := t.TempDir()
	install := exec.Command("go", "install", string(tool[1]))
	install.Env = append(os.Environ(), "GOBIN="+filepath.Join(dir, "bin"))
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range vulnerableModule {
		write(name, text)
	}
	db := "file://" + filepath.Join(dir, "db")
	const accepted = "GO-2026-0001 strings of one letter are safe 2026-11-27\n"
	for _, c := range []struct {
		what, table, db string
		passes          bool
		prints          []string
	}{
		{"accepted", accepted, db, true, nil},
		{"not accepted, and a line too many", "# a comment\nGO-2026-0002 it was fixed 2026-11-27\n", db, false, []string{"> GO-2026-0001", "< GO-2026-0002"}},
		{"a line without a reason", "GO-2026-0001 2026-11-27\n", db, false, []string{"expected an id, a reason and a date: GO-2026-0001"}},
		{"no connection to the usual database", accepted, "https://vuln.go.dev", true, []string{"known vulnerabilities were not checked: fetching vulnerabilities"}},
	} {
		write("table", c.table)
		cmd := exec.Command(script, "table", filepath.Join(dir, "bin", "govulncheck"), "-db", c.db)
		cmd.Env = append(os.Environ(), "HTTPS_PROXY=http://127.0.0.1:1") // nothing listens there
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		text := string(out)
		if (err == nil) != c.passes || c.passes && strings.Count(text, "\n") != len(c.prints) {
			t.Errorf("%s: %v\n%s", c.what, err, text)
		}
		for _, part := range c.prints {
			if !strings.Contains(text, part) {
				t.Errorf("%s: it does not print %q:\n%s", c.what, part, text)
			}
		}
	}
}
