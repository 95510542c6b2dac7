package edge

import (
	"bytes"
	"strings"
	"unsafe"

	"vitrine/internal/shop"
)

// view returns bytes of the request as a string without copying. It must not outlive the
// request: clone what is kept.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// splitAbsolute splits an absolute-form target (RFC 9112, section 3.2.2): its host replaces
// the Host field, and the rest is the target.
func splitAbsolute(target []byte) (host, rest []byte, ok bool) {
	for _, scheme := range []string{"http://", "https://"} {
		if len(target) < len(scheme) || !strings.EqualFold(view(target[:len(scheme)]), scheme) {
			continue
		}
		host = target[len(scheme):]
		end := bytes.IndexAny(host, "/?#")
		if end < 0 {
			return host, []byte("/"), true
		}
		if host[end] != '/' {
			return host[:end], append([]byte("/"), host[end:]...), true
		}
		return host[:end], host[end:], true
	}
	return nil, nil, false
}

// splitQuery splits a target at its question mark. A fragment, which no client should send,
// is dropped.
func splitQuery(target string) (path, query string) {
	target, _, _ = strings.Cut(target, "#")
	path, query, _ = strings.Cut(target, "?")
	return path, query
}

// queryValue returns the first value of a name in a raw query, without decoding it.
func queryValue(query, name string) (string, bool) {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value, true
		}
	}
	return "", false
}

// decodePath decodes percent escapes once. It fails for malformed escapes and control
// characters.
func decodePath(path string) (string, bool) {
	if !strings.Contains(path, "%") {
		return path, printable(path)
	}
	out := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		if path[i] != '%' {
			out = append(out, path[i])
			continue
		}
		if i+2 >= len(path) {
			return "", false
		}
		hi, lo := shop.HexDigit(path[i+1]), shop.HexDigit(path[i+2])
		if hi < 0 || lo < 0 {
			return "", false
		}
		out = append(out, byte(hi<<4|lo))
		i += 2
	}
	return string(out), printable(view(out))
}

func printable(path string) bool {
	for i := 0; i < len(path); i++ {
		if path[i] < ' ' || path[i] == 0x7f {
			return false
		}
	}
	return true
}

// traverses reports whether a decoded path has a segment that no stored path has: ".", ".."
// or an empty one.
func traverses(path string) bool {
	for path != "" {
		var segment string
		var more bool
		segment, path, more = strings.Cut(path, "/")
		if segment == "" || segment == "." || segment == ".." || more && path == "" {
			return true
		}
	}
	return false
}
