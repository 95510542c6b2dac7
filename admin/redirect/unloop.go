package redirect

import (
	"context"

	"vitrine/compile/redirect"
)

// revertLoops reverts lines until there are no loops and no chains that are too long. Of the lines
// involved it reverts the last one in the file, as if the lines had been imported one by one. A
// file with swapped columns has hundreds of loops; all that share no rule are found in one pass.
func (m *merge) revertLoops(ctx context.Context) error {
	for {
		circles := m.set.site().FindLoops(m.set.before, len(m.moves))
		if len(circles) == 0 {
			return nil
		}
		solved := false
		for _, circle := range circles {
			solved = m.revertLine(circle.Rules, reasonOfCircle(circle.Endless)) || solved
		}
		if !solved && !m.revertLine(nil, reasonOfCircle(circles[0].Endless)) {
			return nil // no line of the import is left
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

func reasonOfCircle(endless bool) redirect.Reason {
	if endless {
		return redirect.Loop
	}
	return redirect.ChainTooLong
}
