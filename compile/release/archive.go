package release

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"
)

// openZip reads the archive's directory. The library reads entries regardless of the count in the
// header, so the bytes it may read for them are limited.
func openZip(src *source, size int64, l Limits) (*zip.Reader, error) {
	if size > l.Zip {
		return nil, ErrTooLarge.With("the ZIP has more than " + bytesText(l.Zip))
	}
	if err := startsLikeZip(src, size); err != nil {
		return nil, err
	}
	const ends, perEntry = 128 * kib, 46 + MaxPath + 512 // a header, a path, extra fields and comment
	src.left = ends + perEntry*int64(l.Entries)
	archive, err := zip.NewReader(src, size)
	if spent := src.left < 0; spent || err == nil && len(archive.File) > l.Entries {
		return nil, ErrTooLarge.With("the ZIP has more than " + strconv.Itoa(l.Entries) + " entries")
	}
	src.left = math.MaxInt64
	if err != nil {
		return nil, src.blame(ErrZip.With("the directory of the ZIP cannot be read"))
	}
	return archive, standsAlone(src, size-int64(len(archive.Comment))-endSize)
}

// endSize is the size of the end record of an archive, without its comment.
const endSize = 22

// standsAlone requires the end record at offset end, directly after the directory that it
// describes. With data before or after an archive, two readers can see two different archives.
func standsAlone(src *source, end int64) error {
	var record [endSize]byte
	if _, err := src.ReadAt(record[:], end); err != nil || string(record[:4]) != "PK\x05\x06" {
		return src.blame(ErrZip.With("data follows the end of the ZIP"))
	}
	size, offset := binary.LittleEndian.Uint32(record[12:]), binary.LittleEndian.Uint32(record[16:])
	if int64(size)+int64(offset) == end {
		return nil
	}
	var locator [4]byte // of a 64-bit end record, which lies between the two
	if _, err := src.ReadAt(locator[:], end-20); err != nil || string(locator[:]) != "PK\x06\x07" {
		return src.blame(ErrZip.With("data precedes the ZIP"))
	}
	return nil
}

// startsLikeZip refuses files that only end like a ZIP, such as self-extracting programs.
func startsLikeZip(src *source, size int64) error {
	var mark [4]byte
	if size < endSize {
		return ErrZip.With("this is not a ZIP")
	}
	if _, err := src.ReadAt(mark[:], 0); err != nil {
		return src.blame(ErrZip.With("the ZIP is cut off"))
	}
	if m := string(mark[:]); m != "PK\x03\x04" && m != "PK\x05\x06" {
		return ErrZip.With("this is not a ZIP")
	}
	return nil
}

// source is the archive as given. It limits how much may still be read and records storage
// failures, which are not the archive's fault.
type source struct {
	r    io.ReaderAt
	left int64
	err  error
}

var errSpent = errors.New("release: more was read than allowed")

func (s *source) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, zip.ErrFormat // invalid offset
	}
	if s.left -= int64(len(p)); s.left < 0 {
		return 0, errSpent
	}
	n, err := s.r.ReadAt(p, at)
	if err != nil && err != io.EOF && s.err == nil {
		s.err = err
	}
	return n, err
}

// blame returns the storage failure if there was one, else the refusal.
func (s *source) blame(refusal error) error {
	if s.err != nil {
		return s.err
	}
	return refusal
}
