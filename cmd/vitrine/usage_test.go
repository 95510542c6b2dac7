package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"vitrine/internal/await"
)

// Scripts parse standard output as JSON and check for the exit code 1 (CONTRACT, "Command
// line").
func TestCommandLineErrorsPrintOnlyTheError(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	for _, line := range []string{
		"", "no-such-verb", "push", "push /no/such/folder --to page:/x", "push . --to", "push . --to nowhere:1", "push . --to page:/x --no-such-flag",
		"shop create --slug x", "shop limit --shop x files=many", "key issue",
	} {
		out, stderr, err := p.run(strings.Fields(line)...)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || len(out) > 0 || !strings.HasPrefix(stderr, "vitrine: ") {
			t.Errorf("vitrine %s: %v, stdout %q, stderr %q", line, err, out, stderr)
		}
	}
	_, stderr, _ := p.run("push", t.TempDir(), "--to", "page:/about")
	if stderr != "vitrine: RELEASE_EMPTY: the folder has no file to publish\n" {
		t.Errorf("a refusal is printed as %q", stderr)
	}
	for _, line := range []string{"shop domain --shop x", "shop domain --shop x --domain x.example.test --remove"} {
		if _, stderr, _ := p.run(strings.Fields(line)...); !strings.Contains(stderr, "use either --domain with the host of the shop, or --remove") {
			t.Errorf("%s: %s", line, stderr)
		}
	}
	if out, _, err := p.run("push", "--help"); err != nil || !strings.Contains(string(out), "--seo-overwrite") {
		t.Errorf("--help: %v %s", err, out)
	}
}

// "vitrine help" works alone and with a command.
func TestHelpIsACommandToo(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	for line, says := range map[string]string{
		"help": "shop create", "help push": "--seo-overwrite", "help shop create": "--owner-email", "help serve": "--edge-cache-bytes",
	} {
		if out, stderr, err := p.run(strings.Fields(line)...); err != nil || !strings.Contains(string(out), says) {
			t.Errorf("vitrine %s: %v %s %s", line, err, out, stderr)
		}
	}
}

// The flag of a setting is derived from its environment variable.
func TestFlagsMatchTheirEnvironmentVariables(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&cli{}, kong.Name("vitrine"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	var look func(n *kong.Node)
	look = func(n *kong.Node) {
		for _, f := range n.Flags {
			for _, env := range f.Envs {
				seen++
				if want := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(env, "VITRINE_")), "_", "-"); f.Name != want && f.Name+"-url" != want {
					t.Errorf("%s is --%s, want --%s", env, f.Name, want)
				}
			}
		}
		for _, c := range n.Children {
			look(c)
		}
	}
	look(parser.Model.Node)
	if seen < 18 {
		t.Errorf("only %d settings were found", seen)
	}
}

// The examples are written to a folder that git ignores, so that a new user's checkout stays
// clean.
func TestExamplesAreWrittenToAnIgnoredFolder(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	out, err := p.shell(os.Args[0] + " example website")
	if err != nil || !strings.Contains(out, `"dir":"examples/website"`) {
		t.Errorf("%v %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "examples/website/index.html")); err != nil {
		t.Error(err)
	}
	if err := exec.CommandContext(await.Context(t), "git", "check-ignore", "-q", "../../examples/website/index.html").Run(); err != nil {
		t.Errorf("git does not ignore it: %v", err)
	}
}

// A verb in a folder without a database was started in the wrong folder; it must not create
// anything there.
func TestVerbInTheWrongFolderFails(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	for _, verb := range []string{
		"shop list", "key list --shop tea", "letters",
		"shop create --slug tea --name Tea --currency EUR --owner-email me@example.test --owner-password 'a long one'",
	} {
		out, err := p.shell(os.Args[0] + " " + verb)
		if err == nil || !strings.Contains(out, "there is no database in "+filepath.Join(p.dir, "var")) {
			t.Errorf("%s: %s", verb, out)
		}
	}
	if made, err := os.ReadDir(p.dir); err != nil || len(made) > 0 {
		t.Errorf("%v was created, %v", made, err)
	}
}

func TestKeysAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	other := p.verb("key", "issue", "--shop", "tea", "--scopes", "catalog:read", "--name", "to be ended")["key"].(string)
	keys := func() []any { return p.verb("key", "list", "--shop", "tea")["keys"].([]any) }
	list := keys()
	if len(list) != 2 || list[0].(map[string]any)["name"] != "to be ended" || strings.Contains(fmt.Sprint(list), other) {
		t.Fatalf("%v", list)
	}
	id := fmt.Sprint(list[0].(map[string]any)["id"])
	p.verb("key", "revoke", "--shop", "tea", id)
	if len(keys()) != 1 {
		t.Errorf("%v", keys())
	}
	p.start()
	if status, _ := p.call(other, "GET", "/v1/account/token", nil); status != 401 {
		t.Errorf("a revoked key is answered %d", status)
	}
	if status, _ := p.call(key, "GET", "/v1/account/token", nil); status != 200 {
		t.Errorf("the other key is answered %d", status)
	}
	if _, stderr, err := p.run("key", "revoke", "--shop", "tea", id); err == nil || !strings.Contains(stderr, "TOKEN_NOT_FOUND") {
		t.Errorf("twice: %s", stderr)
	}
	for _, yes := range []string{"", "coffee", "TEA"} {
		if _, stderr, err := p.run("shop", "delete", "--shop", "tea", "--yes", yes); err == nil || !strings.Contains(stderr, "--yes tea") {
			t.Errorf("deleted with %q: %s", yes, stderr)
		}
	}
}
