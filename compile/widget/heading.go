package widget

import (
	"encoding/json"
	"strings"
)

// Heading is a section of the legacy kind heading, whose fields are on the section itself
// (document 3, 2.2). It is read and no longer written, so every form that editors have produced
// is accepted.
type Heading struct {
	Text  string // empty: nothing is drawn
	Tag   string // h1 to h6
	Align string // left, center or right
}

// ReadHeading reads a heading from its section: its text from text or title, its rank from tag
// ("h3") or level (3), h2 by default. Payload and props are used where the section has no value.
func ReadHeading(section json.RawMessage) (h Heading) {
	h.Tag, h.Align = "h2", "left"
	at := object(section)
	payload, _ := at["payload"].(map[string]any)
	props, _ := payload["props"].(map[string]any)
	for _, fields := range []map[string]any{props, payload, at} {
		for _, name := range []string{"title", "text"} {
			if text, ok := fields[name].(string); ok && strings.TrimSpace(text) != "" {
				h.Text = text
			}
		}
		for _, name := range []string{"tag", "level"} {
			if tag := headingTag(fields[name]); tag != "" {
				h.Tag = tag
			}
		}
		if align, _ := fields["align"].(string); align == "left" || align == "center" || align == "right" {
			h.Align = align
		}
	}
	return h
}

// headingFields are the names that a heading is read from.
var headingFields = []string{"text", "title", "tag", "level", "align"}

func headingTag(v any) string {
	switch v := v.(type) {
	case string:
		v = strings.ToLower(v)
		if len(v) == 2 && v[0] == 'h' && v[1] >= '1' && v[1] <= '6' {
			return v
		}
	case json.Number:
		if n := v.String(); len(n) == 1 {
			return headingTag("h" + n)
		}
	}
	return ""
}
