package edge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/valyala/fasthttp"
)

const mark = "XmarkX"

// sentPart is a part of a test post.
type sentPart struct{ head, body string }

func textPart(name, value string) sentPart {
	return sentPart{`Content-Disposition: form-data; name="` + name + `"`, value}
}

func filePart(field, name, body string) sentPart {
	return sentPart{`Content-Disposition: form-data; name="` + field + `"; filename="` + name + "\"\r\nContent-Type: image/png", body}
}

func postOf(parts ...sentPart) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("--" + mark + "\r\n" + p.head + "\r\n\r\n" + p.body + "\r\n")
	}
	return b.String() + "--" + mark + "--\r\n"
}

// narrow are limits that a test can exceed.
var narrow = postLimits{Fields: 3, Text: 100, Files: 2, File: 10, Body: 40_000, Time: time.Hour}

// parts reads a post and records the results of its files.
func parts(body io.Reader, most postLimits) (form url.Values, files []string, err error) {
	source := &postSource{from: body, left: most.Body, step: math.MaxInt64, now: time.Now, until: time.Now().Add(most.Time)}
	form, err = readParts(source, mark, most, func(f *sentFile) error {
		got, err := io.ReadAll(f.Body)
		files = append(files, fmt.Sprintf("%s %s %s %t %v", f.Field, f.Name, got, f.TooLarge(), err))
		return nil
	})
	return form, files, err
}

func TestPostWithFilesIsReadAsSent(t *testing.T) {
	post := postOf(
		filePart("photo", `C:\fakepath/../дом %221%22.png`, "0123456789"), textPart("name", "Ann\r\n--Xmark"), filePart("photo", "", ""),
		textPart("name", ""), filePart("paper", "b.pdf", ""), textPart("дом", "é"),
	)
	for name, body := range map[string]io.Reader{
		"at once": strings.NewReader(post), "byte by byte": iotest.OneByteReader(strings.NewReader(post)),
		"its end with the last bytes": iotest.DataErrReader(strings.NewReader(post)), "without the last line end": strings.NewReader(strings.TrimSpace(post)),
		"with words around it": strings.NewReader("preamble\r\n" + post + "epilogue"),
	} {
		form, files, err := parts(body, narrow)
		if err != nil || fmt.Sprint(form) != "map[name:[Ann\r\n--Xmark ] дом:[é]]" {
			t.Errorf("%s: %q, %v", name, form, err)
		}
		if len(files) != 2 || !strings.HasPrefix(files[0], "photo ") || strings.Contains(files[0], "fakepath/") ||
			!strings.HasSuffix(files[0], " 0123456789 false <nil>") || files[1] != "paper b.pdf  false <nil>" {
			t.Errorf("%s: the files %q", name, files)
		}
	}
}

