package feed

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// Templates could not read a struct field that no table names, and a getter that reads
// the wrong field would be worse.
func TestEveryFieldIsReadByItsName(t *testing.T) {
	var c Contents
	c.Categories, c.Items = make([]Category, 1), make([]Item, 1)
	for _, of := range []struct {
		row    any
		before string
		after  string
		table  []namedField
	}{
		{&c.Shop, "{{.Shop.", "}}", shopFields},
		{&c.Categories[0], "{{range categories}}{{.", "}}{{end}}", categoryFields},
		{&c.Items[0].Product, "{{range products}}{{.", "}}{{end}}", productFields},
	} {
		row := reflect.ValueOf(of.row).Elem()
		fields := slices.DeleteFunc(reflect.VisibleFields(row.Type()), func(f reflect.StructField) bool { return f.Anonymous })
		for i, f := range fields {
			distinct(row.FieldByIndex(f.Index), f.Name, i)
		}
		if len(of.table) != len(fields) {
			t.Errorf("the table of %s has %d rows for %d fields", row.Type(), len(of.table), len(fields))
		}
		for _, f := range fields {
			name := f.Name
			got, _, problem := render("x.txt", of.before+name+of.after, NewCatalogue(c), Options{})
			if want := fmt.Sprint(row.FieldByIndex(f.Index)); problem != nil || got != want {
				t.Errorf("%s.%s is read as %q, want %q: %v", row.Type(), name, got, want, problem)
			}
		}
	}
}

// distinct sets a field to a value that no other field has.
func distinct(v reflect.Value, name string, n int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("the " + name)
	case reflect.Int64:
		v.SetInt(int64(100 + n))
	case reflect.Float64:
		v.SetFloat(float64(n) + 0.5)
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic(name + " has a kind that distinct does not support")
	}
}
