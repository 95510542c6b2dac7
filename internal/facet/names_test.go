package facet

import (
	"slices"
	"strings"
	"testing"
)

// searchable is an index of four products.
func searchable() *Index {
	b := New()
	b.Products([]Product{
		{ID: 1, Name: "Чёрный чай", Brand: "LG"}, {ID: 2, Name: "Кружка", Words: "Чайная-лавка подарок", Section: 9},
		{ID: 3, Name: "Зелёный чай", Words: "LG"}, {ID: 4, Name: "Ложка"},
	})
	b.Option(5, 51, []uint32{4})
	b.Text(4, "ручная ковка")
	return b.Done()
}

func TestASearchFoldsLettersAndLooksBesideNames(t *testing.T) {
	t.Parallel()
	x := searchable()
	for _, c := range []struct {
		query string
		also  []Also
		want  []uint32
	}{
		{"чай", nil, []uint32{1, 3}}, {"ЧЕРНЫЙ", nil, []uint32{1}}, {"чёрный", nil, []uint32{1}}, {"зеле\u0308ный", nil, []uint32{3}},
		{"чай", []Also{{}}, []uint32{1, 2, 3}}, {"лавка", []Also{{}}, []uint32{2}}, {"авка", []Also{{}}, []uint32{}},
		{"lg", []Also{{}}, []uint32{3}}, {"l", []Also{{}}, []uint32{}}, {"ков", []Also{{}}, []uint32{4}}, {"-", []Also{{}}, []uint32{}},
		{"x", []Also{{Sections: []uint32{9}}}, []uint32{2}}, {"x", []Also{{Facets: []Facet{{Attribute: 5, Options: []uint32{51}}}}}, []uint32{4}},
		{"чай подарок", []Also{{}, {}}, []uint32{2}}, {"ложка x", []Also{{}, {Sections: []uint32{9}}}, []uint32{}},
	} {
		if got := x.Search(strings.Fields(c.query), c.also); !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %v, want %v", c.query, c.also, got, c.want)
		}
	}
}

func TestMatchesOfTheNameComeFirst(t *testing.T) {
	t.Parallel()
	b := New()
	for i, name := range []string{"other", "hotteapot", "green teapot", "a pot of tea", "tea pot", "teapot"} {
		b.Products([]Product{{ID: uint32(i + 1), Name: name}})
	}
	s := b.Done().Select(Filter{})
	for _, c := range []struct {
		query string
		first []uint32
		want  []uint32
	}{{"teapot", nil, []uint32{6, 3, 2, 1, 4, 5}}, {"tea pot", nil, []uint32{5, 2, 3, 4, 6, 1}}, {"teapot", []uint32{1, 77}, []uint32{1, 6, 3, 2, 4, 5}}} {
		if got := s.Matching(c.query, c.first, 0, 10); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.query, got, c.want)
		}
		if got := s.Matching(c.query, c.first, 2, 3); !slices.Equal(got, c.want[2:5]) {
			t.Errorf("%s: page %v, want %v", c.query, got, c.want[2:5])
		}
	}
}

func TestShortMistypedWordsFindNearOnes(t *testing.T) {
	t.Parallel()
	x := searchable()
	for query, want := range map[string][]uint32{"чей": {1, 3}, "чйа": {1, 3}, "зел": {3}, "крж": {2}, "ыай": {}, "чя": {}, "чайн": {}} {
		if got := x.Near(query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}

// The words of one product take a bounded amount of memory, whatever its tags are.
func TestTheWordsOfAProductAreBounded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("слово ", 1000), strings.Repeat("й", 5000), strings.Repeat("a ", 5000)} {
		if got := wordsIn(text); len(got) > maxWordsBytes {
			t.Errorf("%d bytes", len(got))
		}
	}
}
