package store

import (
	"strconv"
	"strings"
)

// Statement is SQL composed of the conditions that apply, so that each combination gets its
// own plan. $1 is the shop.
type Statement struct {
	strings.Builder
	Args []any
}

// Add appends SQL in which ? stands for the next argument.
func (s *Statement) Add(sql string, args ...any) {
	for _, arg := range args {
		before, after, _ := strings.Cut(sql, "?")
		s.Args = append(s.Args, arg)
		s.WriteString(before + "$" + strconv.Itoa(len(s.Args)))
		sql = after
	}
	s.WriteString(sql)
}

// maxWords is how many words of a query are searched.
const maxWords = 8

// WordsOf returns the words that names must contain, in any order.
func WordsOf(query string) []string {
	words := strings.Fields(query)
	return words[:min(len(words), maxWords)]
}

// LikePattern returns the ILIKE pattern for texts that contain text.
func LikePattern(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}
