package movein

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// loose is a JSON value of any type, as a text: ids are numbers or texts, yes is true or 1.
type loose string

// UnmarshalJSON takes any value; null is empty.
func (l *loose) UnmarshalJSON(b []byte) error {
	text := string(b)
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
	}
	if *l = loose(text); text == "null" {
		*l = ""
	}
	return nil
}

// elements calls a function for each element of the lists with these names, wherever they are;
// "" is the list that is the whole text. A text that ends early is a loss.
func (e *engine) elements(name string, r io.Reader, lists map[string]func(*json.Decoder) error) error {
	d := json.NewDecoder(r)
	err := walk(d, "", lists, 0)
	if errors.Is(err, ErrInvalid) {
		return err
	}
	if err != nil {
		if faults, ok := r.(*remembered); ok && faults.err != nil {
			return faults.err
		}
		e.lose(Place{File: name}, Skipped, "FILE_TRUNCATED", err.Error())
	}
	return nil
}

// walk reads one value.
func walk(d *json.Decoder, name string, lists map[string]func(*json.Decoder) error, depth int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delim, isDelim := token.(json.Delim)
	if depth > maxNesting {
		return ErrInvalid.With("the file is nested too deeply")
	}
	switch {
	case !isDelim:
		return nil
	case delim == '[':
		each := lists[name]
		for d.More() {
			if each != nil {
				err = each(d)
			} else {
				err = walk(d, "-", lists, depth+1)
			}
			if err != nil {
				return err
			}
		}
	case delim == '{':
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return err
			}
			label, _ := key.(string)
			if err := walk(d, label, lists, depth+1); err != nil {
				return err
			}
		}
	}
	_, err = d.Token()
	return err
}
