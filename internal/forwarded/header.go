package forwarded

import (
	"net/netip"
	"slices"
	"strings"
)

const (
	maxNode = 64      // bytes of an address with its port
	maxLine = 4 << 10 // bytes of a Forwarded line; longer ones are rejected
)

// listed returns the last entries of a list header, nearest hop first. Several header lines
// form one list.
func listed(lines []string) (entries []string) {
	for _, line := range slices.Backward(lines) {
		for more := true; more; {
			if len(entries) == maxHops {
				return entries
			}
			comma := strings.LastIndexByte(line, ',')
			entries = append(entries, strings.Trim(line[comma+1:], " \t"))
			if more = comma >= 0; more {
				line = line[:comma]
			}
		}
	}
	return entries
}

// address reads an address in the spellings of proxies, with or without brackets and port.
// Zones are rejected: they are local to the machine that wrote them.
func address(text string) (netip.Addr, bool) {
	if len(text) > maxNode {
		return netip.Addr{}, false
	}
	host, port := text, "0"
	switch {
	case strings.HasPrefix(text, "["):
		end := strings.IndexByte(text, ']')
		if end < 0 || !strings.Contains(text[:end], ":") {
			return netip.Addr{}, false
		}
		host = text[1:end]
		if after := text[end+1:]; after != "" {
			if after[0] != ':' {
				return netip.Addr{}, false
			}
			port = after[1:]
		}
	case strings.Count(text, ":") == 1:
		host, port, _ = strings.Cut(text, ":")
	}
	a, err := netip.ParseAddr(host)
	if err != nil || a.Zone() != "" || !isToken(port) {
		return netip.Addr{}, false
	}
	return a.Unmap(), true
}

// element is the entry of one proxy in a Forwarded header.
type element struct{ node, proto string }

// elements returns the last elements of a Forwarded header, nearest hop first. A malformed
// line is not evaluated, and what precedes it passed through the same unknown hop: the list
// ends with an empty element.
func elements(lines []string) (list []element) {
	for _, line := range slices.Backward(lines) {
		said, ok := parseForwarded(line)
		if !ok {
			return append(list, element{})
		}
		for _, e := range slices.Backward(said) {
			if list = append(list, e); len(list) == maxHops {
				return list
			}
		}
	}
	return list
}

func nodes(list []element) (hops []string) {
	for _, e := range list {
		hops = append(hops, e.node)
	}
	return hops
}

// parseForwarded reads one line (RFC 7239, section 4): elements separated by commas, pairs
// separated by semicolons, values that are tokens or quoted. It must be read from the left,
// since quoted values may contain both.
func parseForwarded(line string) (list []element, ok bool) {
	if len(line) > maxLine {
		return nil, false
	}
	e, named := element{}, false
	for {
		name, value, rest, ok := pair(line)
		if !ok {
			return nil, false
		}
		switch strings.ToLower(name) {
		case "for":
			if named {
				return nil, false // ambiguous
			}
			e.node, named = value, true
		case "proto":
			e.proto = value
		}
		if rest == "" || rest[0] == ',' {
			list, e, named = append(list, e), element{}, false
		}
		if rest == "" {
			return list, true
		}
		line = rest[1:]
	}
}

// pair reads name=value. The rest is empty or begins with its separator.
func pair(text string) (name, value, rest string, ok bool) {
	name, rest, ok = strings.Cut(strings.TrimLeft(text, " \t"), "=")
	if !ok || !isToken(name) {
		return "", "", "", false
	}
	if strings.HasPrefix(rest, `"`) {
		value, rest, ok = unquote(rest)
	} else {
		end := strings.IndexAny(rest, ",; \t")
		if end < 0 {
			end = len(rest)
		}
		value, rest = rest[:end], rest[end:]
		ok = isToken(value)
	}
	rest = strings.TrimLeft(rest, " \t")
	return name, value, rest, ok && (rest == "" || rest[0] == ',' || rest[0] == ';')
}

// unquote reads the quoted string that text begins with.
func unquote(text string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], true
		case '\\':
			if i++; i == len(text) {
				return "", "", false
			}
		}
		b.WriteByte(text[i])
	}
	return "", "", false
}

// isToken reports whether text is a non-empty HTTP token.
func isToken(text string) bool {
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return text != ""
}
