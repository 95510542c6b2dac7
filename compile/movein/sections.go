package movein

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// maxDepth bounds the sections of a path, maxFolders all of them.
const (
	maxDepth   = 10
	maxFolders = 20_000
)

// sectionsOf reads the paths of a product's sections. Sections that a file names by number are
// looked up once all files are read.
func (e *engine) sectionsOf(f *format, r *row) (out []string) {
	for _, path := range list(r.text[sections], or(f.lists, ",")) {
		if len(out) == maxSections {
			e.lose(r.Place, Changed, "SECTIONS_TOO_MANY", r.text[name])
			break
		}
		out = append(out, unguard(path))
	}
	return out
}

// section returns the key of the section with a path, and adds what is missing of it. handles are
// the last parts of the sections' addresses, as far as they are known.
func (e *engine) section(f *format, names, handles []string) string {
	key := ""
	for i, label := range names {
		if i == maxDepth || len(e.plan.Sections) >= maxFolders {
			break
		}
		up := key
		if key != "" {
			key += " > "
		}
		key += label
		if _, known := e.sections[key]; known {
			continue
		}
		s := Section{Key: key, Parent: up, Name: label, Slug: slugFor(at(handles, i), label, "category")}
		if f.sectionOld != nil {
			s.Old = f.sectionOld(names[:i+1])
		}
		e.sections[key] = len(e.plan.Sections)
		e.plan.Sections = append(e.plan.Sections, s)
	}
	return key
}

// path splits the path of a section and drops the root.
func (f *format) split(path string) (names []string) {
	parts := []string{path}
	if f.path != "" {
		parts = strings.Split(path, f.path)
	}
	for _, part := range parts {
		if part = shop.Clip(line(part), maxText); part != "" {
			names = append(names, part)
		}
	}
	if len(names) > 0 && f.root != "" && (f.root == "*" || slices.Contains(strings.Split(f.root, "|"), strings.ToLower(names[0]))) {
		names = names[1:]
	}
	return names
}

// place puts a product into its sections: the deepest is the main one.
func (e *engine) place(f *format, d *draft) {
	deepest := 0
	for _, path := range d.named {
		names, handles := f.split(path), []string(nil)
		if one, byNumber := e.folders[path]; byNumber {
			names, handles = e.folderPath(one)
		}
		if key := e.section(f, names, handles); key != "" && !slices.Contains(d.Sections, key) {
			if d.Sections = append(d.Sections, key); len(names) > deepest {
				deepest = len(names)
				last := len(d.Sections) - 1
				copy(d.Sections[1:], d.Sections[:last])
				d.Sections[0] = key
			}
		}
	}
}

// folderPath returns the names and handles of a section of a table and of those above it.
func (e *engine) folderPath(f folder) (names, handles []string) {
	for range maxDepth {
		names, handles = append(names, f.name), append(handles, f.slug)
		up, known := e.folders[f.parent]
		if !known {
			break
		}
		f = up
	}
	slices.Reverse(names)
	slices.Reverse(handles)
	return names, handles
}
