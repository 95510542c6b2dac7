package api

import (
	"errors"
	"io"
	"os"
)

// Spool writes a long response to an unlinked temporary file, which disappears when it is closed:
// memory stays small, and an error on the way is a refusal instead of half a response. A response
// of more than limit bytes fails with large.
func Spool(limit int64, large error, write func(io.Writer) error) (file *os.File, err error) {
	file, err = os.CreateTemp("", "vitrine-answer-")
	if err != nil {
		return nil, err
	}
	err = os.Remove(file.Name())
	if err == nil {
		err = write(&limited{file, limit, large})
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// limited fails after a number of bytes.
type limited struct {
	to    io.Writer
	left  int64
	large error
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, l.large
	}
	return l.to.Write(p)
}