func TestPostLimits(t *testing.T) {
	a, f := textPart("a", "b"), filePart("f", "x", "1")
	for name, c := range map[string]struct {
		body string
		fits bool
	}{
		"as many texts":       {postOf(a, a, a), true},
		"a text too many":     {postOf(a, a, a, a), false},
		"as much text":        {postOf(textPart("a", strings.Repeat("x", 99))), true},
		"too much text":       {postOf(textPart("a", strings.Repeat("x", 100))), false},
		"too much in all":     {postOf(textPart("a", strings.Repeat("x", 50)), textPart("a", strings.Repeat("x", 49))), false},
		"a long name":         {postOf(textPart(strings.Repeat("n", 101), "")), false},
		"as many files":       {postOf(f, f), true},
		"a file too many":     {postOf(f, f, f), false},
		"files not chosen":    {postOf(f, filePart("f", "", ""), filePart("f", "", ""), f), true},
		"a long head":         {postOf(sentPart{"X-Y: " + strings.Repeat("y", maxPartHead) + "\r\n" + a.head, ""}), false},
		"an odd disposition":  {postOf(sentPart{`Content-Disposition: form-data; name="a"; name="b"`, ""}), false},
		"no disposition":      {postOf(sentPart{"X: y", ""}), false},
		"many lines of heads": {postOf(sentPart{strings.Repeat("x:y\r\n", maxPartHead/5) + a.head, ""}), false},
		"words before it all": {strings.Repeat("x", maxPartHead+1) + "\r\n" + postOf(a), false},
		"nothing":             {"", false},
		"no end":              {strings.TrimSuffix(postOf(a), "--\r\n"), false},
		"another mark":        {strings.ReplaceAll(postOf(a), mark, "other"), false},
		"too long in all":     {postOf(filePart("f", "x", strings.Repeat("1", 40_000))), false},
		"a mixed part":        {postOf(sentPart{a.head + "\r\nContent-Type: multipart/mixed; boundary=B", "--B\r\n\r\nx\r\n--B--"}), true},
	} {
		_, _, err := parts(strings.NewReader(c.body), narrow)
		if c.fits != (err == nil) || err != nil && !errors.Is(err, errPost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := parts(io.MultiReader(strings.NewReader(postOf(a)[:40]), iotest.ErrReader(io.ErrUnexpectedEOF)), narrow); err == nil {
		t.Error("a truncated post was accepted")
	}
}

// A file that is too large is reported without affecting the texts: the visitor is asked
// for another one, with everything typed still there.
func TestTooLargeFileDoesNotEndThePost(t *testing.T) {
	form, files, err := parts(strings.NewReader(postOf(filePart("f", "x", "0123456789A"+strings.Repeat("B", 20_000)), textPart("a", "b"))), narrow)
	if err != nil || form.Get("a") != "b" || len(files) != 1 || files[0] != "f x 0123456789 true "+errFileLarge.Error() {
		t.Errorf("%v %q %v", form, files, err)
	}
}

// A post through a visit: a form without files, one with files, and a take function that
// reads no more.
func TestPostThroughAVisit(t *testing.T) {
	enough := errors.New("enough")
	post := func(kind, body string, take func(*sentFile) error) (url.Values, error) {
		v := &visit{s: &Server{ctx: t.Context(), cfg: Config{Now: time.Now}}, ctx: &fasthttp.RequestCtx{}}
		v.ctx.Request.Header.SetContentType(kind)
		v.ctx.Request.SetBodyStream(strings.NewReader(body), len(body))
		return v.readPost(narrow, take)
	}
	none := func(*sentFile) error { return enough }
	if form, err := post("application/x-www-form-urlencoded", "a=b", none); err != nil || form.Get("a") != "b" {
		t.Errorf("%v %v", form, err)
	}
	with := postOf(filePart("f", "x", "1"), textPart("a", "b"))
	for kind, want := range map[string]error{
		"multipart/form-data; boundary=" + mark: enough, "multipart/form-data": errPost, "multipart/form-data; boundary=other": errPost,
	} {
		form, err := post(kind, with, none)
		if !errors.Is(err, want) || err != nil && form != nil {
			t.Errorf("%s: %v %v", kind, form, err)
		}
	}
	if form, err := post("Multipart/Form-Data; boundary=\""+mark+`"`, with, func(*sentFile) error { return nil }); err != nil || form.Get("a") != "b" {
		t.Errorf("a file that take did not read: %v %v", form, err)
	}
	if _, err := post("text/plain", strings.Repeat("x", narrow.Text+1), none); !errors.Is(err, errPost) {
		t.Errorf("a long body: %v", err)
	}
}

// A post that never ends is ended by its timeout.
func TestEndlessPostTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		v := &visit{s: &Server{ctx: ctx, cfg: Config{Now: time.Now}}, ctx: &fasthttp.RequestCtx{}}
		begun := time.Now()
		v.ctx.Request.Header.SetContentType("multipart/form-data; boundary=" + mark)
		v.ctx.Request.SetBodyStream(slowly{strings.NewReader(postOf(textPart("a", strings.Repeat("x", 90))))}, -1)
		most := narrow
		most.Time = time.Minute
		if _, err := v.readPost(most, nil); !errors.Is(err, errPost) || time.Since(begun) > most.Time+2*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

// FuzzPost checks the limits of the reader, and compares it with the standard library where
// both accept a post.
func FuzzPost(f *testing.F) {
	for _, seed := range []string{
		postOf(), postOf(textPart("a", "b"), filePart("f", "x.png", "1")), "--" + mark, "--" + mark + "\r\n\r\n", "--" + mark + "--",
		"--" + mark + "\nContent-Disposition: form-data; name=a\n\nb\n--" + mark + "--", postOf(filePart("f", "", "1"), textPart("", "")),
		postOf(sentPart{`Content-Disposition: form-data; name="a"; filename*=utf-8''%2e%2e%2f`, "1"}), "\r\n" + postOf(filePart("f", "..", "0123456789AB")),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		count, held := 0, 0
		source := &postSource{from: bytes.NewReader(raw), left: narrow.Body, step: math.MaxInt64, now: time.Now, until: time.Now().Add(time.Hour)}
		form, err := readParts(source, mark, narrow, func(f *sentFile) error {
			count++
			got, err := io.ReadAll(f.Body)
			if int64(len(got)) > narrow.File || f.TooLarge() != errors.Is(err, errFileLarge) || f.Name == "" {
				t.Errorf("%q: %d bytes of %q, %v", raw, len(got), f.Name, err)
			}
			return nil
		})
		for name, values := range form {
			for _, value := range values {
				held += len(name) + len(value)
			}
		}
		if held > narrow.Text || count > narrow.Files && err == nil || err != nil && (form != nil || !errors.Is(err, errPost)) {
			t.Errorf("%q: %d bytes of text, %d files, %v", raw, held, count, err)
		}
		if err != nil {
			return
		}
		theirs, err := multipart.NewReader(bytes.NewReader(raw), mark).ReadForm(1 << 20)
		if err != nil {
			return
		}
		for name, values := range form {
			if name != "" && !strings.Contains(string(raw), "Transfer-Encoding") && fmt.Sprint(theirs.Value[name]) != fmt.Sprint(values) {
				t.Errorf("%q: %q is %q, the library reads %q", raw, name, values, theirs.Value[name])
			}
		}
	})
}
