package render

import (
	"html/template"
	"strconv"
	"strings"
)

// Reels lists the playback options of videos for the script: advance to the next, loop, and
// the preview mode.
func (w widgetView) Reels() string {
	var how []string
	for _, flag := range [...]string{"autoAdvance", "loopAll"} {
		if w.Props.Bool(flag) {
			how = append(how, flag)
		}
	}
	return strings.Join(append(how, w.Props.Text("preview")), " ")
}

// Drifting reports whether the tiles of a strip move automatically.
func (w widgetView) Drifting() bool {
	return w.Props.Text("layout") == "strip" && w.Props.Text("drift") != "off"
}

// Film and Shot are the names of tiles without text.
func (w widgetView) Film(i int) string { return w.T.Video + " " + strconv.Itoa(i+1) }
func (w widgetView) Shot(i int) string { return w.T.Photo + " " + strconv.Itoa(i+1) }

// reelRows is the number of rows a grid shows before a +N for the remaining tiles.
const reelRows = 2

// HiddenTiles is the number of tiles hidden behind a +N, 0 if all are shown.
func (w widgetView) HiddenTiles() int {
	if w.Props.Text("layout") != "grid" || w.Props.Text("overflow") != "plusN" {
		return 0
	}
	abreast := w.Props.Int("columns")
	for _, asked := range w.abreast() {
		abreast = max(int64(asked.columns), abreast)
	}
	return max(len(w.Items)-reelRows*int(max(abreast, 1)), 0)
}

// IsHiddenTile reports whether tile i is hidden behind the +N.
func (w widgetView) IsHiddenTile(i int) bool { return i >= len(w.Items)-w.HiddenTiles() }

// Columns sets the numbers of columns that a gridClass asks for, on a narrow, a wider and a
// wide section: the last of its class names for each, such as grid-cols-2 and
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

// abreast is the number of columns from a width of the section on.
type abreast struct {
	at      string // "", "-m" or "-l"
	columns int
}

// abreast parses a gridClass. Its default adds nothing to the setting columns.
func (w widgetView) abreast() (list []abreast) {
	for _, u := range w.utilities("gridClass") {
		n, _ := strconv.Atoi(u.Value) // digits
		list = append(list, abreast{columnsAt(strings.TrimPrefix(u.At, "@")), n})
	}
	return list
}

// columnsAt maps the breakpoint of a gridClass name to the section width it applies to.
func columnsAt(width string) string {
	switch width {
	case "":
		return ""
	case "4xl", "5xl", "6xl", "7xl", "lg", "xl":
		return "-l"
	}
	return "-m"
}
