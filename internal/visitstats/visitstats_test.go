package visitstats

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// lists returns random lists, with names like those of the edge.
func lists(t *rapid.T) (l Lists) {
	name := rapid.StringMatching(`[a-zа-я/ .\t0-9-]{1,12}`)
	for _, list := range l.all() {
		if m := rapid.MapOfN(name, rapid.Int64Range(1, 1<<40), 0, 8).Draw(t, "list"); len(m) > 0 {
			*list = m
		}
	}
	return l
}

// Encoded lists decode to the same lists, and reading two adds them up.
func TestListsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := lists(t), lists(t)
		var again, both Lists
		again.Read(a.String())
		if !reflect.DeepEqual(again, a) {
			t.Fatalf("%+v became %+v", a, again)
		}
		both.Read(a.String())
		both.Read(b.String())
		if again.Add(&b); !reflect.DeepEqual(again, both) {
			t.Fatalf("%+v, added %+v", both, again)
		}
	})
}

func TestMalformedLinesAreSkipped(t *testing.T) {
	t.Parallel()
	var l Lists
	l.Read("p1 /a\n\nx5 /b\np /c\npp /d\np-1 /e\np99999999999999999999 /f\np\np2 /a")
	if !reflect.DeepEqual(l, Lists{Pages: List{"/a": 3}}) {
		t.Errorf("%+v", l)
	}
}

func TestCutKeepsTheMostFrequentNames(t *testing.T) {
	t.Parallel()
	l := Lists{Pages: List{"/c": 1, "/b": 1, "/a": 5, "/d": 3}, Missing: List{"/x": 1}}
	if l.Truncate(3); !reflect.DeepEqual(l.Pages, List{"/a": 5, "/d": 3, "/b": 1}) || len(l.Missing) != 1 {
		t.Errorf("%+v", l)
	}
	if top := l.Pages.Top(9); len(top) != 3 || top[0] != (Entry{"/a", 5}) || top[2] != (Entry{"/b", 1}) {
		t.Errorf("%v", top)
	}
}

func TestCampaignRoundTrip(t *testing.T) {
	t.Parallel()
	for _, c := range []Campaign{{}, {"a", "b", "c"}, {"", "b c", ""}, {Campaign: "x"}} {
		if got := CampaignOf(c.Name()); got != c || strings.Contains(c.Name(), "\n") {
			t.Errorf("%+v became %+v", c, got)
		}
	}
}

func FuzzLists(f *testing.F) {
	f.Add("p1 /a\nr2 b\n")
	f.Fuzz(func(t *testing.T, text string) {
		var l, again Lists
		l.Read(text)
		if again.Read(l.String()); !reflect.DeepEqual(l, again) {
			t.Errorf("%+v became %+v", l, again)
		}
	})
}

// Top is the beginning of the sorted list, for all lengths.
func TestTop(t *testing.T) {
	l := List{}
	for i := range 500 {
		l[strconv.Itoa(i*7919%500)] = int64(1 + i%37)
		whole := l.sorted()
		for _, most := range []int{1, 50, 499, 600} {
			if top := l.Top(most); !slices.Equal(top, whole[:min(most, len(whole))]) {
				t.Fatalf("%d of %d: %v", most, len(whole), top)
			}
		}
	}
}
