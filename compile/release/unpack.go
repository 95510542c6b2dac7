package release

import (
	"archive/zip"
	"bufio"
	"errors"
	"hash"
	"hash/crc32"
	"io"
)

// extraction is the unpacking of one archive.
type extraction struct {
	src     *source
	limits  Limits
	left    int64 // bytes that may still be unpacked, over all files
	files   int
	skipped Skipped
}

// extract passes one file to put and verifies the whole file, even if put reads only a part of
// it.
func (x *extraction) extract(e entry, put func(path string, r io.Reader) error) error {
	most := x.limits.most(e.path)
	over := tooLarge(e.path, most)
	if x.left < most {
		most, over = x.left, tooExpanded(x.limits)
	}
	body, err := openEntry(e, x.src, most, over)
	if err != nil {
		return err
	}
	defer body.from.Close()
	buffered := bufio.NewReader(body)
	if _, err := buffered.Peek(1); err != nil && err != io.EOF {
		return err
	} else if err == io.EOF && x.limits.DropEmpty {
		x.skipped = append(x.skipped, Skip{e.path, ReasonEmpty})
		return nil
	}
	if err := put(e.path, buffered); err != nil && body.err == nil {
		return err
	}
	if _, err := io.Copy(io.Discard, buffered); err != nil && body.err == nil {
		return err
	}
	x.left -= body.read
	x.files++
	return body.err
}

// readEntry reads a whole small file of the archive.
func readEntry(e entry, src *source, most int64) (string, error) {
	body, err := openEntry(e, src, most, tooLarge(e.path, most))
	if err != nil {
		return "", err
	}
	defer body.from.Close()
	text, err := io.ReadAll(body)
	return string(text), err
}

// member is the unpacked stream of one entry. Unlike the library it does not trust the header: it
// stops at most bytes and compares the CRC even if the header says 0.
type member struct {
	entry entry
	src   *source
	from  io.ReadCloser
	sum   hash.Hash32
	read  int64
	most  int64
	over  error // the refusal for more than most bytes
	err   error // the first failure other than io.EOF
}

func openEntry(e entry, src *source, most int64, over error) (*member, error) {
	from, err := e.file.Open()
	if err != nil {
		return nil, src.blame(about(ErrZip, e.path, "is damaged"))
	}
	return &member{entry: e, src: src, from: from, sum: crc32.NewIEEE(), most: most, over: over}, nil
}

func (m *member) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.from.Read(p)
	m.read += int64(n)
	if m.read > m.most {
		m.err = m.over
		return 0, m.err
	}
	m.sum.Write(p[:n])
	switch {
	case err == io.EOF && m.sum.Sum32() == m.entry.file.CRC32, err == nil:
		return n, err
	case err == io.EOF, errors.Is(err, zip.ErrChecksum):
		m.err = about(ErrZip, m.entry.path, "does not have the CRC given in the ZIP")
	case errors.Is(err, io.ErrUnexpectedEOF):
		m.err = about(ErrZip, m.entry.path, "is cut off")
	default:
		m.err = about(ErrZip, m.entry.path, "is damaged")
	}
	m.err = m.src.blame(m.err)
	return n, m.err
}
