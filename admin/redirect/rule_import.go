package redirect

import (
	"context"
	"slices"

	"vitrine/admin/api"
	"vitrine/compile/movein/header"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
	redirectdb "vitrine/internal/store/redirect"
)

type importRequest struct {
	Text          string `json:"text" len:"body"`
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

type importAnswer struct {
	Result  ImportReport `json:"result"`
	Version shop.Int64   `json:"version"`
	Replay  *replay      `json:"replay,omitempty" doc:"for a dry run: the changes that visitors would see"`
}

// readable is the only format of another system with the same columns as ours: from and to.
var readable = header.File{System: header.Shopify, Content: header.Redirects}

// importRules imports the valid lines of a CSV: an invalid line does not affect the others, and
// an import without changes creates no version.
func (rs *Redirects) importRules(ctx context.Context, c *api.Call, in importRequest) (importAnswer, error) {
	var out importAnswer
	if err := header.Foreign(in.Text, readable); err != nil {
		return out, err
	}
	parse := redirect.ParseImport
	if in.AllowExternal {
		parse = redirect.ParseImportExternal
	}
	lines, err := parse(in.Text)
	if err != nil {
		return out, err
	}
	done, err := rs.changeRules(ctx, c.Company, mutation{kind: redirectdb.RulesImport, dry: in.DryRun}, func(set *ruleSet) error {
		out.Result = ImportReport{Rows: []ImportRow{}}
		return set.merge(ctx, lines, &out.Result)
	})
	out.Version, out.Replay = done.version, done.replay
	return out, err
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
