package site

import (
	"context"

	"vitrine/admin/api"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type importRequest struct {
	Text          string `json:"text"`
	DryRun        bool   `json:"dry_run"`
	AllowExternal bool   `json:"allow_external"`
}

type importRow struct {
	Line   int             `json:"line"`
	From   string          `json:"from"`
	To     string          `json:"to"`
	Status redirect.Status `json:"status"`
	Reason redirect.Reason `json:"reason"`
}

type importReport struct {
	Rows    []importRow `json:"rows"`
	Created int         `json:"created"`
	Updated int         `json:"updated"`
	Skipped int         `json:"skipped"`
	Errors  int         `json:"errors"`
}

type importAnswer struct {
	Result  importReport `json:"result"`
	Version shop.Int64   `json:"version"`
	Replay  *replay      `json:"replay,omitempty"` // of a dry run
}

// importRules takes what it can of a CSV: a bad line never disturbs its
// neighbours, and an import that changes nothing leaves the version.
func (s *Site) importRules(ctx context.Context, c *api.Call, in importRequest) (importAnswer, error) {
	var out importAnswer
	parse := redirect.ParseImport
	if in.AllowExternal {
		parse = redirect.ParseImportExternal
	}
	lines, err := parse(in.Text)
	if err != nil {
		return out, err
	}
	done, err := s.changeRules(ctx, c.Company, mutation{kind: store.RulesImport, dry: in.DryRun}, func(set *ruleSet) error {
		m, err := newMerge(set, lines)
		if err != nil {
			return err
		}
		err = m.unloop(ctx)
		out.Result = m.report()
		return err
	})
	out.Version, out.Replay = done.version, done.replay
	return out, err
}

func (m *merge) report() importReport {
	r := importReport{Rows: []importRow{}}
	for i, mv := range m.moves {
		line := m.lines[i]
		r.Rows = append(r.Rows, importRow{Line: line.Line, From: line.From, To: line.To, Status: mv.status, Reason: mv.reason})
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
	return r
}
