package main

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// An owner's work in a shell, from a key to a published draft, with curl alone. It includes
// every error of a batch that a client can cause (document 1, 4.2).
func TestOwnerScriptWithCurl(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	draft := p.verb("key", "issue", "--shop", "tea", "--contour", "dev", "--scopes", "catalog:read,catalog:write")["key"].(string)
	p.verb("shop", "limit", "--shop", "tea", "products_max=2000")
	p.start()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	script := exec.CommandContext(ctx, "bash", "testdata/owner.sh")
	script.Env = append(p.env, "VITRINE_ADMIN=http://"+p.admin, "VITRINE_KEY="+key, "VITRINE_DRAFT_KEY="+draft)
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range []string{
		"failed: 105 PRODUCT_NAME_REQUIRED", "failed: 311 CATEGORY_NOT_FOUND", "failed: 417 CATEGORY_TYPE_MISMATCH", "failed: 623 SLUG_TAKEN",
		"failed: 829 already_exists", "failed: 1999 PRODUCT_FILE_NOT_FOUND", "mended: 6", "products: 2000", "one too many: PRODUCT_LIMIT_REACHED",
		"waiting in the draft: 1", "published: 200 ", "done: 4 sections, 2000 products, 6 mended, 1 published from the draft",
	} {
		if !strings.Contains(string(out), line+"\n") {
			t.Errorf("the script did not print %q", line)
		}
	}
	if strings.Count(string(out), "failed: ") != 6 {
		t.Errorf("more calls failed than the intended ones:\n%s", out)
	}
	t.Logf("%s", out)
}
