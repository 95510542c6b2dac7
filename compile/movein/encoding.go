package movein

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"vitrine/compile/movein/header"
	"vitrine/internal/cells"
)

// encodingOf finds out how a file is encoded: by its mark, else UTF-8 if its bytes are, else by
// what XML declares or by whether the header is one in Windows-1251; else the owner is asked.
// It returns nil for UTF-8.
func (e *engine) encodingOf(f File) (encoding.Encoding, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	start, broken, err := scanUTF8(r)
	if err != nil {
		return nil, err
	}
	if marked := cells.Marked(start); marked != nil || !broken {
		return marked, nil
	}
	if _, rest, ok := bytes.Cut(start[:min(len(start), 200)], []byte("encoding=")); ok && len(rest) > 1 && bytes.HasPrefix(start, []byte("<")) {
		name, _, _ := strings.Cut(string(rest[1:]), string(rest[:1]))
		if declared, err := htmlindex.Get(name); err == nil && declared != encoding.Nop {
			return declared, nil
		}
	}
	// Only the right one gives the names of a translated header.
	if _, plain := header.Of(string(start)); !plain {
		for _, name := range []string{"windows-1251", "windows-1252"} {
			one := cells.Legacy[name]
			if text, err := one.NewDecoder().Bytes(start); err == nil {
				if _, ok := header.Of(string(text)); ok {
					return one, nil
				}
			}
		}
	}
	fallback := "windows-1252"
	if e.shop.Language == "ru" {
		fallback = "windows-1251"
	}
	return cells.Legacy[e.ask("encoding", "The file is not UTF-8. In which encoding was it saved?", fallback, "windows-1250", "windows-1251", "windows-1252")], nil
}

// scanUTF8 returns the start of a text, and whether it is not UTF-8. A few wrong bytes among many
// letters are damage, not another encoding; so is a letter that is cut at the end.
func scanUTF8(r io.Reader) (start []byte, broken bool, err error) {
	buffer := make([]byte, 256<<10)
	held, right, wrong := 0, 0, 0
	for {
		n, err := io.ReadFull(r, buffer[held:])
		data, last := buffer[:held+n], err != nil
		if start == nil {
			start = bytes.Clone(data)
		}
		held = 0
		for i := 0; i < len(data); {
			if data[i] < utf8.RuneSelf {
				i++
				continue
			}
			c, size := utf8.DecodeRune(data[i:])
			if c == utf8.RuneError && size == 1 {
				if !utf8.FullRune(data[i:]) {
					held = copy(buffer, data[i:])
					break
				}
				wrong++
			} else {
				right++
			}
			i += size
		}
		if last {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = nil
			}
			return start, wrong > right/4, err
		}
	}
}

// open opens a file as UTF-8 without NUL.
func (e *engine) open(f File) (io.ReadCloser, error) {
	decoder, err := e.encodingOf(f)
	if err != nil {
		return nil, err
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	var t transform.Transformer = encoding.Replacement.NewEncoder() // invalid bytes become U+FFFD
	if decoder != nil {
		t = decoder.NewDecoder()
	}
	return struct {
		io.Reader
		io.Closer
	}{transform.NewReader(r, t), r}, nil
}
