package movein

import (
	"archive/zip"
	"compress/flate"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"os"
	"path"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/compile/movein"
	"vitrine/internal/shop"
)

const (
	maxFiles   = 50
	maxBytes   = 256 << 20 // of all files
	maxField   = 64 << 10
	maxParts   = maxFiles + 4
	maxName    = 255
	largeBytes = 20 << 20 // above which a dry run is a job
)

// upload is the files of a call in an unlinked zip, with the fields of the form.
type upload struct {
	zip     *os.File
	size    int64 // of the zip
	bytes   int64 // of the files
	names   []string
	dry     *bool
	choices map[string]string
}

// receive writes the files of a form to disk, without holding one in memory.
func receive(c *api.Call) (u *upload, err error) {
	kind, params, err := mime.ParseMediaType(c.Header("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil, shop.ErrInvalidRequest.With("send the files as multipart/form-data")
	}
	from, size := c.Body()
	if size > maxBytes+1<<20 { // allowance for the form
		return nil, errTooLarge.With("at most 256 MB")
	}
	file, err := unlinked()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = file.Close() // unlinked
		}
	}()
	u = &upload{zip: file}
	out := writerOf(file)
	parts := multipart.NewReader(from, params["boundary"])
	for n := 0; ; n++ {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, shop.ErrInvalidRequest.With("the body is no complete form")
		}
		if n == maxParts {
			return nil, errTooLarge.With("at most 50 files")
		}
		if err := u.part(part, out); err != nil {
			return nil, err
		}
	}
	return u, u.close(out)
}

func writerOf(file *os.File) *zip.Writer {
	out := zip.NewWriter(file)
	out.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	return out
}

func (u *upload) close(out *zip.Writer) (err error) {
	if len(u.names) == 0 {
		return errNoFile
	}
	if err := out.Close(); err != nil {
		return err
	}
	u.size, err = u.zip.Seek(0, io.SeekEnd)
	return err
}

func unlinked() (*os.File, error) {
	file, err := os.CreateTemp("", "vitrine-move-in-*")
	if err == nil {
		err = os.Remove(file.Name())
	}
	return file, err
}

func (u *upload) part(part *multipart.Part, out *zip.Writer) error {
	switch part.FormName() {
	case "files[]", "files", "file":
		return u.file(part.FileName(), part, out)
	case "options", "dry_run":
		text, err := io.ReadAll(io.LimitReader(part, maxField+1))
		if err != nil || len(text) > maxField {
			return shop.ErrInvalidRequest.At(part.FormName()).With("at most 64 KB")
		}
		if part.FormName() == "dry_run" {
			dry, err := strconv.ParseBool(strings.TrimSpace(string(text)))
			if err != nil {
				return shop.ErrInvalidRequest.At("dry_run").With("true or false")
			}
			u.dry = &dry
			return nil
		}
		u.choices, err = choicesOf(string(text))
		return err
	}
	return nil
}

// choicesOf reads the answers to questions, a JSON object of texts.
func choicesOf(text string) (choices map[string]string, err error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &choices); err != nil {
		return nil, shop.ErrInvalidRequest.At("options").With("a JSON object whose values are texts")
	}
	return choices, nil
}

func (u *upload) file(name string, from io.Reader, out *zip.Writer) error {
	if len(u.names) == maxFiles {
		return errTooLarge.With("at most 50 files")
	}
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), "\\", "/"))
	name = shop.Clip(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, name), maxName)
	to, err := out.CreateHeader(&zip.FileHeader{Name: strconv.Itoa(len(u.names)), Comment: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	u.names = append(u.names, name)
	source := &tracked{from: from}
	n, err := io.Copy(to, io.LimitReader(source, maxBytes-u.bytes+1))
	u.bytes += n
	switch {
	case source.failed:
		return shop.ErrInvalidRequest.With("the body ended early")
	case err != nil:
		return err
	case u.bytes > maxBytes:
		return errTooLarge.With("at most 256 MB")
	}
	return nil
}

// tracked remembers whether reading the caller's bytes failed.
type tracked struct {
	from   io.Reader
	failed bool
}

func (t *tracked) Read(p []byte) (n int, err error) {
	n, err = t.from.Read(p)
	t.failed = t.failed || err != nil && err != io.EOF
	return n, err
}

// filesIn returns the files of a zip that receive made.
func filesIn(file io.ReaderAt, size int64) (files []movein.File, err error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, err
	}
	for _, f := range archive.File {
		files = append(files, movein.File{Name: f.Comment, Size: int64(f.UncompressedSize64), Open: f.Open})
	}
	return files, nil
}
