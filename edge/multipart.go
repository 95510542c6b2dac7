package edge

import (
	"bytes"
	"errors"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/url"
	"time"

	"vitrine/internal/drain"
)

// A form with files comes without a script as multipart/form-data. It is read as
// it arrives: texts are held, within a bound, and each file is handed on while it
// comes in, so that neither memory nor a temporary file ever holds one.

// errPost refuses a post that is no form, or is larger or slower than it may be.
var errPost = errors.New("the post is no form within its bounds")

// errFileLarge ends a file that is larger than it may be.
var errFileLarge = errors.New("the file is larger than it may be")

// maxPartHead is how much stands before the content of a part: its name, that of
// its file, and what a proxy adds. It has room for what is read ahead.
const maxPartHead = 16 << 10

// postLimits bound a post of a form.
type postLimits struct {
	Fields int           // texts
	Text   int           // bytes of their names and values together
	Files  int           // that were chosen
	File   int64         // bytes of one
	Body   int64         // bytes of everything, at most drain.MaxRefused
	Time   time.Duration // from its first byte to its last
}

// sentFile is a file of a post, on its way.
type sentFile struct {
	Field string // name of its input
	Name  string // as the visitor's machine calls it, without folders: anybody's words
	Body  io.Reader

	left  int64
	large bool
}

// TooLarge reports that more bytes came than a file may have; Body failed there.
func (f *sentFile) TooLarge() bool { return f.large }

// readPost reads what a form of ours has sent, with files or without. take gets
// each file that was chosen in its turn, reads as much of it as it wants, and may
// end it all with an error, which is returned. What take knows of the texts is
// nothing: they may stand behind the files. Any other error is errPost, or that
// of a body which ended early.
func (v *visit) readPost(most postLimits, take func(*sentFile) error) (url.Values, error) {
	kind, params, err := mime.ParseMediaType(string(v.ctx.Request.Header.ContentType()))
	if err != nil || kind != "multipart/form-data" {
		form, ok := v.readForm(most.Text)
		if !ok {
			return nil, errPost
		}
		return form, nil
	}
	defer v.rest() // a slow line took its time, not ours
	var from io.Reader = v.ctx.RequestBodyStream()
	if from == nil {
		from = bytes.NewReader(v.ctx.Request.Body())
	}
	now := v.s.cfg.Now
	source := &postSource{from: from, left: most.Body, step: math.MaxInt64, now: now, until: now().Add(most.Time)}
	form, err := readParts(source, params["boundary"], most, func(f *sentFile) error {
		v.rest()
		return take(f)
	})
	if err != nil {
		source.step = math.MaxInt64
		return nil, errors.Join(err, drain.Refused(source)) // who does not see the answer sends it all again
	}
	return form, nil
}

// readParts reads the parts of a post.
func readParts(source *postSource, boundary string, most postLimits, take func(*sentFile) error) (url.Values, error) {
	form, fields, text, files := url.Values{}, 0, 0, 0
	for parts := multipart.NewReader(source, boundary); ; {
		source.step = maxPartHead
		part, err := parts.NextRawPart()
		source.step = math.MaxInt64
		if err == io.EOF { // as it is: wrapped, it says that the last mark is missing
			return form, nil
		}
		if err != nil {
			return nil, errors.Join(errPost, err)
		}
		isFile, chosen, err := disposition(part)
		switch {
		case err != nil:
			return nil, errors.Join(errPost, err)
		case !isFile:
			value, err := io.ReadAll(io.LimitReader(part, int64(most.Text-text)+1))
			if err != nil {
				return nil, errors.Join(errPost, err)
			}
			fields, text = fields+1, text+len(part.FormName())+len(value)
			if fields > most.Fields || text > most.Text {
				return nil, errPost
			}
			form.Add(part.FormName(), string(value))
		case chosen:
			if files++; files > most.Files {
				return nil, errPost
			}
			f := &sentFile{Field: part.FormName(), Name: part.FileName(), left: most.File}
			f.Body = &fileBody{f, part}
			if err := take(f); err != nil {
				return nil, err
			}
		}
		if err := drain.Refused(part); err != nil { // of a file that nobody wanted whole
			return nil, errors.Join(errPost, err)
		}
	}
}

// disposition tells a file from a text. An input in which none was chosen sends a
// file without a name.
func disposition(part *multipart.Part) (isFile, chosen bool, err error) {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	_, isFile = params["filename"]
	return isFile, part.FileName() != "", err
}

// fileBody is the bytes of a file, up to its bound.
type fileBody struct {
	file *sentFile
	part io.Reader
}

func (b *fileBody) Read(p []byte) (int, error) {
	if b.file.large {
		return 0, errFileLarge
	}
	// One byte more is read than may come, so that a file of the largest size ends.
	n, err := b.part.Read(p[:min(int64(len(p)), b.file.left+1)])
	if b.file.left -= int64(n); b.file.left < 0 {
		b.file.large = true
		return n - 1, errFileLarge
	}
	return n, err
}

// postSource is the body of a post. Nothing is read behind its end, which in a
// chunked body is the next request of the connection.
type postSource struct {
	from  io.Reader
	left  int64 // bytes that may still come
	step  int64 // of these, before the next part begins
	now   func() time.Time
	until time.Time
	ended error
}

func (s *postSource) Read(p []byte) (int, error) {
	most := min(int64(len(p)), s.left, s.step)
	if s.ended == nil && (most <= 0 && len(p) > 0 || s.now().After(s.until)) {
		s.ended = errPost
	}
	if s.ended != nil {
		return 0, s.ended
	}
	n, err := s.from.Read(p[:most])
	s.left, s.step, s.ended = s.left-int64(n), s.step-int64(n), err
	return n, err
}
