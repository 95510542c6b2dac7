package movein

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// maxDepth bounds the sections of a path.
const maxDepth = 10

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

// section returns the key of the section with a path, and adds what is missing of it.
func (e *engine) section(f *format, names []string) string {
	key := ""
	for i, label := range names {
		if i == maxDepth {
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
		s := Section{Key: key, Parent: up, Name: label, Slug: shop.GenerateSlug(label, "category")}
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
		names := f.split(path)
		if at, byNumber := e.folders[path]; byNumber {
			names = e.folderNames(at)
		}
		if key := e.section(f, names); key != "" && !slices.Contains(d.Sections, key) {
			if d.Sections = append(d.Sections, key); len(names) > deepest {
				deepest = len(names)
				last := len(d.Sections) - 1
				copy(d.Sections[1:], d.Sections[:last])
				d.Sections[0] = key
			}
		}
	}
}

// folderNames returns the names of a section of a table and of those above it.
func (e *engine) folderNames(f folder) (names []string) {
	for range maxDepth {
		names = append(names, f.name)
		up, known := e.folders[f.parent]
		if !known {
			break
		}
		f = up
	}
	slices.Reverse(names)
	return names
}
