package draft

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// draftNames are the API's names of columns that it names differently; empty: the API does
// not show them.
var draftNames = map[string]string{
	"category.sort_order": "order", "category.slug": "seo.slug", "product.old_price": "price.old_price", "product.combo_percent": "combo_discount",
	"document.kind": "", "document.owner_id": "",
}

// externalField returns the API's name of a field; a deletion is is_deleted. externalValue
// returns its value as the API prints it: times in UTC with Z.
func externalField(kind, field string) (string, bool) {
	if field == "deleted_at" {
		return "is_deleted", true
	}
	if name, renamed := draftNames[kind+"."+field]; renamed {
		return name, name != ""
	}
	return field, true
}

func externalValue(field string, value any) any {
	raw, ok := value.(json.RawMessage)
	if !ok {
		return value
	}
	switch {
	case field == "deleted_at":
		return !isNull(raw)
	case field == "combo_percent":
		var points float64
		if json.Unmarshal(raw, &points) != nil {
			return value
		}
		return map[string]float64{"percent": points / 100}
	case strings.HasSuffix(field, "_at"):
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return value
		}
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return value
		}
		return at.UTC().Format(time.RFC3339Nano)
	}
	return value
}

// external returns the item as the API shows it.
func (i Item) external() Item {
	i.Fields, i.Conflicts = slices.Clone(i.Fields), slices.Clone(i.Conflicts)
	renamed := i.Fields[:0]
	for _, f := range i.Fields {
		name, ok := externalField(i.Kind, f.Field)
		if ok {
			renamed = append(renamed, Field{name, externalValue(f.Field, f.Live), externalValue(f.Field, f.Draft)})
		}
	}
	i.Fields = renamed
	for n, c := range i.Conflicts {
		i.Conflicts[n] = c.external()
	}
	return i
}

// external returns the conflict as the API shows it.
func (c Conflict) external() Conflict {
	field := c.Field
	if name, ok := externalField(c.Kind, field); ok {
		c.Field = name
	}
	c.Base, c.Live, c.Draft = externalValue(field, c.Base), externalValue(field, c.Live), externalValue(field, c.Draft)
	return c
}
