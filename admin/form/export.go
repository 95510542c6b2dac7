package form

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/compile/lead"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	formdb "vitrine/internal/store/form"
)

const (
	exportPage  = 500       // leads read at a time
	exportBytes = 512 << 20 // of a response
)

var errExportLarge = shop.Refuse(shop.FailedPrecondition, "EXPORT_TOO_LARGE").
	When("the export would be too large; use a narrower filter")

type exportRequest struct {
	leadFilter
}

// export writes leads as CSV, oldest first, one line each. An export of one form has a column for
// each of its fields; an export of all forms has all values in one column. The leads are read
// page by page in one database snapshot and written to a temporary file first.
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
	out.ContentType = "text/csv; charset=utf-8"
	out.File, err = api.Spool(exportBytes, errExportLarge.With("filter by filter.form_id and filter.status"), func(w io.Writer) error {
		return fs.Store.Snapshot(ctx, c.Company, func(r store.Reader) error { return writeLeads(ctx, r, f, fields, w) })
	})
	c.SetHeader("Content-Disposition", `attachment; filename="leads.csv"`)
	return out, err
}

// exported are the columns before the values.
var exported = []struct {
	name string
	cell func(l formdb.Lead) string
}{
	{"id", func(l formdb.Lead) string { return l.ID.String() }},
	{"created_at", func(l formdb.Lead) string { return l.CreatedAt.UTC().Format(time.RFC3339) }},
	{"form_id", func(l formdb.Lead) string { return l.Form.String() }},
	{"form", func(l formdb.Lead) string { return l.FormName }},
	{"status", func(l formdb.Lead) string { return string(l.Status) }},
	{"test", func(l formdb.Lead) string {
		if l.Test {
			return "yes"
		}
		return ""
	}},
	{"note", func(l formdb.Lead) string { return l.Note }},
	{"page_url", func(l formdb.Lead) string { return l.PageURL }},
	{"utm", func(l formdb.Lead) string { return pairs(l.UTM) }},
}

func writeLeads(ctx context.Context, r store.Reader, f formdb.LeadFilter, fields []lead.Field, to io.Writer) error {
	buffer := bufio.NewWriter(to)
	w := csv.NewWriter(buffer)
	var row []string
	for _, column := range exported {
		row = append(row, column.name)
	}
	for _, field := range fields {
		row = append(row, field.Name)
	}
	if err := w.Write(append(row, "values")); err != nil {
		return err
	}
	for after := shop.LeadID(0); ; {
		leads, err := formdb.LeadsAfter(ctx, r, f, after, exportPage)
		if err != nil {
			return err
		}
		for _, l := range leads {
			after = l.ID
			if row, err = cells(row[:0], l, fields); err != nil {
				return err
			}
			if err := w.Write(row); err != nil {
				return err
			}
		}
		if len(leads) < exportPage {
			w.Flush()
			return errors.Join(w.Error(), buffer.Flush())
		}
	}
}

// cells returns the cells of a lead, guarded against formulas. Values of fields without a column
// share the last cell, one per line.
func cells(row []string, l formdb.Lead, fields []lead.Field) ([]string, error) {
	for _, column := range exported {
		row = append(row, api.GuardCell(column.cell(l)))
	}
	values := map[string]string{}
	if err := json.Unmarshal(l.Answers, &values); err != nil {
		return nil, err
	}
	for _, field := range fields {
		row = append(row, api.GuardCell(values[field.Name]))
		delete(values, field.Name)
	}
	return append(row, api.GuardCell(lines(values))), nil
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
