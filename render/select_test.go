package render

import (
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// at evaluates a selector as described at want.
func at(doc *goquery.Document, place string) string {
	if sel, ok := strings.CutSuffix(place, "#"); ok {
		return strconv.Itoa(doc.Find(sel).Length())
	}
	if sel, name, ok := strings.Cut(place, "@"); ok {
		value, found := doc.Find(sel).First().Attr(name)
		if !found {
			return "<absent>"
		}
		return value
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(doc.Find(place).First().Text(), noBreak, " ")), " ")
}
