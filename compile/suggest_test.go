package compile

import (
	"testing"

	"pgregory.net/rapid"
)

func TestSuggestions(t *testing.T) {
	in := demo()
	in.Products = append(in.Products,
		Product{ID: 50, Category: 2, Slug: "red-winter-jacket", Published: true},
		Product{ID: 51, Category: 2, Slug: "blue-winter-jacket", Published: true},
		Product{ID: 52, Category: 2, Slug: "green-winter-jacket", Published: true, Deleted: true},
	)
	s := New(in)
	for _, c := range []struct {
		path, target string
		reason       SuggestReason
	}{
		{"/old/crimson-boot.php", "/shoes/boots/red-boot", SuggestJournal},
		{"/x/RED-BOOT.html", "/shoes/boots/red-boot", SuggestJournal},
		{"/x/red-bot", "/shoes/boots/red-boot", SuggestSimilar},
		{"/catalog/red-wintre-jacket", "/shoes/red-winter-jacket", SuggestSimilar},
		{"/catalog/winter-jacket-red", "/shoes/red-winter-jacket", SuggestSimilar},
		{"/green-winter-jackets", "/shoes/red-winter-jacket", SuggestSimilar}, // the green one is deleted
		{"/shoes/nothing-of-the-kind", "/shoes", SuggestSection},
		{"/SHOES/boots/zzz/yyy", "/shoes/boots", SuggestSection},
		{"/zzz", "", ""}, {"/", "", ""}, {"/cart/red-boot", "", ""}, {"/%zz", "", ""}, {"/a/../red-boot", "", ""}, {"/.html", "", ""},
	} {
		got, ok := s.Suggest(c.path)
		if got.Target != c.target || ok != (c.target != "") || ok && got.Reason != c.reason {
			t.Errorf("%s: got %s %s, want %s %s", c.path, got.Target, got.Reason, c.target, c.reason)
		}
	}
}

// The bit vectors agree with the edit distance table.
func TestDistance(t *testing.T) {
	letters := rapid.StringOfN(rapid.RuneFrom([]rune("abc-")), 1, 20, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
		like, want := newLikeness(a), editDistance(a, b)
		if got := like.distance(b); got != want {
			t.Fatalf("%q to %q: got %d, want %d", a, b, got, want)
		}
		if _, bag := wordsAndLetters(b); max(missingLetters(bag, like.bag), missingLetters(like.bag, bag)) > want {
			t.Fatalf("%q to %q: the bags differ by more than %d", a, b, want)
		}
	})
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

func FuzzSuggest(f *testing.F) {
	s := New(demo())
	for _, seed := range []string{"/x/red-bot", "/%", "//", "/shoes/.html", "/\xff\xfe", "/a.php/b.PHP?x#y", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		first, ok := s.Suggest(path)
		if again, _ := s.Suggest(path); again != first {
			t.Fatalf("%q: %v, then %v", path, first, again)
		}
		if d := s.Resolve(&Walk{}, "shop.test", first.Target); ok && (d.Kind != Page || d.Page != first.Page) {
			t.Fatalf("%q: %v does not resolve to its page", path, first)
		}
	})
}

// BenchmarkSuggest reports the time of a suggestion as a multiple of one scan over every slug.
func BenchmarkSuggest(b *testing.B) {
	s := New(fullSize())
	ceiling := 1.0
	b.Run("ceiling", func(b *testing.B) {
		letters := 0
		for b.Loop() {
			for _, x := range s.products.byID.all() {
				letters += len(x.slug)
			}
		}
		ceiling = float64(b.Elapsed()) / float64(b.N+letters/max(letters, 1))
	})
	b.Run("misspelt", func(b *testing.B) {
		for b.Loop() {
			s.Suggest("/section-1/prodcut-number-77777")
		}
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/ceiling, "looks/op")
	})
}
