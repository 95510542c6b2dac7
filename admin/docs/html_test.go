package docs

import (
	"strings"
	"testing"
)

func TestMarkdownBecomesHTML(t *testing.T) {
	got, err := toHTML(
		"# T\n\n| a | b |\n|---|---|\n| `x` | y |\n\n## The log\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) <b>bold</b>\n",
	)
	if err != nil {
		t.Fatal(err)
	}
	page := string(got)
	for _, want := range []string{"<title>T · vitrine</title>", "<td><code>x</code></td>", `<h2 id="the-log">`} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not in %s", want, page)
		}
	}
	for _, never := range []string{"<script", "javascript:", "<b>"} {
		if strings.Contains(page, never) {
			t.Errorf("%s was passed through: %s", never, page)
		}
	}
}
