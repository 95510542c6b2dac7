package condition_test

import (
	"testing"

	"github.com/valyala/fasthttp"

	"vitrine/internal/condition"
)

// The tables are from RFC 9110, sections 8.8.3.2 and 13.1.2, with additional input that
// clients and caches send.
func TestIfNoneMatchComparesWeakly(t *testing.T) {
	for _, c := range []struct {
		tag   string
		lines []string
		want  bool
	}{
		{`"1"`, nil, false},
		{`"1"`, []string{``}, false},
		{`"1"`, []string{`"1"`}, true},
		{`W/"1"`, []string{`W/"1"`}, true},
		{`W/"1"`, []string{`W/"2"`}, false},
		{`W/"1"`, []string{`"1"`}, true},
		{`"1"`, []string{`W/"1"`}, true},
		{`"xyzzy"`, []string{`"xyzzy", "r2d2xxxx", "c3piozzzz"`}, true},
		{`"c3piozzzz"`, []string{`W/"xyzzy", W/"r2d2xxxx", W/"c3piozzzz"`}, true},
		{`"c3piozzzz"`, []string{`"xyzzy","r2d2xxxx"`}, false},
		{`"1"`, []string{`*`}, true},
		{`"1"`, []string{" *\t"}, true},
		{`"1"`, []string{`"2"`, `"1"`}, true},
		{`"1"`, []string{`"2"`, `"3", W/"1"`}, true},
		{`"1"`, []string{`"2"`, `"3"`}, false},
		{`"1"`, []string{`, ,"2" ,,	"1",`}, true}, // empty elements are ignored (5.6.1.2)
		{`"a,b"`, []string{`"x", "a,b"`}, true},
		{`"b"`, []string{`"a,b"`}, false},
		{`"b"`, []string{`"a, "b"`}, false}, // that is "a, " and then no tag
		{`""`, []string{`""`}, true},
		{`"*"`, []string{`"*"`}, true},
		{`"1"`, []string{`"*"`}, false},
		{`"1"`, []string{`"2", *`}, false}, // a star must be alone
		{`"1"`, []string{`W/*`}, false},
		{`"1"`, []string{`1`}, false},
		{`"1"`, []string{`w/"1"`}, false}, // case-sensitive (8.8.3)
		{`"1"`, []string{`"1`}, false},
		{`"1"`, []string{`1"`}, false},
		{`"A"`, []string{`"a"`}, false},
		{`"1"`, []string{`**`}, false},
		{`"1"`, []string{`"2", 1`}, false},
		{`"abc"`, []string{`"ab"`}, false},
		{`"1"`, []string{`"a,b", "1"`}, true},
		{``, []string{`*`}, false}, // a body without a tag is always sent
		{``, []string{`""`}, false},
	} {
		var h fasthttp.RequestHeader
		for _, line := range c.lines {
			h.Add(fasthttp.HeaderIfNoneMatch, line)
		}
		if got := condition.Unchanged(&h, []byte(c.tag)); got != c.want {
			t.Errorf("%q of %s: unchanged %t, not %t", c.lines, c.tag, got, c.want)
		}
	}
}

func TestIfRangeComparesStrongly(t *testing.T) {
	for _, c := range []struct {
		tag, had string
		want     bool
	}{
		{`"1"`, ``, true},
		{`"1"`, `"1"`, true},
		{`"1"`, `"2"`, false},
		{`"1"`, `W/"1"`, false},
		{`W/"1"`, `W/"1"`, false},
		{`W/"1"`, `"1"`, false},
		{`"1"`, `*`, false},
		{`"1"`, `"1", "2"`, false}, // one tag, not a list
		{`"1"`, `Sat, 21 Nov 2026 10:00:00 GMT`, false},
	} {
		var h fasthttp.RequestHeader
		if c.had != "" {
			h.Set(fasthttp.HeaderIfRange, c.had)
		}
		if got := condition.RangeMatches(&h, []byte(c.tag)); got != c.want {
			t.Errorf("%q of %s: continues %t, not %t", c.had, c.tag, got, c.want)
		}
	}
}

func TestComparisonDoesNotAllocate(t *testing.T) {
	var h fasthttp.RequestHeader
	h.Set(fasthttp.HeaderIfNoneMatch, `"x", W/"1"`)
	h.Set(fasthttp.HeaderIfRange, `"1"`)
	tag := []byte(`"1"`)
	if n := testing.AllocsPerRun(100, func() {
		if !condition.Unchanged(&h, tag) || !condition.RangeMatches(&h, tag) {
			t.Fatal("not compared")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzUnchanged(f *testing.F) {
	for _, line := range []string{`*`, `"1", W/"2"`, `W/`, `"`, `,,"`} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var h fasthttp.RequestHeader
		h.Set(fasthttp.HeaderIfNoneMatch, line)
		if condition.Unchanged(&h, []byte(`"x"`)) && !containsTag(h.Peek(fasthttp.HeaderIfNoneMatch)) {
			t.Errorf("%q names neither the tag nor *", line)
		}
	})
}

func containsTag(line []byte) bool {
	for i, c := range line {
		if c == '*' || i+2 < len(line) && string(line[i:i+3]) == `"x"` {
			return true
		}
	}
	return false
}

// FuzzRange checks that a part is never outside of its body.
func FuzzRange(f *testing.F) {
	for _, seed := range []string{"", "bytes=0-", "bytes=-3", "bytes=2-4", "bytes=9-99", "bytes=10-", "bytes=-0", "bytes=4-2", "bytes=1-2,4-5", "lines=1-2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, field string) {
		var h fasthttp.RequestHeader
		h.Set("Range", field)
		part, kind := condition.RequestedRange(&h, nil, 10)
		if kind == condition.OnePart && (part.Start < 0 || part.Length < 1 || part.Start+part.Length > 10) {
			t.Errorf("%q: part %+v of 10 bytes", field, part)
		}
	})
}
