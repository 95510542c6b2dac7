package render

import (
	"html/template"
	"strconv"
	"strings"
)

// Reels tells the script how films follow one another: on, and around.
func (w widgetView) Reels() string {
	var how []string
	for _, flag := range [...]string{"autoAdvance", "loopAll"} {
		if w.Props.Bool(flag) {
			how = append(how, flag)
		}
	}
	return strings.Join(append(how, w.Props.Text("preview")), " ")
}

// Drifts reports whether the tiles of a strip move by themselves.
func (w widgetView) Drifts() bool {
	return w.Props.Text("layout") == "strip" && w.Props.Text("drift") != "off"
}

// Film and Shot name a tile without words.
func (w widgetView) Film(i int) string { return w.T.Video + " " + strconv.Itoa(i+1) }
func (w widgetView) Shot(i int) string { return w.T.Photo + " " + strconv.Itoa(i+1) }

// reelRows is how many rows of tiles a grid shows before it says how many more
// there are.
const reelRows = 2

// Over is how many tiles of a grid wait behind a +N, 0 where all are shown.
func (w widgetView) Over() int {
	if w.Props.Text("layout") != "grid" || w.Props.Text("overflow") != "plusN" {
		return 0
	}
	abreast := w.Props.Int("columns")
	for _, asked := range w.abreast() {
		abreast = max(int64(asked.columns), abreast)
	}
	return max(len(w.Items)-reelRows*int(max(abreast, 1)), 0)
}

// Rest reports whether a tile waits behind the +N.
func (w widgetView) Rest(i int) bool { return i >= len(w.Items)-w.Over() }

// Columns is how many columns a gridClass asks for, on a narrow, a wider and a
// wide section: the last of its words for each, such as grid-cols-2 and
// @5xl:grid-cols-4 (document 3, 2.2).
func (w widgetView) Columns() template.HTMLAttr {
	var style strings.Builder
	for _, asked := range w.abreast() {
		style.WriteString("--v-cols" + asked.at + ":" + strconv.Itoa(asked.columns) + ";")
	}
	if style.Len() == 0 {
		return ""
	}
	return template.HTMLAttr(` style="` + style.String() + `"`)
}

// abreast is how many entries stand side by side from a width of the section on.
type abreast struct {
	at      string // "", "-m" or "-l"
	columns int
}

// abreast reads a gridClass. The default asks for nothing that the setting
// columns does not.
func (w widgetView) abreast() (list []abreast) {
	for _, u := range w.utilities("gridClass") {
		n, _ := strconv.Atoi(u.Value) // digits
		list = append(list, abreast{columnsAt(strings.TrimPrefix(u.At, "@")), n})
	}
	return list
}

// columnsAt is the width of a section that a word of a gridClass is for.
func columnsAt(width string) string {
	switch width {
	case "":
		return ""
	case "4xl", "5xl", "6xl", "7xl", "lg", "xl":
		return "-l"
	}
	return "-m"
}
