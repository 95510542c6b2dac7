package main

import (
	"errors"
	"os/exec"
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
	if out, _, err := p.run("push", "--help"); err != nil || !strings.Contains(string(out), "--seo-overwrite") {
		t.Errorf("--help: %v %s", err, out)
	}
}
