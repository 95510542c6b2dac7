package render

import (
	"bytes"
	"slices"
)

// The two ways in which a picture is fetched.
var (
	lazily  = []byte(` loading="lazy"`)
	eagerly = []byte(` fetchpriority="high"`)
)

// lead makes the first picture of a page's own content one that is fetched
// first, since nobody who draws a part knows what stands above it. Pictures that
// are small wherever they stand do not lead, and behind an html document that
// has pictures none does.
func (w *writer) lead(from int) {
	for !w.led {
		at := bytes.Index(w.out[from:], []byte(`<img class="v-`))
		if at < 0 {
			return
		}
		from += at
		end := from + bytes.IndexByte(w.out[from:], '>')
		tag := w.out[from:end]
		if small(tag) {
			from = end
			continue
		}
		w.led = true
		if lazy := bytes.Index(tag, lazily); lazy >= 0 {
			w.out = slices.Replace(w.out, from+lazy, from+lazy+len(lazily), eagerly...)
		}
	}
}

func small(tag []byte) bool {
	for _, name := range []string{"aside", "thumb", "portrait", "shot"} {
		if bytes.HasPrefix(tag, []byte(`<img class="`+slots[name].class+`"`)) {
			return true
		}
	}
	return false
}
