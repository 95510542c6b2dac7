package movein

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode"
)

// Limits of an item of an XML file.
const (
	maxNesting = 64
	maxNodes   = 20_000
	maxItem    = 4 << 20 // bytes of texts
)

// node is an element of an item.
type node struct {
	space, name string // the prefix does not matter; space is its namespace or the prefix itself
	attributes  map[string]string
	text        strings.Builder
	children    []*node
}

// first returns the text of the first child with a name, or "".
func (n *node) first(name string) string {
	for _, c := range n.children {
		if c.name == name {
			return c.text.String()
		}
	}
	return ""
}

// items calls a function with every element of these names. A file that ends early, or is not
// well-formed from somewhere on, is a loss; what was read stays.
func (e *engine) items(name string, r io.Reader, names map[string]bool, do func(at Place, n *node)) error {
	meter := &metered{from: r}
	d := xml.NewDecoder(&printable{from: meter})
	d.Strict = false // declared entities are not expanded
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var open []*node
	depth, nodes, size := 0, 0, 0
	var at Place
	for {
		meter.since = 0
		token, err := d.Token()
		if err != nil {
			if meter.err != nil {
				return meter.err
			}
			if !errors.Is(err, io.EOF) || depth > 0 {
				line, _ := d.InputPos()
				e.lose(Place{name, line}, Skipped, "FILE_TRUNCATED", err.Error())
			}
			return nil
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxNesting {
				return ErrInvalid.With(name + " is nested too deeply")
			}
			if len(open) == 0 && !names[t.Name.Local] {
				continue
			}
			n := &node{space: strings.Clone(t.Name.Space), name: strings.Clone(t.Name.Local)}
			for _, a := range t.Attr[:min(len(t.Attr), 20)] {
				if n.attributes == nil {
					n.attributes = map[string]string{}
				}
				n.attributes[a.Name.Local] = a.Value
			}
			if len(open) == 0 {
				line, _ := d.InputPos()
				at, nodes, size = Place{name, line}, 0, 0
			} else if nodes++; nodes < maxNodes {
				parent := open[len(open)-1]
				parent.children = append(parent.children, n)
			}
			open = append(open, n)
		case xml.EndElement:
			depth--
			if len(open) == 0 {
				continue
			}
			n := open[len(open)-1]
			if open = open[:len(open)-1]; len(open) == 0 {
				do(at, n)
			}
		case xml.CharData:
			if size += len(t); len(open) > 0 && size <= maxItem {
				open[len(open)-1].text.Write(t)
			}
		}
	}
}

// maxValue bounds the bytes of one text of an XML or JSON file, or of one of its elements: the
// decoders hold it as a whole.
const maxValue = 4 * maxItem

// metered bounds the bytes that are read for one value, and keeps the error of a reader, which
// decoders replace.
type metered struct {
	from  io.Reader
	since int // bytes since the value began
	err   error
}

func (m *metered) Read(p []byte) (int, error) {
	if m.since > maxValue {
		m.err = ErrInvalid.With("a text of the file is longer than 16 MB")
		return 0, m.err
	}
	n, err := m.from.Read(p)
	if m.since += n; err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

// printable drops the control characters that XML forbids but exports have.
type printable struct{ from io.Reader }

func (r *printable) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	kept := p[:0]
	for _, c := range p[:n] {
		if c >= ' ' || c == '\n' || c == '\t' || c == '\r' {
			kept = append(kept, c)
		}
	}
	return len(kept), err
}

// dropControls removes control characters other than line ends and tabs.
func dropControls(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' || r == '\ufeff' {
			return -1
		}
		return r
	}, text)
}
