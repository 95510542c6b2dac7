package media

import (
	"net/url"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	mediadb "vitrine/internal/store/media"
)

// After any sequence of creations and moves, each collection reaches the top level in at most 16
// steps.
func TestCollectionsNeverFormACycle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := tree{}
		for next := mediadb.CollectionID(1); next < 40; next++ {
			all[next] = 0
			id := mediadb.CollectionID(rapid.Int64Range(1, int64(next)).Draw(t, "id"))
			parent := mediadb.CollectionID(rapid.Int64Range(0, int64(next)).Draw(t, "parent"))
			was := all[id]
			if err := all.add(mediadb.Collection{ID: id, ParentID: parent}); err != nil {
				all[id] = was // the refused transaction was rolled back
			}
			for c := range all {
				steps := 1
				for at := all[c]; at != 0; at = all[at] {
					if steps++; steps > maxDepth {
						t.Fatalf("%d is %d levels deep in %v", c, steps, all)
					}
				}
			}
		}
	})
}

func FuzzNameOfAnAddress(f *testing.F) {
	for _, at := range []string{"http://h/a.png", "http://h/", "http://h/a%2Fb", "http://h/%00%FF\\x", "http://h/..", "http://h"} {
		f.Add(at)
	}
	f.Fuzz(func(t *testing.T, at string) {
		u, err := url.Parse(at)
		if err != nil || u.Hostname() == "" {
			return
		}
		name := nameOf(u)
		if clean, err := cleanName(name); utf8.ValidString(u.Hostname()) && len(u.Hostname()) < maxName &&
			(err != nil || !utf8.ValidString(clean)) {
			t.Errorf("%q is named %q: %v", at, name, err)
		}
	})
}
