package drain_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"vitrine/internal/drain"
)

// zeros is a body of any length that counts what is read of it.
type zeros struct{ left, read int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	z.left, z.read = z.left-n, z.read+n
	return int(n), nil
}

func TestARefusedBodyIsReadToItsEndOrToTheLimit(t *testing.T) {
	for _, size := range []int64{0, 1, drain.MaxRefused - 1, drain.MaxRefused, drain.MaxRefused + 1, 1 << 40} {
		body := &zeros{left: size}
		if err := drain.Refused(body); err != nil || body.read != min(size, drain.MaxRefused) {
			t.Errorf("%d bytes: %d were read, %v", size, body.read, err)
		}
	}
	broken := errors.New("reset")
	if err := drain.Refused(io.MultiReader(bytes.NewReader(make([]byte, 9)), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("a body that is cut off: %v", err)
	}
	if err := drain.Refused(iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a body that is too short: %v", err)
	}
}

func TestAConnectionIsReusedOnlyAfterTheEndOfABody(t *testing.T) {
	const most = 64 << 10
	for _, c := range []struct {
		left, size, read int64
		want             bool
	}{
		{0, 0, 0, true}, {9, 9, 9, true}, {9, -1, 9, true}, {most - 1, -1, most - 1, true},
		{most, -1, most, false}, {most + 1, -1, most, false}, {1 << 40, -1, most, false},
		{most + 1, most + 1, 0, false}, // not even begun
	} {
		body := &zeros{left: c.left}
		if got := drain.Answered(body, c.size); got != c.want || body.read != c.read {
			t.Errorf("%+v: %t after %d bytes", c, got, body.read)
		}
	}
	if drain.Answered(iotest.ErrReader(io.ErrUnexpectedEOF), -1) {
		t.Error("a body that is cut off leaves the connection")
	}
}
