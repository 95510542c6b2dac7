package main

import (
	"fmt"
	"time"
	"unicode/utf8"
)

// effort is what a person does in a story: each click and each text, in the order in which they come.
type effort struct {
	began        time.Time
	list         []string
	clicks, keys int
}

func (e *effort) add(format string, args ...any) {
	e.list = append(e.list, fmt.Sprintf("%5.1f s  ", time.Since(e.began).Seconds())+fmt.Sprintf(format, args...))
}

// clicked counts one click; a tab without an effort counts nothing.
func (e *effort) clicked(label string) {
	if e != nil {
		e.clicks++
		e.add("click: %s", label)
	}
}

// typed counts the click into a field and the keys of a text.
func (e *effort) typed(label, text string) {
	if e != nil {
		n := utf8.RuneCountInString(text)
		e.clicks++
		e.keys += n
		e.add("type %d keys: %s", n, label)
	}
}

// called is what a person calls the element of a selector; nothing where nobody counts.
func (b *tab) called(selector string) string {
	b.t.Helper()
	if b.effort == nil {
		return ""
	}
	element := `document.querySelector(` + quoted(selector) + `)`
	b.until(element)
	return b.text(`((e) => (e.labels?.[0]?.textContent || e.ariaLabel || e.textContent).trim().replace(/\s+/g, ' ').slice(0, 60))(` + element + `)`)
}

// The keystroke-level model: a click is to think, to take the mouse, to point and to press; a key is one
// of an average typist.
const perClick, perKey = 3 * time.Second, 280 * time.Millisecond

// person is how long a person needs for it.
func (e *effort) person() time.Duration {
	return time.Duration(e.clicks)*perClick + time.Duration(e.keys)*perKey
}

func (e *effort) total() string {
	return fmt.Sprintf("%d clicks and %d keys: %s of a person, %.0f s of this machine", e.clicks, e.keys, e.person().Round(time.Second), time.Since(e.began).Seconds())
}
