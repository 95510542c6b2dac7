package form

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/compile/lead"
	"vitrine/internal/cells"
	"vitrine/internal/store"
	formdb "vitrine/internal/store/form"
)

type exportRequest struct {
	leadFilter
}

// export returns leads as CSV, oldest first, one line each. An export of one form has a column for
// each of its fields; an export of all forms has all values in one column.
func (fs *Forms) export(ctx context.Context, c *api.Call, in exportRequest) (out api.Raw, err error) {
	f, err := in.read()
	if err != nil {
		return out, err
	}
	var fields []lead.Field
	if f.Form != 0 {
		form, err := formdb.FormWithDeleted(ctx, fs.Store.Shop(c.Company), f.Form)
		if err != nil {
			return out, err
		}
		if fields, err = lead.Parse(form.Fields); err != nil {
			return out, err
		}
	}
	const narrower = "filter by filter.form_id and filter.status"
	return api.Export(ctx, c, fs.Store, "leads.csv", narrower, func(ctx context.Context, r store.Reader, to io.Writer) error {
		return cells.Write(to, exported(fields), func(last exportedLead) ([]exportedLead, error) {
			leads, err := formdb.LeadsAfter(ctx, r, f, last.ID, cells.ExportPage)
			if err != nil {
				return nil, err
			}
			rows := make([]exportedLead, len(leads))
			for i, l := range leads {
				rows[i].Lead = l
				if err := json.Unmarshal(l.Answers, &rows[i].values); err != nil {
					return nil, err
				}
			}
			return rows, nil
		})
	})
}

// exportedLead is a lead with its decoded values by field.
type exportedLead struct {
	formdb.Lead
	values map[string]string
}

// exported returns the columns of the CSV. Values of fields without a column share the last
// column, one per line.
func exported(fields []lead.Field) []cells.Column[exportedLead] {
	columns := []cells.Column[exportedLead]{
		{Name: "id", Cell: func(l exportedLead) string { return l.ID.String() }},
		{Name: "created_at", Cell: func(l exportedLead) string { return l.CreatedAt.UTC().Format(time.RFC3339) }},
		{Name: "form_id", Cell: func(l exportedLead) string { return l.Form.String() }},
		{Name: "form", Cell: func(l exportedLead) string { return l.FormName }},
		{Name: "status", Cell: func(l exportedLead) string { return string(l.Status) }},
		{Name: "test", Cell: func(l exportedLead) string {
			if l.Test {
				return "yes"
			}
			return ""
		}},
		{Name: "note", Cell: func(l exportedLead) string { return l.Note }},
		{Name: "page_url", Cell: func(l exportedLead) string { return l.PageURL }},
		{Name: "utm", Cell: func(l exportedLead) string { return pairs(l.UTM) }},
	}
	for _, field := range fields {
		columns = append(columns, cells.Column[exportedLead]{Name: field.Name, Cell: func(l exportedLead) string { return l.values[field.Name] }})
	}
	return append(columns, cells.Column[exportedLead]{Name: "values", Cell: func(l exportedLead) string {
		others := maps.Clone(l.values)
		maps.DeleteFunc(others, func(name, _ string) bool {
			return slices.ContainsFunc(fields, func(f lead.Field) bool { return f.Name == name })
		})
		return lines(others)
	}})
}

// pairs formats a JSON object of strings as lines.
func pairs(object json.RawMessage) string {
	var values map[string]string
	if json.Unmarshal(object, &values) != nil {
		return ""
	}
	return lines(values)
}

func lines(values map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, name+": "+values[name])
	}
	return strings.Join(all, "\n")
}
