package redirect

// Stripped returns the path that the .html hop leads to, or "" for a path that does not end
// in .html. It ignores repeated and trailing slashes, letter case, and percent-encoding.
func Stripped(path string) string {
	const suffix = ".html"
	path, ok := trimSlashes(path), true
	for n := len(suffix) - 1; n >= 0 && ok; n-- {
		path, ok = cutByte(path, suffix[n])
	}
	switch path = trimSlashes(path); {
	case !ok:
		return ""
	case path == "":
		return "/"
	}
	return path
}

// cutByte removes one byte from the end of a path.
func cutByte(path string, want byte) (string, bool) {
	if n := len(path) - 3; n >= 0 && path[n] == '%' {
		c, ok := unescape(path[n:])
		return path[:n], ok && lower(c) == want
	}
	if path == "" {
		return "", false
	}
	last := len(path) - 1
	return path[:last], lower(path[last]) == want
}

func trimSlashes(path string) string {
	for {
		cut, ok := cutByte(path, '/')
		if !ok {
			return path
		}
		path = cut
	}
}
