package backup

import (
	"slices"
	"testing"

	"vitrine/compile/widget"
)

// A reference by id in a widget must not refer to another entity with the same id after an
// import.
func TestEveryWidgetReferenceIsMapped(t *testing.T) {
	t.Parallel()
	found := 0
	var look func(kind string, props []widget.Prop)
	look = func(kind string, props []widget.Prop) {
		for _, p := range props {
			if p.Type == widget.ID || p.Item != nil && p.Item.Type == widget.ID {
				if found++; inWidgets[p.Name] == "" {
					t.Errorf("%s: add the table of %s to inWidgets", kind, p.Name)
				}
			}
			look(kind, p.Fields)
			if p.Item != nil {
				look(kind, p.Item.Fields)
			}
			if p.Or != nil {
				look(kind, p.Or.Fields)
			}
		}
	}
	for _, kind := range widget.Kinds() {
		look(kind.Name, slices.Concat(kind.Props, kind.Mount, kind.Items))
	}
	if found < 12 {
		t.Errorf("only %d references were found", found)
	}
}
