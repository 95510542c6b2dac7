package movein

import (
	"errors"
	"io"
	"slices"
	"strings"

	"vitrine/compile/movein/header"
	"vitrine/internal/cells"
)

// maxRecords is how many records are searched for a header: templates have lines above it.
const maxRecords = 8

// table reads a table whose header is among its first records.
type table struct {
	cells *cells.Reader
	names []string
}

// openTable reads the header. PrestaShop has commas in its names, so other separators are tried.
func openTable(head string, r io.Reader) (table, bool) {
	for _, separator := range []string{"", "sep=;\n", "sep=\t\n"} {
		probe := cells.New(separator + head)
		for n := range maxRecords {
			record, _, ok, err := probe.Next()
			if !ok {
				break
			}
			if err != nil {
				continue
			}
			if _, found := header.Columns(record); !found {
				continue
			}
			names := make([]string, len(record))
			for i, name := range record {
				names[i] = strings.Clone(name)
			}
			t := table{cells.NewStream(io.MultiReader(strings.NewReader(separator), strings.NewReader(head), r)), names}
			for range n + 1 {
				_, _, _, _ = t.cells.Next()
			}
			if separator != "" {
				t.cells.Renumber(-1)
			}
			return t, true
		}
	}
	return table{}, false
}

// each calls a function with every record, whose cells are valid during the call.
func (e *engine) each(name string, t table, do func(at Place, record []string)) error {
	for {
		record, line, ok, err := t.cells.Next()
		at := Place{name, line}
		switch {
		case !ok:
			return err
		case errors.Is(err, cells.ErrOpenQuote):
			e.lose(at, Skipped, "FILE_TRUNCATED", err.Error())
		case err != nil:
			e.lose(at, Skipped, "ROW_INVALID", err.Error())
		default:
			do(at, record)
		}
	}
}

// products reads a table of products.
func (e *engine) products(name string, f *format, t table) error {
	columns := make([]column, len(t.names))
	var present [fields]bool
	known := 0
	for i, one := range t.names {
		c, ok := f.column(one)
		if columns[i] = c; ok {
			present[c.field] = true
			known++
		}
	}
	e.oneLanguage(columns)
	e.recognised(known, len(t.names))
	r := &row{present: &present}
	return e.each(name, t, func(at Place, record []string) {
		r.clear()
		r.Place = at
		for i, cell := range record {
			if i < len(columns) && columns[i].field != 0 && cell != "" {
				r.set(columns[i], strings.Clone(cell))
			}
		}
		e.add(f, r)
	})
}

// recognised lowers the plan's confidence to the share of the columns that are known.
func (e *engine) recognised(known, all int) {
	if share := 0.5 + 0.5*min(1, 2*float64(known)/float64(max(all, 1))); share < e.plan.Confidence {
		e.plan.Confidence = share
	}
}

// oneLanguage keeps one of several languages in which a file has names.
func (e *engine) oneLanguage(columns []column) {
	var languages []string
	for _, c := range columns {
		if c.field == name && c.arg != "" {
			languages = append(languages, c.arg)
		}
	}
	if len(languages) < 2 {
		return
	}
	fallback := languages[0]
	for _, one := range languages {
		if strings.HasPrefix(one, e.shop.Language) && e.shop.Language != "" {
			fallback = one
			break
		}
	}
	chosen := e.ask("language", "The file has several languages. Which one is read?", fallback, distinct(languages)...)
	for i, c := range columns {
		if c.arg != "" && c.arg != chosen && slices.Contains(languages, c.arg) {
			columns[i] = column{}
		}
	}
}
