package richtext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// table prints a table in a box of its own, which scrolls where the table is wider
// than the page, for a finger and for the keyboard.
func (d *drawing) table(n *html.Node, depth int) {
	d.open("div", ` class="v-rich__wide" role="group" tabindex="0" aria-label="`+html.EscapeString(d.Table)+`"`)
	d.open("table", "")
	for c := n.FirstChild; c != nil && !d.over; c = c.NextSibling {
		switch {
		case c.Type != html.ElementNode:
		case c.Data == "thead", c.Data == "tbody", c.Data == "tfoot":
			d.open(c.Data, "")
			d.rows(c, depth)
			d.close(c.Data)
		}
	}
	d.close("table")
	d.close("div")
}

func (d *drawing) rows(n *html.Node, depth int) {
	for row := n.FirstChild; row != nil && !d.over; row = row.NextSibling {
		if row.Type != html.ElementNode || row.Data != "tr" {
			continue
		}
		d.open("tr", "")
		for c := row.FirstChild; c != nil && !d.over; c = c.NextSibling {
			if c.Type == html.ElementNode && (c.Data == "td" || c.Data == "th") {
				d.open(c.Data, span(c, "colspan")+span(c, "rowspan"))
				d.cell(c, depth+4)
				d.close(c.Data)
			}
		}
		d.close("tr")
	}
}

// maxSpan is how many columns or rows a cell covers at most.
const maxSpan = 100

func span(n *html.Node, name string) string {
	v, err := strconv.Atoi(strings.TrimSpace(attribute(n, name)))
	if err != nil || v < 2 {
		return ""
	}
	return " " + name + `="` + strconv.Itoa(min(v, maxSpan)) + `"`
}
