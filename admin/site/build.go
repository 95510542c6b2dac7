package site

import (
	"context"
	"errors"

	"vitrine/compile/markup"
	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// built is what reading a whole release says about it.
type built struct {
	title, description string // of the document's head
	report             release.Report
	icons              []madeIcon // of a layout
	files              []release.File
	packed             []store.PackedFile // of a site folder
}

// build compiles and validates a release. FILES_PENDING answers one whose bytes
// are not all there; faults of the content are in the report.
func (s *Site) build(ctx context.Context, r store.Reader, d store.Document, id shop.ReleaseID) (b built, err error) {
	if _, err := r.Release(ctx, d.ID, id); err != nil {
		return b, err
	}
	files, err := manifestOf(ctx, r, id)
	if err != nil {
		return b, err
	}
	b.files = files
	read := func(path string) ([]byte, error) {
		f, ok := release.Find(files, path)
		if !ok {
			return nil, store.ErrReleaseNotFound
		}
		return s.blobs.ReadAll(ctx, f.SHA256, limitsOf(d.Kind).File)
	}
	if d.Kind == folder { // served as it is: nothing compiles it, and a hundred megabytes need not be remembered
		b.report, err = release.Validate(files, read, release.Folder)
		return b, err
	}
	read = remembered(read)
	if b.report, err = release.Validate(files, read, release.Document); err != nil {
		return b, err
	}
	index, ok := release.Find(files, release.Index)
	if !ok || index.Size > release.Document.Index {
		return b, nil // the report says so
	}
	if d.Kind == theme {
		if err := b.makeIcons(files, read); err != nil {
			return b, err
		}
	}
	forms, err := s.formIDs(ctx, r)
	if err != nil {
		return b, err
	}
	return b, b.compile(d, id, files, read, forms)
}

// formIDs are the lead forms that documents of the shop may open. They have no
// draft.
func (s *Site) formIDs(ctx context.Context, r store.Reader) (map[shop.FormID]bool, error) {
	rows, err := s.store.Shop(r.Company).Forms(store.Live(ctx))
	ids := make(map[shop.FormID]bool, len(rows))
	for _, f := range rows {
		ids[f.ID] = true
	}
	return ids, err
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
func (b *built) compile(d store.Document, id shop.ReleaseID, files []release.File, read func(path string) ([]byte, error), forms map[shop.FormID]bool) error {
	text, err := read(release.Index)
	if err != nil {
		return err
	}
	var unread error
	src := markup.Source{
		Doc: d.ID.String(), Release: id.String(), Index: text,
		Files: func(path string) bool { _, ok := release.Find(files, path); return ok },
		Read: func(path string) ([]byte, bool) {
			if _, ok := release.Find(files, path); !ok {
				return nil, false
			}
			text, err := read(path)
			unread = errors.Join(unread, err)
			return text, err == nil
		},
		Forms: func(id shop.FormID) bool { return forms[id] },
	}
	compile, lost := markup.Compile, markup.Report{}
	if d.Kind == theme {
		compile = markup.CompileLayout
	} else {
		lost = markup.Fidelity(src)
	}
	compiled, err := compile(src)
	if unread != nil {
		return unread
	}
	b.merge(compiled.Report)
	b.merge(lost)
	if err != nil {
		return nil // markup.ErrParse: the report has it
	}
	b.title, b.description = compiled.Title, compiled.Description
	used := map[string]bool{}
	if d.Kind == theme {
		used[iconSource(files)] = true
	}
	for _, path := range compiled.Refs {
		used[path] = true
	}
	b.report.Add(release.Unused(files, used)...)
	return nil
}

// merge adds the report of the html compiler. A fault that both looks found,
// such as a service worker in a linked script, is told once.
func (b *built) merge(found markup.Report) {
	merged := func(list []release.Finding, more []markup.Finding) []release.Finding {
		type place struct {
			code, path string
			line       int
		}
		known := map[place]bool{}
		for _, f := range list {
			known[place{f.Code, f.Path, f.Line}] = true
		}
		for _, f := range more {
			if !known[place{f.Code, f.Path, f.Line}] {
				list = append(list, release.Finding(f))
			}
		}
		return list
	}
	b.report.Errors = merged(b.report.Errors, found.Errors)
	b.report.Warnings = merged(b.report.Warnings, found.Warnings)
	b.report.Info = merged(b.report.Info, found.Infos)
}
