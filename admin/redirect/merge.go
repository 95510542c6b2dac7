package redirect

import (
	"errors"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
	redirectdb "vitrine/internal/store/redirect"
)

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
	id     shop.RuleID      // of the rule that it makes or changes
	old    *redirectdb.Rule // as it was, for an update
}

// newMerge decides about every line, as if there were no circles.
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

// move decides about one line and puts its rule into the set.
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
	m.set.put(i, row)
	return move{status: redirect.StatusUpdated, id: row.ID, old: &old}, nil
}

func reasonOf(err error) redirect.Reason {
	if errors.Is(err, errMaskLimit) || errors.Is(err, errMaskCeiling) {
		return redirect.PatternLimitReached
	}
	return redirect.LimitReached
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
			m.set.put(at, *mv.old)
		} else {
			m.set.cut(at)
		}
		*mv = move{status: redirect.StatusError, reason: reason}
		return true
	}
	return false
}
