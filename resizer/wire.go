package resizer

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// What goes through the pipes of a child: a request and as many bytes of source
// as it says, then an answer and as many bytes of picture or error text as it
// says; one at a time, little endian.
type (
	request struct {
		Source                 uint64
		Format                 uint8 // index in formats
		Orientation, AllFrames uint8
		Width, Height          int32
		Quality                int32
	}
	answer struct {
		Result        uint8
		Width, Height int32
		Body          uint64
	}
)

// Results of an answer.
const (
	answerPicture uint8 = iota
	answerBroken
	answerTooBig
	answerNotResizable
)

var formats = [...]Format{JPEG, PNG, GIF, WebP, BMP, TIFF}

// maxAnswer bounds what is believed of an answer, in bytes: more than a WebP
// file of the widest by maxHeight takes in practice.
const maxAnswer = 256 << 20

// errNonsense: what came out of the pipe is no answer.
var errNonsense = errors.New("resizer: a child that does not keep to the protocol")

func requestOf(source []byte, info Info, s shape) (request, error) {
	r := request{
		Source: uint64(len(source)), Orientation: uint8(s.orientation),
		Width: int32(s.width), Height: int32(s.height), Quality: int32(s.quality),
	}
	if s.allFrames {
		r.AllFrames = 1
	}
	for i, f := range formats {
		if f == info.Format {
			r.Format = uint8(i)
			return r, nil
		}
	}
	return r, fmt.Errorf("%w: %q", ErrNotResizable, info.Format)
}

func (r request) shape() shape {
	return shape{
		width: int(r.Width), height: int(r.Height), allFrames: r.AllFrames != 0,
		orientation: int(r.Orientation), quality: int(r.Quality),
	}
}

// answerOf says what came of a request.
func answerOf(picture encoded, err error) (answer, []byte) {
	if err == nil {
		return answer{answerPicture, int32(picture.width), int32(picture.height), uint64(len(picture.body))}, picture.body
	}
	a := answer{Result: answerBroken}
	switch {
	case errors.Is(err, ErrTooBig):
		a.Result = answerTooBig
	case errors.Is(err, ErrNotResizable):
		a.Result = answerNotResizable
	}
	text := []byte(err.Error())
	a.Body = uint64(len(text))
	return a, text
}

// outcome reads the rest of an answer. A second error says that the child is of
// no more use.
func (a answer) outcome(r io.Reader) (picture encoded, refusal, failure error) {
	if a.Body > maxAnswer || a.Result > answerNotResizable {
		return encoded{}, nil, errNonsense
	}
	body := make([]byte, a.Body)
	if _, err := io.ReadFull(r, body); err != nil {
		return encoded{}, nil, err
	}
	if a.Result != answerPicture {
		final := [...]error{answerBroken: ErrBroken, answerTooBig: ErrTooBig, answerNotResizable: ErrNotResizable}[a.Result]
		return encoded{}, &refused{string(body), final}, nil
	}
	return encoded{body: body, width: int(a.Width), height: int(a.Height)}, nil, nil
}

// refused is an error as a child has put it into words.
type refused struct {
	text string
	kind error
}

func (e *refused) Error() string { return e.text }
func (e *refused) Unwrap() error { return e.kind }

// send writes a fixed-size head and its body.
func send(w *bufio.Writer, head any, body []byte) error {
	if err := binary.Write(w, binary.LittleEndian, head); err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Flush()
}
