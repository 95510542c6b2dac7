package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// file writes a file of the test.
func (p *program) file(name, text string) string {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// linesOf formats the rows of an import: "3 created ", "4 error condition".
func linesOf(answer map[string]any) string {
	text := ""
	for _, row := range answer["rows"].([]any) {
		row := row.(map[string]any)
		text += strings.TrimSpace(fmt.Sprint(row["line"], " ", row["from"], ">", row["to"], " ", row["status"], " ", row["reason"])) + "\n"
	}
	return text
}

// A shop is moved to vitrine with the rules of its previous system.
func TestImportOfRulesOfOtherSystems(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	for _, c := range []struct{ name, text, want string }{
		{"_redirects", "/old /new 301!\n/geo /x Country=de\n/blog/* /news/:splat\n/away https://other.example/y\n/OLD /twin\n/a /b\n/b /a\n/cart /x\n",
			"1 /old>/new created\n2 > error condition\n3 /blog/*>/news created\n4 /away>https://other.example/y error EXTERNAL_NOT_ALLOWED\n" +
				"5 /OLD>/twin skipped DUPLICATE_IN_FILE\n6 /a>/b created\n7 /b>/a error LOOP\n8 /cart>/x error RESERVED_PATH\n"},
		{"shop.conf", "rewrite ^/shop/(.*)$ /store/$1 permanent;\nlocation ~ ^/p/([0-9]{2,})x$ { return 301 /q/$1; }\n",
			"1 /shop/*>/store created\n2 > error expression\n"},
		{".htaccess", "Redirect 302 /about.php /about\nRewriteCond %{HTTP_COOKIE} x\nRewriteRule ^c$ /d [R=301]\n", ""},
	} {
		file := p.file(c.name, c.text)
		dry := p.verb("redirects", "import", file, "--shop", "tea", "--dry-run")
		real := p.verb("redirects", "import", file, "--shop", "tea")
		if got := linesOf(real); c.want != "" && got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
		if linesOf(dry) != linesOf(real) || dry["dry_run"] != true || dry["version"] == real["version"] {
			t.Errorf("%s: the dry run reported\n%s%v", c.name, linesOf(dry), dry["version"])
		}
		if again := p.verb("redirects", "import", file, "--shop", "tea"); again["created"] != 0.0 || again["updated"] != 0.0 ||
			again["version"] != real["version"] {
			t.Errorf("%s a second time: %v", c.name, again)
		}
	}
	external := p.verb(
		"redirects", "import", p.file("more", "/away /x\n/away2 https://other.example/y\n"), "--shop", "tea", "--format",
		"netlify", "--allow-external",
	)
	if external["created"] != 2.0 || external["format"] != "netlify" {
		t.Errorf("external rules: %v", external)
	}

	var long strings.Builder
	long.WriteString("from;to\n")
	for i := range 2500 {
		fmt.Fprintf(&long, "/was/%d;/is/%d\n", i, i)
	}
	long.WriteString("/was/0;/twice\n")
	csv := p.verb("redirects", "import", p.file("long.csv", long.String()), "--shop", "tea")
	if csv["created"] != 2500.0 || csv["skipped"] != 1.0 || csv["errors"] != 0.0 {
		t.Errorf("2,500 lines: %v created, %v skipped, %v errors", csv["created"], csv["skipped"], csv["errors"])
	}
	for name, args := range map[string][]string{
		"no such file": {"redirects", "import", "/nowhere", "--shop", "tea"}, "no such shop": {"redirects", "import", p.file("x.csv", "/a;/b"), "--shop", "none"},
	} {
		if out, _, err := p.run(args...); err == nil || len(out) > 0 {
			t.Errorf("%s: %v %q", name, err, out)
		}
	}

	p.start()
	for from, to := range map[string]string{"/old?a=1": "/new?a=1", "/shop/a/b": "/store/a/b", "/was/2499": "/is/2499", "/about.php": "/about"} {
		if status, header, _ := p.visit("tea", from); status/100 != 3 || header.Get("Location") != to {
			t.Errorf("%s: %d %q", from, status, header.Get("Location"))
		}
	}
	versions := p.must(key, "GET", "/storefront-redirects/versions/2", nil)
	if versions["kind"] != "import" || versions["user_id"] != 0.0 {
		t.Errorf("the version of an import by the operator: %v", versions)
	}
}

// A clean stop stores the hits of all rules.
func TestHitsSurviveAStop(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	r := p.start()
	saved := p.must(
		key, "POST", "/storefront-redirects",
		map[string]any{"item": map[string]any{"from_path": "/old", "to_target": "/new", "enabled": true}},
	)
	const visitors = 500
	for range visitors {
		if status, _, _ := p.visit("tea", "/old"); status != 308 {
			t.Fatalf("/old answers %d", status)
		}
	}
	r.stop()
	p.start()
	p.must(
		key, "PUT", "/storefront-redirects/"+itoa(saved["id"]),
		map[string]any{"item": map[string]any{"from_path": "/old", "to_target": "/newer", "enabled": true}},
	)
	_, answer := p.call(key, "GET", "/storefront-redirects", nil)
	row := answer["result"].([]any)[0].(map[string]any)
	if row["hits"] != itoa(visitors) || row["last_hit_at"] == nil {
		t.Errorf("after a stop and an edit: %v hits, the last at %v", row["hits"], row["last_hit_at"])
	}
}
