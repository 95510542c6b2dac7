package api

import (
	"errors"
	"io"
	"os"
)

// Spool collects a long answer in a file without a name, which goes with its
// last reader: memory stays small, and what fails on the way is a refusal and not
// half an answer. More than limit bytes are refused with large.
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

// limited refuses what goes beyond its bytes.
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
