package compose

import (
	"encoding/json"

	"vitrine/internal/store"
	"vitrine/render"
)

// storedField is a question as the shop keeps it.
type storedField struct {
	Name     string   `json:"name"`
	Label    string   `json:"label"`
	Type     string   `json:"type"`
	Required bool     `json:"required"`
	Options  []string `json:"options"`
}

// Form is a stored lead form as visitors see it.
func Form(row store.Form) (render.Form, error) {
	var fields []storedField
	if err := json.Unmarshal(row.Fields, &fields); err != nil {
		return render.Form{}, err
	}
	f := render.Form{ID: row.ID, Name: row.Name}
	for _, x := range fields {
		f.Fields = append(f.Fields, render.FormField{Name: x.Name, Label: x.Label, Type: x.Type, Required: x.Required, Options: x.Options})
	}
	return f, nil
}
