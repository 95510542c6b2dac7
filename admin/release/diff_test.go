package release

import (
	"fmt"
	"strings"
	"testing"
)

func TestDifferingLinesAreThoseBetweenTheCommonEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"a\nb\nc", "a\nb\nc", ""}, {"a\nb\nc", "a\nx\nc", "-2b +2x"}, {"a\nc", "a\nb\nc", "+2b"}, {"a\nb\nc", "a\nc", "-2b"},
		{"a\na", "a\na\na", "+3a"}, {"", "x", "-1 +1x"}, {"a\r\nb", "a\r\nc", "-2b +2c"}, {"a\n\xff", "a\n", "-2\uFFFD +2"},
	} {
		lines, truncated := differingLines([]byte(c.before), []byte(c.after))
		var got []string
		for _, l := range lines {
			got = append(got, fmt.Sprint(l.Sign, l.Line, l.Text))
		}
		if strings.Join(got, " ") != c.want || truncated {
			t.Errorf("%q to %q: %s, want %s", c.before, c.after, strings.Join(got, " "), c.want)
		}
	}
	lines, truncated := differingLines([]byte(strings.Repeat("a\n", 10_000)), []byte(strings.Repeat(strings.Repeat("é", 600)+"\n", 10_000)))
	if len(lines) != maxDiffLines || !truncated || len(lines[maxDiffLines-1].Text) != 2*maxDiffLine {
		t.Errorf("%d lines, truncated %t", len(lines), truncated)
	}
}
