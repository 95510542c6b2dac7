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

// Without a script, a form with files is sent as multipart/form-data. It is read as it
// arrives: texts are held in memory, within a bound, and each file is passed on while it
// arrives, so that no file is ever held in memory or in a temporary file.

// errPost refuses a post that is malformed, too large or too slow.
var errPost = errors.New("the post is malformed or exceeds its limits")

// errFileLarge ends a file that exceeds its size limit.
var errFileLarge = errors.New("the file exceeds its size limit")

// maxPartHead bounds what precedes the content of a part: its name, its file name, and
// additions of proxies. It includes what the reader buffers ahead.
const maxPartHead = 16 << 10

// postLimits bound a post of a form.
type postLimits struct {
	Fields int           // number of texts
	Text   int           // bytes of their names and values together
	Files  int           // number of chosen files
	File   int64         // bytes of one file
	Body   int64         // bytes of the whole body, at most drain.MaxRefused
	Time   time.Duration // from its first byte to its last
}

// sentFile is a file of a post while it arrives.
type sentFile struct {
	Field string // name of its input
	Name  string // file name given by the client, without folders: untrusted
	Body  io.Reader

	left  int64
	large bool
}

// TooLarge reports whether the file exceeded its size limit; Body failed there.
func (f *sentFile) TooLarge() bool { return f.large }

// readPost reads a post of one of our forms, with or without files. It calls take for each
// chosen file in turn; take reads as much of it as it needs, and may end the post with an
// error, which readPost returns. take cannot rely on the texts: they may follow the files.
// Any other error is errPost, or that of a truncated body.
func (v *visit) readPost(most postLimits, take func(*sentFile) error) (url.Values, error) {
	kind, params, err := mime.ParseMediaType(string(v.ctx.Request.Header.ContentType()))
	if err != nil || kind != "multipart/form-data" {
		form, ok := v.readForm(most.Text)
		if !ok {
			return nil, errPost
		}
		return form, nil
	}
	defer v.endWork() // receiving the body must not use up the time for the work
	var from io.Reader = v.ctx.RequestBodyStream()
	if from == nil {
		from = bytes.NewReader(v.ctx.Request.Body())
	}
	now := v.s.cfg.Now
	source := &postSource{from: from, left: most.Body, step: math.MaxInt64, now: now, until: now().Add(most.Time)}
	form, err := readParts(source, params["boundary"], most, func(f *sentFile) error {
		v.endWork()
		return take(f)
	})
	if err != nil {
		source.step = math.MaxInt64
		return nil, errors.Join(err, drain.Refused(source)) // a client that gets no response would send everything again
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
		if err == io.EOF { // unwrapped; a wrapped EOF means that the closing boundary is missing
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
		if err := drain.Refused(part); err != nil { // what take has left unread
			return nil, errors.Join(errPost, err)
		}
	}
}

// disposition reports whether a part is a file or a text. An input without a chosen file
// sends a file without a name.
func disposition(part *multipart.Part) (isFile, chosen bool, err error) {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	_, isFile = params["filename"]
	return isFile, part.FileName() != "", err
}

// fileBody is the content of a file, up to its size limit.
type fileBody struct {
	file *sentFile
	part io.Reader
}

func (b *fileBody) Read(p []byte) (int, error) {
	if b.file.large {
		return 0, errFileLarge
	}
	// Read one byte beyond the limit, so that a file of exactly that size ends without an
	// error.
	n, err := b.part.Read(p[:min(int64(len(p)), b.file.left+1)])
	if b.file.left -= int64(n); b.file.left < 0 {
		b.file.large = true
		return n - 1, errFileLarge
	}
	return n, err
}

// postSource is the body of a post. It never reads past its end, which in a chunked body is
// the next request of the connection.
type postSource struct {
	from  io.Reader
	left  int64 // bytes until the limit of the body
	step  int64 // bytes until the limit of the head of the current part
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
