package lint

import (
	"bytes"
	"html"
	"strings"
)

// tag is one tag of a well-formed document.
type tag struct {
	name  []byte
	attrs []byte
	at    int  // offset of its <
	after int  // offset after its >
	end   bool // </x>
	empty bool // <x/>
}

// next returns the first tag at or after an offset; it skips comments, declarations, CDATA and
// processing instructions. ok is false at the end.
func next(out []byte, from int) (t tag, ok bool) {
	for {
		i := bytes.IndexByte(out[from:], '<')
		if i < 0 || from+i+1 >= len(out) {
			return t, false
		}
		at := from + i
		switch rest := out[at:]; {
		case bytes.HasPrefix(rest, []byte("<!--")):
			from = after(out, at, "-->")
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			from = after(out, at, "]]>")
		case rest[1] == '?':
			from = after(out, at, "?>")
		case rest[1] == '!':
			from = after(out, at, ">")
		default:
			return readTag(out, at), true
		}
	}
}

func after(out []byte, from int, end string) int {
	i := bytes.Index(out[from:], []byte(end))
	if i < 0 {
		return len(out)
	}
	return from + i + len(end)
}

func readTag(out []byte, at int) tag {
	t := tag{at: at}
	i := at + 1
	if out[i] == '/' {
		t.end = true
		i++
	}
	start := i
	for i < len(out) && out[i] > ' ' && out[i] != '/' && out[i] != '>' {
		i++
	}
	t.name = out[start:i]
	start = i
	if i < len(out) && out[i] == '>' {
		t.after = i + 1
		return t
	}
	for quote := byte(0); i < len(out) && (quote != 0 || out[i] != '>'); i++ {
		switch {
		case quote == out[i]:
			quote = 0
		case quote == 0 && (out[i] == '"' || out[i] == '\''):
			quote = out[i]
		}
	}
	t.attrs = out[start:i]
	t.after = min(i+1, len(out))
	if n := len(t.attrs); n > 0 && t.attrs[n-1] == '/' {
		t.empty, t.attrs = true, t.attrs[:n-1]
	}
	return t
}

// local returns a name without its prefix: price for g:price. A feed has few different names, so
// their strings are cached.
func (c *checker) local(name []byte) string {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	if known, ok := c.names[string(name)]; ok {
		return known
	}
	made := string(name)
	if len(c.names) < 1000 {
		c.names[made] = made
	}
	return made
}

// attr is an attribute of a tag.
type attr struct{ name, value string }

func (t *tag) attributes() []attr {
	var out []attr
	rest := t.attrs
	for {
		i := bytes.IndexByte(rest, '=')
		if i < 0 {
			return out
		}
		name := string(bytes.TrimSpace(rest[:i]))
		rest = bytes.TrimLeft(rest[i+1:], " \t\r\n")
		if len(rest) == 0 {
			return out
		}
		quote := rest[0]
		end := bytes.IndexByte(rest[1:], quote)
		if end < 0 {
			return out
		}
		out = append(out, attr{name, html.UnescapeString(string(rest[1 : 1+end]))})
		rest = rest[end+2:]
	}
}

func value(attrs []attr, name string) (string, bool) {
	for _, a := range attrs {
		if a.name == name {
			return a.value, true
		}
	}
	return "", false
}

// content returns the text of an element, with entities and CDATA decoded and markup removed.
func content(out []byte) string {
	if bytes.IndexByte(out, '<') < 0 {
		text := string(bytes.TrimSpace(out))
		if strings.IndexByte(text, '&') >= 0 {
			text = html.UnescapeString(text)
		}
		return text
	}
	var text []byte
	for len(out) > 0 {
		i := bytes.IndexByte(out, '<')
		if i < 0 {
			i = len(out)
		}
		text = append(text, html.UnescapeString(string(out[:i]))...)
		out = out[i:]
		if bytes.HasPrefix(out, []byte("<![CDATA[")) {
			end := after(out, 0, "]]>")
			text = append(text, out[len("<![CDATA["):max(end-3, len("<![CDATA["))]...)
			out = out[end:]
			continue
		}
		if len(out) > 0 {
			end := after(out, 0, ">")
			if bytes.HasPrefix(out, []byte("<!--")) {
				end = after(out, 0, "-->")
			}
			out = out[end:]
		}
	}
	return string(bytes.TrimSpace(text))
}
