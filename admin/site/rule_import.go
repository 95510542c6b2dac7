package site

import (
	"context"
	"errors"

	"vitrine/admin/api"
	"vitrine/compile"
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
	out.Version, err = s.changeRules(ctx, c.Company, func(tx *store.Tx, set *ruleSet) error {
		m := newMerge(set, lines)
		if err := m.unloop(ctx); err != nil {
			return err
		}
		out.Result = m.report()
		if in.DryRun {
			return nil
		}
		return m.write(ctx, tx)
	})
	return out, err
}

// merge is an import on its way into the set.
type merge struct {
	set   *ruleSet
	lines []redirect.Row
	moves []move // of the lines, in their order
}

// move is what a line does to the set.
type move struct {
	status redirect.Status
	reason redirect.Reason
	id     shop.RuleID // of the rule that it makes or changes
	old    *store.Rule // as it was, for an update
}

func newMerge(set *ruleSet, lines []redirect.Row) *merge {
	m := &merge{set: set, lines: lines, moves: make([]move, len(lines))}
	at := make(map[string]int, len(set.rows))
	for i, row := range set.rows {
		at[row.DupKey] = i
	}
	for i, line := range lines {
		m.moves[i] = m.move(line, at)
	}
	return m
}

// move decides about one line and puts its rule into the set.
func (m *merge) move(line redirect.Row, at map[string]int) move {
	if line.Reason != "" {
		return move{status: line.Status(), reason: line.Reason}
	}
	if compile.Reserved(line.Rule.Key()) {
		return move{status: redirect.StatusError, reason: redirect.ReservedPath}
	}
	i, known := at[dupKey(line.Rule)]
	if !known {
		row, err := m.set.add(line.Rule)
		if err != nil {
			return move{status: redirect.StatusError, reason: reasonOf(err)}
		}
		return move{status: redirect.StatusCreated, id: row.ID}
	}
	old, row := m.set.rows[i], rowOf(line.Rule)
	row.ID, row.SortOrder, row.Hits, row.LastHitAt = old.ID, old.SortOrder, old.Hits, old.LastHitAt
	if !line.NoteGiven {
		row.Note = old.Note
	}
	if row == old {
		return move{status: redirect.StatusSkipped, reason: redirect.Unchanged}
	}
	m.set.rows[i] = row
	return move{status: redirect.StatusUpdated, id: row.ID, old: &old}
}

func reasonOf(err error) redirect.Reason {
	if errors.Is(err, errMaskLimit) || errors.Is(err, errMaskCeiling) {
		return redirect.PatternLimitReached
	}
	return redirect.LimitReached
}

// unloop takes lines back until no chain runs in a circle or too long: of those
// at fault the last one in the file, as if the lines had come one by one.
func (m *merge) unloop(ctx context.Context) error {
	for {
		circle, found := m.set.site().FindCircle(m.set.before)
		if !found {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		reason, guilty := redirect.Loop, circle.Rules
		if !circle.Endless { // what follows after the hop too many is not at fault
			reason, guilty = redirect.ChainTooLong, guilty[:min(len(guilty), compile.MaxHops+1)]
		}
		if !m.takeBack(guilty, reason) && !m.takeBack(nil, reason) {
			return nil // nothing of the import is left
		}
	}
}

// takeBack undoes the last line that makes one of the rules, or any rule when
// none are named.
func (m *merge) takeBack(rules []shop.RuleID, reason redirect.Reason) bool {
	guilty := make(map[shop.RuleID]bool, len(rules))
	for _, id := range rules {
		guilty[id] = true
	}
	for i := len(m.moves) - 1; i >= 0; i-- {
		mv := &m.moves[i]
		if mv.id == 0 || rules != nil && !guilty[mv.id] {
			continue
		}
		at := m.set.byID(mv.id)
		if mv.old != nil {
			m.set.rows[at] = *mv.old
		} else {
			m.set.rows = append(m.set.rows[:at], m.set.rows[at+1:]...)
		}
		*mv = move{status: redirect.StatusError, reason: reason}
		return true
	}
	return false
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

func (m *merge) write(ctx context.Context, tx *store.Tx) error {
	var created []*store.Rule
	var updated []store.Rule
	for _, mv := range m.moves {
		if mv.id == 0 {
			continue
		}
		row := m.set.rows[m.set.byID(mv.id)]
		if mv.old != nil {
			updated = append(updated, row)
		} else {
			created = append(created, &row)
		}
	}
	if len(updated) > 0 {
		if err := tx.UpdateRules(ctx, updated); err != nil {
			return err
		}
	}
	if len(created) > 0 {
		return tx.InsertRules(ctx, created)
	}
	return nil
}
