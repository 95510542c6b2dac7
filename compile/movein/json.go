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
	w := &walker{meter: &metered{from: r}, lists: lists}
	w.Decoder = json.NewDecoder(w.meter)
	err := w.value("", 0)
	if w.meter.err != nil {
		return w.meter.err
	}
	if errors.Is(err, ErrInvalid) {
		return err
	}
	if err != nil {
		e.lose(Place{File: name}, Skipped, "FILE_TRUNCATED", err.Error())
	}
	return nil
}

// walker reads a JSON text value by value.
type walker struct {
	*json.Decoder
	meter *metered
	lists map[string]func(*json.Decoder) error
}

// value reads the value with a name.
func (w *walker) value(name string, depth int) error {
	w.meter.since = 0
	token, err := w.Token()
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
		err = w.elements(w.lists[name], depth)
	case delim == '{':
		err = w.fields(depth)
	}
	if err == nil {
		_, err = w.Token()
	}
	return err
}

// elements reads the elements of a list, with each if it is not nil.
func (w *walker) elements(each func(*json.Decoder) error, depth int) error {
	for w.More() {
		w.meter.since = 0
		err := error(nil)
		if each != nil {
			err = each(w.Decoder)
		} else {
			err = w.value("-", depth+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fields reads the fields of an object.
func (w *walker) fields(depth int) error {
	for w.More() {
		key, err := w.Token()
		if err != nil {
			return err
		}
		label, _ := key.(string)
		if err := w.value(label, depth+1); err != nil {
			return err
		}
	}
	return nil
}
