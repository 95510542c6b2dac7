package compile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/compile/loop"
	"vitrine/internal/corpus"
	"vitrine/internal/golden"
	"vitrine/internal/shop"
)

func verdict(err error) string {
	if r, ok := shop.AsRefusal(err); ok {
		return strings.TrimPrefix(r.Code, "REDIRECT_")
	}
	if err != nil {
		return err.Error()
	}
	return "fine"
}

func chain(n int, to string) (lines []string) {
	for i := range n {
		next := fmt.Sprintf("/c%d", i+1)
		if i == n-1 {
			next = to
		}
		lines = append(lines, fmt.Sprintf("/c%d %s", i, next))
	}
	return lines
}

func TestCirclesAndLongChains(t *testing.T) {
	for _, c := range []struct {
		want  string
		rules []string
	}{
		{"fine", []string{"/a /b"}},
		{"fine", []string{"/a /b", "/b https://else.test/a"}},
		{"fine", []string{"/a /a?x=1 ?y=2", "/b /c"}[1:]},
		{"LOOP", []string{"/a /A/"}}, {"LOOP", []string{"/a /%61"}}, {"LOOP", []string{"/a /a?x=1"}}, {"LOOP", []string{"/a /a#f"}},
		{"LOOP", []string{"/a http://shop.test:9000/a"}}, {"LOOP", []string{"/a https://SHOP.test./a"}},
		{"LOOP", []string{"/a /b", "/b /c", "/c /a"}},
		{"LOOP", []string{"/x /x.html"}}, {"LOOP", []string{"/x /y.html", "/y /x"}}, {"LOOP", []string{"/x.html /x.html?a"}},
		{"fine", []string{"/x.html /x"}}, {"fine", []string{"/x.html /y", "/y /x"}},
		{"LOOP", []string{"/a/* /a/b"}}, {"LOOP", []string{"/a/* /a"}}, {"LOOP", []string{"/a/* /b", "/b/* /a"}},
		{"LOOP", []string{"/p/** /p/q/$1"}}, {"LOOP", []string{"/a/* /b mask", "/b /a/x"}},
		{"LOOP", []string{"/a/*x /b/$1x", "/b/y* /a/y$1"}}, {"LOOP", []string{"/a/*/z /b/$1 mask", "/b/* /a/$1/z mask"}},
		{"fine", []string{"/a/* /b/$1 mask", "/b/*/c /a/$1"}},
		{"fine", []string{"/a/** /$1"}}, {"fine", []string{"/old/* /"}}, {"fine", []string{"/a/* /", "/b/* /", "/c/* /"}},
		{"LOOP", []string{"/c/** /a$1/c", "/a*/** /$1/a$2"}}, {"LOOP", []string{"/b/** /$1/$1$1", "/b*/*b /$1/$2"}}, // each round grows more slowly than the last
		{"LOOP", []string{"/a* /a$1/$1.html override"}}, {"LOOP", []string{"/b/* /", "/a*/** /$1/$2$2"}},
		{"LOOP", []string{"/a*/** /$1/$2$2?x=1 override drop", "/c/b/* /c", "/a/a/* /?x=2 override", "/b/* / override"}}, {"LOOP", []string{"/b/* /$1/$1 mask"}},
		{"LOOP", []string{"/x/* /find?q=$1 mask", "/find /x/foo ?q=foo"}}, {"fine", []string{"/x/* /find?q=$1 mask", "/find /y/foo ?q=foo"}},
		{"fine", []string{"/*.html/*a /$1$1/$2"}},
		{"fine", []string{"/a /b?id=2 ?id=1", "/b /a ?id=3"}}, {"LOOP", []string{"/a /b?x=1 ?id=1", "/b /a ?id=1"}},
		{"LOOP", []string{"/a /b ?x=1", "/b /a ?y=1"}}, {"LOOP", []string{"/a /b ?x=1", "/b /c", "/c /a ?y=1"}},
		{"LOOP", []string{"/a/p* /ok/$1", "/a/* /a/z$1 mask"}}, {"LOOP", []string{"/a/p* /ok", "/a/* /a/z"}},
		{"fine", []string{"/i /a ?id=1", "/i /b ?id=2", "/i /c ?id=3"}},
		{"LOOP", []string{"/ /home override", "/home /"}}, {"fine", []string{"/home /", "/start /home"}},
		{"LOOP", []string{"/** /shop override"}}, {"LOOP", []string{"/index.html /x override", "/x /index.html"}},
		{"fine", chain(10, "/end")}, {"CHAIN_TOO_LONG", chain(11, "/end")}, {"CHAIN_TOO_LONG", chain(300, "/end")},
		{"fine", append(chain(9, "/end"), "/in/* /$1 mask")}, {"CHAIN_TOO_LONG", append(chain(10, "/end"), "/in/* /$1 mask")},
		{"CHAIN_TOO_LONG", append(chain(10, "/end"), "/in/* /")}, {"CHAIN_TOO_LONG", append(chain(10, "/end"), "/old-*.php /c$1")},
		{"CHAIN_TOO_LONG", append(chain(9, "/end"), "/in/* /m/$1 mask", "/m/* /$1 mask")},
	} {
		if got := verdict(rulesOnly(c.rules...).CheckLoops(nil)); got != c.want {
			t.Errorf("%s, want %s: %q", got, c.want, c.rules)
		}
	}
}

