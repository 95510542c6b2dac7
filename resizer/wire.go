package resizer

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The protocol of a child: a request and the announced bytes of the source, then an answer
// and the announced bytes of the picture or error text; one at a time, little endian.
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
	answerNoDecoder
)

var formats = [...]Format{JPEG, PNG, GIF, WebP, BMP, TIFF, AVIF, HEIC}

// maxAnswer bounds the accepted size of an answer in bytes: more than a WebP file of
// maximum width and maxHeight takes in practice.
const maxAnswer = 256 << 20

// errProtocol reports invalid data from the pipe.
var errProtocol = errors.New("resizer: protocol violation")

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

// answerOf encodes the result of a request.
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
	case errors.Is(err, ErrNoDecoder):
		a.Result = answerNoDecoder
	}
	text := []byte(err.Error())
	a.Body = uint64(len(text))
	return a, text
}

// outcome reads the rest of an answer. A failure means that the child is unusable.
func (a answer) outcome(r io.Reader) (picture encoded, refusal, failure error) {
	if a.Body > maxAnswer || a.Result > answerNoDecoder {
		return encoded{}, nil, errProtocol
	}
	body := make([]byte, a.Body)
	if _, err := io.ReadFull(r, body); err != nil {
		return encoded{}, nil, err
	}
	if a.Result != answerPicture {
		final := [...]error{answerBroken: ErrBroken, answerTooBig: ErrTooBig, answerNotResizable: ErrNotResizable, answerNoDecoder: ErrNoDecoder}[a.Result]
		return encoded{}, &refused{string(body), final}, nil
	}
	return encoded{body: body, width: int(a.Width), height: int(a.Height)}, nil, nil
}

// refused is a child's error with its text.
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
