package site

import (
	"context"
	"errors"
	"slices"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
	"vitrine/internal/store"
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

// last is the rule that the last line among those of the rules makes.
func (m *merge) last(rules []shop.RuleID) (shop.RuleID, bool) {
	for i := len(m.moves) - 1; i >= 0; i-- {
		if id := m.moves[i].id; id != 0 && slices.Contains(rules, id) {
			return id, true
		}
	}
	return 0, false
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
