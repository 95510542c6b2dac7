package compose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/store"
)

// meant is a query with the words in it that the likest products have in the place of
// those that none of them has; empty where that changes nothing.
func meant(query string, like []store.Product) string {
	var known []string
	for _, p := range like {
		known = append(known, lettersOf(p.Name)...)
	}
	words := lettersOf(query)
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

// lettersOf are the words of a text in lower case.
func lettersOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// distance is how many letters are to be put in, left out, changed or swapped with
// their neighbour to make one word of another, as far as it is below most.
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
