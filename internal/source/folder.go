package source

import (
	"context"
	"io"

	"vitrine/edge"
	"vitrine/internal/shop"
	releasedb "vitrine/internal/store/release"
)

// Folder implements edge.Source.
func (s *Source) Folder(ctx context.Context, id shop.CompanyID, doc shop.DocumentID, rel shop.ReleaseID) (map[string]edge.File, error) {
	r := s.store.Shop(id)
	if _, err := releasedb.GetRelease(ctx, r, doc, rel); err != nil {
		return nil, notFound(err)
	}
	rows, err := releasedb.ReleaseFiles(ctx, r, rel)
	if err != nil {
		return nil, err
	}
	forms, err := releasedb.ReleasePacked(ctx, r, rel)
	if err != nil {
		return nil, err
	}
	packed := map[string][]releasedb.PackedFile{}
	for _, f := range forms {
		packed[f.SHA256] = append(packed[f.SHA256], f)
	}
	files := make(map[string]edge.File, len(rows))
	for _, row := range rows {
		if row.Pending {
			continue
		}
		f := s.file(row.MIME, row.SHA256, row.Size)
		for _, form := range packed[row.SHA256] {
			f.SetPacked(form.Coding, edge.Representation{Size: form.Size, Open: s.piece(form)})
		}
		files[row.Path] = f
	}
	return files, nil
}

// piece returns a function that opens the part of a bundle that holds a compressed form.
func (s *Source) piece(form releasedb.PackedFile) func(context.Context) (io.ReadSeekCloser, error) {
	return func(ctx context.Context) (io.ReadSeekCloser, error) {
		whole, _, err := s.blobs.Open(ctx, form.Bundle)
		if err != nil {
			return nil, err
		}
		return &piece{ReadSeekCloser: whole, start: form.Start, size: form.Size, at: -1}, nil
	}
}

// piece is a part of a stored object that reads like a separate object.
type piece struct {
	io.ReadSeekCloser
	start, size, at int64 // at -1: the object has not been positioned yet
}

// Read reads no further than the end of the piece.
func (p *piece) Read(b []byte) (int, error) {
	if p.at < 0 {
		if _, err := p.Seek(0, io.SeekStart); err != nil {
			return 0, err
		}
	}
	if p.at >= p.size {
		return 0, io.EOF
	}
	n, err := p.ReadSeekCloser.Read(b[:min(int64(len(b)), p.size-p.at)])
	p.at += int64(n)
	return n, err
}

// Seek accepts offsets relative to the beginning of the piece, its position or its end.
func (p *piece) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += max(p.at, 0)
	case io.SeekEnd:
		offset += p.size
	}
	_, err := p.ReadSeekCloser.Seek(p.start+offset, io.SeekStart)
	p.at = offset
	return offset, err
}
