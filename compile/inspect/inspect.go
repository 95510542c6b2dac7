// Package inspect reads a whole release as publishing does, and says what is
// wrong with it. The platform asks it before it moves a pointer and for a dry run;
// the transfer tool asks it before it sends anything, so both say the same.
//
//	manifest ─ release.Validate ──────────────► what names and sizes give away
//	index.html ─ markup.Compile, fidelity ────► what the document asks for and does not get,
//	                                            and what it loses inside a page
//	all that was met ─ release.Unused ────────► what nothing refers to
//	a layout's picture ─ icon.Make ───────────► the shop's icons
//
// A site folder is served as it is: the first line is about it, and markup.Folder says
// what its files ask for and do not get there.
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

// Kind is what holds a release.
type Kind uint8

// The kinds of holders.
const (
	Document Kind = iota // an html document, drawn inside a page
	Layout               // the folder of a layout, which is the page around it
	Folder               // the static website of a section
)

// Limits is what a release of the kind may hold.
func (k Kind) Limits() release.Limits {
	if k == Folder {
		return release.Folder
	}
	return release.Document
}

// Release is what is looked at.
type Release struct {
	Kind    Kind
	Doc, ID string         // as text; they stand in addresses only
	Files   []release.File // sorted by path

	// Read returns the bytes of a path of Files. Its errors come back as they are.
	Read func(path string) ([]byte, error)
	// Forms reports whether the shop has a lead form; nil: it has every form.
	Forms func(id shop.FormID) bool
}

// Result is what was found.
type Result struct {
	Title, Description string   // of the document's head
	Pictures           []string // paths of the pictures that a document shows, in their order
	NoIndex            bool     // the start page of a folder asks search engines to leave it out
	Report             release.Report
	Types              map[string]string // content types by path, of files whose names do not tell them
	Icons              []Icon            // of a layout, unless its release has them from an earlier publish
}

// Icon is a file that the platform makes of a layout's picture.
type Icon struct {
	Path string
	PNG  []byte
}

// Look reads a release. Faults of its content are in the report; an error means
// that it could not be read.
func Look(r Release) (out Result, err error) {
	limits := r.Kind.Limits()
	if r.Kind == Folder {
		if err = r.folder(&out); err == nil {
			err = r.types(&out)
		}
		return out, err
	}
	r.Read = remembered(r.Read)
	if out.Report, err = release.Validate(r.Files, r.Read, limits); err != nil {
		return out, err
	}
	if index, ok := release.Find(r.Files, release.Index); !ok || index.Size > limits.Index {
		return out, nil // the report says so
	}
	if err = r.compile(&out); err == nil {
		err = r.types(&out)
	}
	return out, err
}

// folder looks at each file of a website when it is read; they may be too many to
// remember.
func (r Release) folder(out *Result) (err error) {
	look := markup.NewFolder(r.has)
	read := map[string]bool{}
	looked := func(path string) ([]byte, error) {
		text, err := r.Read(path)
		if err == nil {
			look.Look(path, text)
			read[path] = true
			out.NoIndex = out.NoIndex || path == release.Index && markup.NoIndex(text)
		}
		return text, err
	}
	if out.Report, err = release.Validate(r.Files, looked, r.Kind.Limits()); err != nil {
		return err
	}
	for _, f := range r.Files {
		if !read[f.Path] && markup.Concerns(f.Path) {
			if _, err := looked(f.Path); err != nil {
				return err
			}
		}
	}
	found := look.Report()
	out.Report.Merge(release.Report{Errors: found.Errors, Warnings: found.Warnings, Info: found.Infos})
	return nil
}

// remembered reads each file once: scripts and style sheets are looked at from
// several sides.
func remembered(read func(path string) ([]byte, error)) func(path string) ([]byte, error) {
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

// compile adds what the html compiler finds, and what a document loses by the
// move into a page; a layout is the page.
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
		return nil // markup.ErrParse: the report has it
	}
	out.Title, out.Description, out.Pictures = compiled.Title, compiled.Description, compiled.Pictures
	picture := ""
	if r.Kind == Layout {
		picture = r.picture()
	}
	out.Report.Add(r.unused(compiled.Refs, picture)...)
	return r.icons(out, picture)
}

// picture is the path of what a layout's icons are made of, "" when there is none.
func (r Release) picture() string {
	paths := make([]string, len(r.Files))
	for i, f := range r.Files {
		paths[i] = f.Path
	}
	return icon.Source(paths)
}

// icons makes the icons of a layout. A picture that cannot be read gives none, and
// the folder's own link elements stay as they are.
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

// near is the file whose path differs from another by case only, or else the first
// one of that name in another folder. Every folder may have an index.html.
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

// unused finds the files that nothing refers to. The platform itself asks for the
// picture of a layout and for the icons that it made of it.
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
