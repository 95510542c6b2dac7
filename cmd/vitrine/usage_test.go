package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Scripts read standard output as JSON and ask for the exit code 1 (CONTRACT,
// "Command line").
func TestMistakesOnTheCommandLinePrintNothingButTheError(t *testing.T) {
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
		t.Errorf("a refusal is told as %q", stderr)
	}
	for _, line := range []string{"shop domain --shop x", "shop domain --shop x --domain x.example.test --remove"} {
		if _, stderr, _ := p.run(strings.Fields(line)...); !strings.Contains(stderr, "--domain names the host") || !strings.Contains(stderr, "--remove takes it away") {
			t.Errorf("%s: %s", line, stderr)
		}
	}
	if out, _, err := p.run("push", "--help"); err != nil || !strings.Contains(string(out), "--seo-overwrite") {
		t.Errorf("--help: %v %s", err, out)
	}
}

func TestTheProgramSaysItsVersion(t *testing.T) {
	t.Parallel()
	out, _, err := newMachine(t).run("--version")
	if err != nil || !strings.HasPrefix(string(out), "vitrine ") || !strings.Contains(string(out), "go1.") {
		t.Errorf("%q, %v", out, err)
	}
}

// A verb in a folder without a database is in the wrong folder, and makes nothing there.
func TestAVerbOutsideTheFolderOfTheServerSaysSo(t *testing.T) {
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
		t.Errorf("%v was made, %v", made, err)
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
