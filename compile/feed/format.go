package feed

import "strings"

// Format is the syntax of a site file. It decides how values are escaped and which
// output is well-formed.
type Format uint8

// The formats of site files.
const (
	Plain Format = iota // nothing is escaped
	XML
	CSV
	JSON
	HTML
	JSONLines // one JSON value per line
)

var formatNames = [...]string{Plain: "plain", XML: "XML", CSV: "CSV", JSON: "JSON", HTML: "HTML", JSONLines: "JSON lines"}

// String is the name for messages.
func (f Format) String() string { return formatNames[f] }

// FormatOf derives the format from the extension of the file's name. A .yml file
// whose text starts with "<", after white space and actions, is a product feed,
// which is XML; any other .yml file is plain text.
func FormatOf(name, body string) Format {
	switch extension(name) {
	case ".xml":
		return XML
	case ".yml":
		if strings.HasPrefix(firstText(body), "<") {
			return XML
		}
	case ".csv":
		return CSV
	case ".json":
		return JSON
	case ".jsonl":
		return JSONLines
	case ".html":
		return HTML
	}
	return Plain
}

var contentTypes = map[string]string{
	".xml":   "application/xml; charset=utf-8",
	".csv":   "text/csv; charset=utf-8",
	".json":  "application/json; charset=utf-8",
	".jsonl": "application/jsonl; charset=utf-8",
	".html":  "text/html; charset=utf-8",
	".txt":   "text/plain; charset=utf-8",
}

// ContentType is the Content-Type that the file is served with (document 3, 2.5:
// from the extension). A .yml feed of Yandex is served as XML.
func ContentType(name, body string) string {
	if ext := extension(name); ext != ".yml" {
		if t, ok := contentTypes[ext]; ok {
			return t
		}
		return contentTypes[".txt"]
	}
	if FormatOf(name, body) == XML {
		return contentTypes[".xml"]
	}
	return contentTypes[".txt"]
}

func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return strings.ToLower(name[i:])
	}
	return ""
}

// firstText returns the body without leading white space, actions and byte order
// mark.
func firstText(body string) string {
	for {
		body = strings.TrimLeft(strings.TrimPrefix(body, "\ufeff"), " \t\r\n")
		if !strings.HasPrefix(body, "{{") {
			return body
		}
		end := strings.Index(body, "}}")
		if end < 0 {
			return body
		}
		body = body[end+2:]
	}
}
