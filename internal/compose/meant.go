package compose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// correctedQuery replaces the words of a query that none of the similar products has by the
// closest words of those products. It returns "" if that changes nothing.
func correctedQuery(query string, similar []catalog.Product) string {
	var known []string
	for _, p := range similar {
		known = append(known, wordsOf(p.Name)...)
	}
	words := wordsOf(query)
	changed := false
	for i, word := range words {
		best, least := "", 1+utf8.RuneCountInString(word)/3
		for _, other := range known {
			if n := distance(word, other, least); n < least {
				best, least = other, n
			}
		}
		if best != "" && best != word {
			words[i], changed = best, true
		}
	}
	if !changed {
		return ""
	}
	return strings.Join(words, " ")
}

// wordsOf returns the words of a text in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(shop.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// distance returns the edit distance of two words, counting insertions, deletions, substitutions
// and swaps of neighbours. It may return most for longer distances.
func distance(a, b string, most int) int {
	s, t := []rune(a), []rune(b)
	if len(s)-len(t) >= most || len(t)-len(s) >= most {
		return most
	}
	var before, last []int
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(s); i++ {
		before, last, row = last, row, make([]int, len(t)+1)
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(t)]
}
