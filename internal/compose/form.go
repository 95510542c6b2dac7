package compose

import (
	"encoding/json"
	"errors"

	"vitrine/compile/lead"
	"vitrine/internal/store/form"
	"vitrine/render"
)

// Form converts a stored lead form for rendering.
func Form(row form.Form) (render.Form, error) {
	f := render.Form{ID: row.ID, Name: row.Name, Submit: row.Submit}
	fields, err := lead.Parse(row.Fields)
	if err := errors.Join(err, json.Unmarshal(row.Success, &f.Success)); err != nil {
		return render.Form{}, err
	}
	for _, x := range fields {
		f.Fields = append(f.Fields, render.FormField{Field: x})
	}
	return f, nil
}
