package form_test

import (
	"fmt"
	"strings"

	"vitrine/admin/api/apitest"
)

type (
	m = apitest.Map
	l = []any
)

// values are those of one field of a list.
func values(list any, field string) string {
	var out []string
	for _, v := range list.(l) {
		out = append(out, fmt.Sprint(v.(m)[field]))
	}
	return strings.Join(out, " ")
}
