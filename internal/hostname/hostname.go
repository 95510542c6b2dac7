// Package hostname reads the host that a request was sent to.
package hostname

import (
	"bytes"
	"errors"
)

const maxHost = 255 // bytes

var errInvalid = errors.New("the host is missing or invalid")

// Parse returns the host in a Host field, in lower case, without port and trailing dot. The
// usual spelling costs no allocation. IPv6 literals keep their brackets.
func Parse(raw []byte) ([]byte, error) {
	name := raw
	if len(raw) > 0 && raw[0] == '[' {
		end := bytes.IndexByte(raw, ']')
		if end < 0 || !portOrNothing(raw[end+1:]) || !ipv6(raw[1:end]) {
			return nil, errInvalid
		}
		return bytes.ToLower(raw[:end+1]), nil
	}
	if colon := bytes.LastIndexByte(name, ':'); colon >= 0 {
		if !portOrNothing(name[colon:]) {
			return nil, errInvalid
		}
		name = name[:colon]
	}
	name = bytes.TrimSuffix(name, []byte("."))
	if len(name) == 0 || len(name) > maxHost {
		return nil, errInvalid
	}
	upper, label := false, false // label: the current label is not empty
	for _, c := range name {
		if c == '.' && !label {
			return nil, errInvalid
		}
		label = c != '.'
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '.', c == '_':
		case c >= 'A' && c <= 'Z':
			upper = true
		default:
			return nil, errInvalid
		}
	}
	if !label {
		return nil, errInvalid
	}
	if upper {
		name = bytes.ToLower(name)
	}
	return name, nil
}

func portOrNothing(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	if b[0] != ':' || len(b) > 6 {
		return false
	}
	for _, c := range b[1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func ipv6(b []byte) bool {
	for _, c := range b {
		if !hex(c) && c != ':' && c != '.' {
			return false
		}
	}
	return len(b) >= 2
}

func hex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
