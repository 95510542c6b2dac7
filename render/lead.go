package render

import (
	"bytes"
	"slices"
)

// The attributes of a lazily and an eagerly loaded picture.
var (
	lazily  = []byte(` loading="lazy"`)
	eagerly = []byte(` fetchpriority="high"`)
)

// promoteFirstImage makes the first picture of a page's own content an eagerly loaded one, because
// the parts are drawn without knowing what is above them. Places with small pictures are skipped.
// After an html document that has pictures, no picture is made eager.
func (w *writer) promoteFirstImage(from int) {
	for !w.eager {
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
		w.eager = true
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
