package feed

import (
	"io"
	"sync"
	"testing"
)

func TestABuildThatLostHalfOfItsOffersIsImplausible(t *testing.T) {
	for _, c := range []struct {
		before, now Count
		want        bool
	}{
		{Count{100, 100}, Count{51, 100}, false},
		{Count{100, 100}, Count{50, 100}, false},
		{Count{100, 100}, Count{49, 100}, true},
		{Count{100, 100}, Count{0, 100}, true},
		{Count{100, 100}, Count{10, 10}, false}, // the catalogue shrank as much
		{Count{100, 100}, Count{4, 10}, true},
		{Count{100, 100}, Count{0, 0}, false},
		{Count{100, 100}, Count{49, 1000}, true}, // it grew: no reason to lose
		{Count{0, 0}, Count{0, 5}, false},
		{Count{0, 100}, Count{5, 100}, false},
		{Count{100, 200}, Count{50, 200}, false},
		{Count{50_000, 50_000}, Count{24_999, 50_000}, true},
	} {
		if got := c.now.Implausible(c.before); got != c.want {
			t.Errorf("%+v after %+v: %v", c.now, c.before, got)
		}
	}
}

func TestATemplateRendersForSeveralAtOnce(t *testing.T) {
	c := many(300)
	tmpl, _ := Compile("feed.yml", yandex)
	out, result := build(t, "feed.yml", yandex, c, nil)
	kept := result.Keep([]byte(out))
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			o := Options{Now: noon, Trace: true}
			if i%2 == 0 {
				o.Kept = kept
			}
			again, problem := tmpl.Render(io.Discard, c, o)
			if problem != nil || again.Bytes != result.Bytes || again.Steps != result.Steps {
				t.Errorf("%d bytes, %v", again.Bytes, problem)
			}
		})
	}
	group.Wait()
}
