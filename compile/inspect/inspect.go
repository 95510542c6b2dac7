// Package inspect checks a whole release as publishing does, and reports its problems. The
// platform runs it before it activates a release and for a dry run; the transfer tool runs it
// before it sends anything, so both report the same.
//
//	manifest ─ release.Validate ──────────────► problems of names and sizes
//	index.html ─ markup.Compile, fidelity ────► what the document requests in vain,
//	                                            and what it loses inside a page
//	all references ─ release.Unused ──────────► files that nothing refers to
//	a layout's picture ─ icon.Make ───────────► the shop's icons
//
// A site folder is served unchanged: only the first step applies to it, and markup.Folder reports
// what its files request in vain.
package inspect

import (
	"errors"
	"strings"

	"vitrine/compile/icon"
	"vitrine/compile/markup"
	"vitrine/compile/markup/fidelity"
	"vitrine/compile/release"
	"vitrine/internal/shop"
)

// Kind is the type of a release's owner.
type Kind uint8

// The kinds of owners.
const (
	Document Kind = iota // an html document, drawn inside a page
	Layout               // the folder of a layout, which surrounds the page
	Folder               // the static website of a section
)

// Limits returns the limits of a release of the kind.
func (k Kind) Limits() release.Limits {
	if k == Folder {
		return release.Folder
	}
	return release.Document
}

// Release is the input of Look.
type Release struct {
	Kind    Kind
	Doc, ID string         // as text; used in addresses only
	Files   []release.File // sorted by path

	// Read returns the bytes of a path of Files. Its errors are returned unchanged.
	Read func(path string) ([]byte, error)
	// Forms reports whether the shop has a lead form; nil: every form exists.
	Forms func(id shop.FormID) bool
}

// Result is the result of Look.
type Result struct {
	Title, Description string   // of the document's head
	Pictures           []string // paths of the pictures that a document shows, in order
	NoIndex            bool     // the start page of a folder asks search engines not to index it
	Report             release.Report
	Types              map[string]string // content types by path, of files whose names do not determine them
	Icons              []Icon            // of a layout, unless its release has icons from an earlier publish
}

// Icon is an icon that the platform generates from a layout's picture.
type Icon struct {
	Path string
	PNG  []byte
}

// Check checks a release. Problems of its content are in the report; an error means that it could
// not be read.
func Check(r Release) (out Result, err error) {
	limits := r.Kind.Limits()
	if r.Kind == Folder {
		if err = r.folder(&out); err == nil {
			err = r.types(&out)
		}
		return out, err
	}
	r.Read = cached(r.Read)
	if out.Report, err = release.Validate(r.Files, r.Read, limits); err != nil {
		return out, err
	}
	if index, ok := release.Find(r.Files, release.Index); !ok || index.Size > limits.Index {
		return out, nil // the report has the finding
	}
	if err = r.compile(&out); err == nil {
		err = r.types(&out)
	}
	return out, err
}

// folder checks each file of a website when it is read; there may be too many to cache.
func (r Release) folder(out *Result) (err error) {
	look := markup.NewFolder(r.has)
	read := map[string]bool{}
	looked := func(path string) ([]byte, error) {
		text, err := r.Read(path)
		if err == nil {
			look.Check(path, text)
			read[path] = true
			out.NoIndex = out.NoIndex || path == release.Index && markup.NoIndex(text)
		}
		return text, err
	}
	if out.Report, err = release.Validate(r.Files, looked, r.Kind.Limits()); err != nil {
		return err
	}
	for _, f := range r.Files {
		if !read[f.Path] && markup.Checks(f.Path) {
			if _, err := looked(f.Path); err != nil {
				return err
			}
		}
	}
	found := look.Report()
	out.Report.Merge(release.Report{Errors: found.Errors, Warnings: found.Warnings, Info: found.Infos})
	return nil
}

// cached caches files: scripts and style sheets are read by several checks.
func cached(read func(path string) ([]byte, error)) func(path string) ([]byte, error) {
	known := map[string][]byte{}
	return func(path string) ([]byte, error) {
		if text, ok := known[path]; ok {
			return text, nil
		}
		text, err := read(path)
		if err == nil {
			known[path] = text
		}
		return text, err
	}
}

// compile adds the findings of the html compiler, and what a document loses by the move into a
// page; a layout is the page.
func (r Release) compile(out *Result) error {
	text, err := r.Read(release.Index)
	if err != nil {
		return err
	}
	var unread error
	src := markup.Source{
		Doc: r.Doc, Release: r.ID, Index: text, Forms: r.Forms, Files: r.has, Near: r.near,
		Read: func(path string) ([]byte, bool) {
			if !r.has(path) {
				return nil, false
			}
			text, err := r.Read(path)
			unread = errors.Join(unread, err)
			return text, err == nil
		},
	}
	compile, lost := markup.Compile, markup.Report{}
	if r.Kind == Layout {
		compile = markup.CompileLayout
	} else {
		lost = fidelity.Check(src)
	}
	compiled, err := compile(src)
	if unread != nil {
		return unread
	}
	for _, found := range []markup.Report{compiled.Report, lost} {
		out.Report.Merge(release.Report{Errors: found.Errors, Warnings: found.Warnings, Info: found.Infos})
	}
	if err != nil {
		return nil // markup.ErrParse: the report has the finding
	}
	out.Title, out.Description, out.Pictures = compiled.Title, compiled.Description, compiled.Pictures
	picture := ""
	if r.Kind == Layout {
		picture = r.picture()
	}
	out.Report.Add(r.unused(compiled.Refs, picture)...)
	return r.icons(out, picture)
}

// picture returns the path of the source of a layout's icons, "" when there is none.
func (r Release) picture() string {
	paths := make([]string, len(r.Files))
	for i, f := range r.Files {
		paths[i] = f.Path
	}
	return icon.Source(paths)
}

// icons generates the icons of a layout. An unreadable picture gives none, and the folder's own
// link elements are kept.
func (r Release) icons(out *Result, picture string) error {
	if picture == "" || r.has(icon.Path(icon.Sizes[0])) {
		return nil
	}
	text, err := r.Read(picture)
	if err != nil {
		return err
	}
	made, err := icon.Make(text)
	if err != nil {
		out.Report.Add(release.Finding{Code: release.IconUnread, Path: picture, Detail: "no icons can be made of it"})
		return nil
	}
	for i, size := range icon.Sizes {
		out.Icons = append(out.Icons, Icon{icon.Path(size), made[i]})
	}
	return nil
}

func (r Release) has(path string) bool {
	_, ok := release.Find(r.Files, path)
	return ok
}

// near returns the file whose path differs only by case, or else the first one with that name in
// another folder. index.html is excluded, because every folder may have one.
func (r Release) near(path string) (elsewhere string) {
	name := base(path)
	for _, f := range r.Files {
		if strings.EqualFold(f.Path, path) {
			return f.Path
		}
		if elsewhere == "" && strings.EqualFold(base(f.Path), name) && !strings.EqualFold(name, release.Index) {
			elsewhere = f.Path
		}
	}
	return elsewhere
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// unused finds the files that nothing refers to. The platform itself uses the picture of a layout
// and the icons generated from it.
func (r Release) unused(refs []string, picture string) []release.Finding {
	used := map[string]bool{picture: true}
	for _, path := range refs {
		used[path] = true
	}
	for _, f := range r.Files {
		if r.Kind == Layout && strings.HasPrefix(f.Path, icon.Folder) {
			used[f.Path] = true
		}
	}
	return release.Unused(r.Files, used)
}