// TestCirclesThatSimplerSearchesMiss runs the sets for which package loop replaces words step
// by step instead of trying lists of them.
func TestCirclesThatSimplerSearchesMiss(t *testing.T) {
	for _, c := range corpus.Lines[struct {
		ID    string
		Rules []string
	}](t, "redirect/circles.jsonl") {
		if got := verdict(rulesOnly(c.Rules...).CheckLoops(nil)); got != "LOOP" {
			t.Errorf("%s: %s, want LOOP: %q", c.ID, got, c.Rules)
		}
	}
}

func TestPagesCountInChains(t *testing.T) {
	for _, c := range []struct {
		want  string
		rules []string
	}{
		{"fine", []string{"/shoes /boots"}},
		{"LOOP", []string{"/shoes/boots /boots override"}},               // the broken-chain redirect leads back
		{"LOOP", []string{"/shoes/boots /bootz override"}},               // so does the slug journal
		{"LOOP", []string{"/shoes /shoes/none override"}},                // and the fallback
		{"LOOP", []string{"/shoes /x", "/x /shoes"}},                     // the loop starts once the page is gone
		{"LOOP", []string{"/shoes http://www.shop.test/shoes override"}}, // the rule acts on every host
		{"fine", []string{"/x http://www.shop.test/shoes"}},              // the canonical hop ends on the page
		{"LOOP", []string{"/product/10 /shoes/boots/red-boot", "/shoes/boots/red-boot /product/red-boot override"}},
	} {
		if got := verdict(withRules(demo(), c.rules...).CheckLoops(nil)); got != c.want {
			t.Errorf("%s, want %s: %q", got, c.want, c.rules)
		}
	}
}

func TestABrokenSetCanStillBeEdited(t *testing.T) {
	broken := rulesOnly("/a /b", "/b /a", "/x /y")
	for _, c := range []struct {
		want  string
		rules []string
	}{
		{"fine", []string{"/a /b", "/b /a", "/x /y", "/new /x"}},
		{"fine", []string{"/a /b", "/b /a"}},
		{"fine", []string{"/a /b", "/b /a", "/y /z"}},
		{"LOOP", []string{"/a /b", "/b /a", "/x /y", "/y /x"}},
		{"LOOP", []string{"/a /b", "/b /a", "/c /a"}},
		{"fine", []string{"/a /c", "/b /a"}},
	} {
		if got := verdict(rulesOnly(c.rules...).CheckLoops(broken)); got != c.want {
			t.Errorf("%s, want %s: %q", got, c.want, c.rules)
		}
	}
}

func TestDeletingARuleThatHidALoopIsRefused(t *testing.T) {
	before := rulesOnly("/a https://else.test/ override", "/a /b", "/b /a")
	if err := before.CheckLoops(nil); verdict(err) != "fine" {
		t.Fatal(err)
	}
	if err := rulesOnly("/a /b", "/b /a").CheckLoops(before); !errors.Is(err, loop.ErrLoop) {
		t.Error("got", err)
	}
}

func TestARefusalNamesTheChain(t *testing.T) {
	c, found := rulesOnly("/q /z", "/a /b", "/b /c", "/c /b").FindLoop(nil)
	if !found || c.String() != "/b -> /c -> /b" || !slices.Equal(c.Rules, []shop.RuleID{3, 4}) {
		t.Errorf("got %v %v", c, c.Rules)
	}
	if c, _ := rulesOnly("/a/*/* /a/$2/$1 mask").FindLoop(nil); c.String() != "/a/any1/any2 -> /a/any2/any1 -> /a/any1/any2" {
		t.Errorf("got %v", c)
	}
	var masks []string
	for i := range 11 {
		masks = append(masks, fmt.Sprintf("/m%d/* /m%d/$1 mask", i, i+1))
	}
	if c, _ := rulesOnly(masks...).FindLoop(nil); !strings.HasPrefix(c.String(), "/m0/any1 -> /m1/any1 -> ") || c.Endless {
		t.Errorf("got %v", c)
	}
	err := rulesOnly(chain(30, "/end")...).CheckLoops(nil)
	if want := "/c0 -> /c1 -> "; !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "and 19 more") {
		t.Errorf("got %v", err)
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	lines := append(chain(35, "/end"), "/x /y", "/y /x", "/self/* /self/a/b", "/fine /end")
	var got []string
	for _, c := range rulesOnly(lines...).FindLoops(nil, 100) {
		got = append(got, fmt.Sprint(c.Endless, c.Rules))
	}
	want := []string{
		"true [36 37]", "true [38]", "false [1 2 3 4 5 6 7 8 9 10 11]", "false [12 13 14 15 16 17 18 19 20 21 22]", "false [23 24 25 26 27 28 29 30 31 32 33]",
	}
	golden.Rows(t, "loops", got, want)
}
