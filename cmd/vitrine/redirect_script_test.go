package main

import (
	"bytes"
	"context"
	"os/exec"
	"testing"
	"time"

	"vitrine/internal/golden"
)

// All redirect features with curl alone: the script prints one line for each of them.
func TestRedirectsWithCurl(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	issue := func(shop string, more ...string) string {
		args := append([]string{"key", "issue", "--shop", shop, "--scopes"}, more...)
		return p.verb(args...)["key"].(string)
	}
	env := append(p.env, "TMPDIR="+t.TempDir(), "VITRINE_ADMIN=http://"+p.admin, "VITRINE_KEY="+p.shop("tea"),
		"VITRINE_EDITOR_KEY="+issue("tea", "all", "--role", "editor"), "VITRINE_DRAFT_KEY="+issue("tea", "all", "--contour", "dev"),
		"VITRINE_READER_KEY="+issue("tea", "catalog:read,catalog:write,redirects:read"),
		"VITRINE_SMALL_KEY="+p.shop("small"), "VITRINE_FULL_KEY="+p.shop("full"))
	p.verb("shop", "limit", "--shop", "small", "redirects_max=3", "redirect_masks_max=1")
	p.verb("shop", "domain", "--shop", "small", "--domain", "small.example.test", "--at-once")
	p.start()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	script := exec.CommandContext(ctx, "bash", "testdata/redirects.sh")
	script.Env = env
	var complaints bytes.Buffer
	script.Stderr = &complaints
	out, err := script.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, &complaints)
	}
	golden.File(t, "testdata/redirects.txt", string(out))
}
