package redirect

import (
	"context"

	"vitrine/compile/redirect"
)

// unloop takes lines back until no chain runs in a circle or too long: of those
// at fault the last one in the file, as if the lines had come one by one. A
// file with swapped columns has hundreds of circles; all that share no rule are
// found at once.
func (m *merge) unloop(ctx context.Context) error {
	for {
		circles := m.set.site().FindCircles(m.set.before, len(m.moves))
		if len(circles) == 0 {
			return nil
		}
		solved := false
		for _, circle := range circles {
			solved = m.takeBack(circle.Rules, reasonOfCircle(circle.Endless)) || solved
		}
		if !solved && !m.takeBack(nil, reasonOfCircle(circles[0].Endless)) {
			return nil // nothing of the import is left
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
