package redirect

import (
	"context"
	"errors"
	"slices"

	"vitrine/admin/api"
	"vitrine/compile/movein/header"
	"vitrine/compile/redirect"
	"vitrine/compile/redirect/foreign"
	"vitrine/internal/shop"
	companydb "vitrine/internal/store/company"
	redirectdb "vitrine/internal/store/redirect"
)

type importRequest struct {
	Text          string `json:"text" len:"body"`
	Format        format `json:"format" doc:"csv by default; netlify: _redirects, nginx: a configuration, htaccess: of Apache, each at most 4 MiB"`
	DryRun        bool   `json:"dry_run" doc:"store nothing and return the result that the call would have, with replay"`
	AllowExternal bool   `json:"allow_external"`
}

// ImportRow is the result of a line of an import (document 3, 4.4).
type ImportRow struct {
	Line   int             `json:"line"`
	From   string          `json:"from"`
	To     string          `json:"to"`
	Status redirect.Status `json:"status"`
	Reason redirect.Reason `json:"reason"`
}

// ImportReport is the result of an import.
type ImportReport struct {
	Rows    []ImportRow `json:"rows"`
	Created int         `json:"created"`
	Updated int         `json:"updated"`
	Skipped int         `json:"skipped"`
	Errors  int         `json:"errors"`
}

// importView is a report with the notes of a translator.
type importView struct {
	Rows    []ImportedLine `json:"rows"`
	Created int            `json:"created"`
	Updated int            `json:"updated"`
	Skipped int            `json:"skipped"`
	Errors  int            `json:"errors"`
}

type importAnswer struct {
	Result  importView `json:"result"`
	Version shop.Int64 `json:"version"`
	Replay  *replay    `json:"replay,omitempty" doc:"for a dry run: the changes that visitors would see"`
}

// readable is the only format of another system with the same columns as ours: from and to.
var readable = header.File{System: header.Shopify, Content: header.Redirects}

// importRules imports the valid lines of a file: an invalid line does not affect the others, and
// an import without changes creates no version.
func (rs *Redirects) importRules(ctx context.Context, c *api.Call, in importRequest) (out importAnswer, err error) {
	if in.Format == "" {
		in.Format = "csv"
	}
	if !slices.Contains(Formats, string(in.Format)) {
		return out, shop.ErrInvalidRequest.At("format").With("csv, netlify, nginx or htaccess")
	}
	t, err := rs.translate(ctx, c, in)
	if err != nil {
		return out, err
	}
	var report ImportReport
	done, err := rs.changeRules(ctx, c.Company, mutation{kind: redirectdb.RulesImport, dry: in.DryRun}, func(set *ruleSet) error {
		report = ImportReport{Rows: []ImportRow{}}
		return set.merge(ctx, t.Lines, &report)
	})
	rows, refused := t.Beside(report.Rows)
	out.Result = importView{Rows: rows, Created: report.Created, Updated: report.Updated, Skipped: report.Skipped, Errors: report.Errors + refused}
	out.Version, out.Replay = done.version, done.replay
	return out, err
}

// translate reads the text of an import, at most redirect.MaxImport rules.
func (rs *Redirects) translate(ctx context.Context, c *api.Call, in importRequest) (t Translation, err error) {
	if in.Format == "csv" {
		if err := header.Foreign(in.Text, readable); err != nil {
			return t, err
		}
		parse := redirect.ParseImport
		if in.AllowExternal {
			parse = redirect.ParseImportExternal
		}
		t.Lines, err = parse(in.Text)
		return t, err
	}
	company, err := companydb.Info(ctx, rs.store.Shop(c.Company))
	if err != nil {
		return t, err
	}
	t, err = Translate(in.Text, string(in.Format), rs.hosts.Hosts(company.Slug, company.Domain), in.AllowExternal)
	if errors.Is(err, foreign.ErrTooLarge) || len(t.Lines) > redirect.MaxImport {
		err = redirect.ErrImportTooLarge
	}
	return t, err
}

// ImportFile imports any number of lines, redirect.MaxImport at a time; each part is its own
// version. A dry run tries all of them. It returns the resulting version of the set.
func (rs *Redirects) ImportFile(
	ctx context.Context, company shop.CompanyID, lines []redirect.Row, dry bool,
) (ImportReport, shop.Int64, error) {
	report := ImportReport{Rows: []ImportRow{}}
	parts := slices.Collect(slices.Chunk(lines, redirect.MaxImport))
	if dry || len(parts) == 0 {
		done, err := rs.changeRules(ctx, company, mutation{kind: redirectdb.RulesImport, dry: true}, func(set *ruleSet) error {
			for _, part := range parts {
				if err := set.merge(ctx, part, &report); err != nil {
					return err
				}
			}
			return nil
		})
		return report, done.version, err
	}
	var version shop.Int64
	for _, part := range parts {
		done, err := rs.changeRules(
			ctx, company, mutation{kind: redirectdb.RulesImport}, func(set *ruleSet) error { return set.merge(ctx, part, &report) },
		)
		if err != nil {
			return report, version, err
		}
		version = done.version
	}
	return report, version, nil
}

// merge applies the lines to the set as far as possible and reports each of them.
func (s *ruleSet) merge(ctx context.Context, lines []redirect.Row, report *ImportReport) error {
	m, err := newMerge(s, lines)
	if err != nil {
		return err
	}
	err = m.revertLoops(ctx)
	m.report(report)
	return err
}

func (m *merge) report(r *ImportReport) {
	for i, mv := range m.moves {
		line := m.lines[i]
		r.Rows = append(r.Rows, ImportRow{Line: line.Line, From: line.From, To: line.To, Status: mv.status, Reason: mv.reason})
		switch mv.status {
		case redirect.StatusCreated:
			r.Created++
		case redirect.StatusUpdated:
			r.Updated++
		case redirect.StatusSkipped:
			r.Skipped++
		case redirect.StatusError:
			r.Errors++
		}
	}
}
