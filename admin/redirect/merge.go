package redirect

import (
	"errors"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
	redirectdb "vitrine/internal/store/redirect"
)

// merge applies the lines of an import to a set.
type merge struct {
	set   *ruleSet
	lines []redirect.Row
	moves []move // one per line, in the same order
}

// move is the effect of a line on the set.
type move struct {
	status redirect.Status
	reason redirect.Reason
	id     shop.RuleID      // of the rule that it creates or changes
	old    *redirectdb.Rule // the previous rule, for an update
}

// newMerge applies every line, without checking for redirect loops.
func newMerge(set *ruleSet, lines []redirect.Row) (*merge, error) {
	m := &merge{set: set, lines: lines, moves: make([]move, len(lines))}
	at := make(map[string]int, len(set.rows))
	for i, row := range set.rows {
		at[row.DupKey] = i
	}
	rows, fresh := make([]redirectdb.Rule, len(lines)), 0
	for i, line := range lines {
		if line.Reason != "" {
			continue
		}
		rows[i] = rowOf(line.Rule)
		if _, known := at[rows[i].DupKey]; !known {
			fresh++
		}
	}
	if fresh > 0 {
		var err error
		if set.ids, err = set.reserve(fresh); err != nil {
			return nil, err
		}
	}
	for i, line := range lines {
		var err error
		if m.moves[i], err = m.move(line, rows[i], at); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// move applies one line: it adds its rule to the set or updates the existing one.
func (m *merge) move(line redirect.Row, row redirectdb.Rule, at map[string]int) (move, error) {
	if line.Reason != "" {
		return move{status: line.Status(), reason: line.Reason}, nil
	}
	if compile.Reserved(line.Rule.Key()) {
		return move{status: redirect.StatusError, reason: redirect.ReservedPath}, nil
	}
	i, known := at[row.DupKey]
	if !known {
		row, err := m.set.append(row)
		if _, refused := shop.AsRefusal(err); refused {
			return move{status: redirect.StatusError, reason: reasonOf(err)}, nil
		}
		return move{status: redirect.StatusCreated, id: row.ID}, err
	}
	old := m.set.rows[i]
	row.ID, row.SortOrder = old.ID, old.SortOrder
	if !line.NoteGiven {
		row.Note = old.Note
	}
	if row.Equal(old) {
		return move{status: redirect.StatusSkipped, reason: redirect.Unchanged}, nil
	}
	m.set.setRow(i, row)
	return move{status: redirect.StatusUpdated, id: row.ID, old: &old}, nil
}

func reasonOf(err error) redirect.Reason {
	if errors.Is(err, errMaskLimit) || errors.Is(err, errMaskCeiling) {
		return redirect.PatternLimitReached
	}
	return redirect.LimitReached
}

// revertLine reverts the last line that created or changed one of the rules, or any rule if rules
// is nil.
func (m *merge) revertLine(rules []shop.RuleID, reason redirect.Reason) bool {
	involved := make(map[shop.RuleID]bool, len(rules))
	for _, id := range rules {
		involved[id] = true
	}
	for i := len(m.moves) - 1; i >= 0; i-- {
		mv := &m.moves[i]
		if mv.id == 0 || rules != nil && !involved[mv.id] {
			continue
		}
		at := m.set.byID(mv.id)
		if mv.old != nil {
			m.set.setRow(at, *mv.old)
		} else {
			m.set.removeAt(at)
		}
		*mv = move{status: redirect.StatusError, reason: reason}
		return true
	}
	return false
}
