// Package golden compares a list with the rows that a test expects. A row is "key: value", or a key
// alone, and keys are unique. Rows are compared by key: each row that is missing, additional or
// changed is reported as one line, and the rows after it are not.
package golden

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// Rows compares rows in any order. The reports begin with what the list is.
func Rows(t testing.TB, what string, got, want []string) {
	t.Helper()
	compare(t, func(int) string { return what }, got, want, false)
}

// Ordered compares rows, and the order of those that both lists have.
func Ordered(t testing.TB, what string, got, want []string) {
	t.Helper()
	compare(t, func(int) string { return what }, got, want, true)
}

// Map compares the entries of two maps.
func Map[M ~map[K]V, K comparable, V any](t testing.TB, what string, got, want M) {
	t.Helper()
	Rows(t, what, entries(got), entries(want))
}

// File compares a text with the lines of a file, in their order. The reports name the lines.
func File(t testing.TB, name, got string) {
	t.Helper()
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, func(row int) string { return fmt.Sprintf("%s:%d", name, row+1) }, lines(got), lines(string(want)), true)
}

// compare reports differences at the place of a row of want.
func compare(t testing.TB, place func(row int) string, got, want []string, ordered bool) {
	t.Helper()
	rows := map[string]int{} // the rows of want that were not found in got yet, by key
	for i, row := range want {
		if _, twice := rows[key(row)]; twice {
			t.Fatalf("%s: %q has the key of an earlier row", place(i), row)
		}
		rows[key(row)] = i
	}
	next := 0 // the row of want that follows the one found last
	for _, row := range got {
		i, expected := rows[key(row)]
		if !expected {
			t.Errorf("%s: additional: %s", place(next), row)
			continue
		}
		delete(rows, key(row))
		if row != want[i] {
			t.Errorf("%s: changed: %s, want %s", place(i), row, want[i])
		}
		if ordered && i < next {
			t.Errorf("%s: out of order: %s comes after %s", place(i), key(row), key(want[next-1]))
			ordered = false // one place is enough
		}
		next = i + 1
	}
	for _, i := range slices.Sorted(maps.Values(rows)) {
		t.Errorf("%s: missing: %s", place(i), want[i])
	}
}

func key(row string) string {
	key, _, _ := strings.Cut(row, ": ")
	return key
}

func entries[M ~map[K]V, K comparable, V any](m M) (rows []string) {
	for key, value := range m {
		rows = append(rows, fmt.Sprint(key, ": ", value))
	}
	return slices.Sorted(slices.Values(rows))
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }
