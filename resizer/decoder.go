package resizer

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"
)

// answerTime is the wall-clock time that a child may take for one picture. Its own limit is
// processor time; this one is for a child that blocks.
const answerTime = 2 * time.Minute

// errChild: a child died, or was killed, while it processed a picture.
var errChild = errors.New("resizer: the child died")

// decoder processes pictures, one at a time, in a child process that is started at the
// first use and restarted after it died.
type decoder struct {
	command []string // of the child; empty: decode in this process
	log     *slog.Logger
	deaths  *atomic.Int64
	child   *child // nil while there is none
}

// encode runs encode in a child. If a child dies while it decodes a picture, a second one
// retries, since the cause may be unrelated; a picture that kills both is broken.
func (d *decoder) encode(source []byte, info Info, s shape) (encoded, error) {
	if len(d.command) == 0 {
		return encode(source, info, s)
	}
	ask, err := requestOf(source, info, s)
	if err != nil {
		return encoded{}, err
	}
	for range 2 {
		if d.child == nil {
			if d.child, err = startChild(d.command); err != nil {
				return encoded{}, fmt.Errorf("resizer: start a child: %w", err)
			}
		}
		picture, refusal, failure := d.child.do(ask, source)
		if failure == nil {
			return picture, refusal
		}
		err = d.reap(failure)
		if !errors.Is(err, errChild) {
			return encoded{}, err
		}
	}
	return encoded{}, fmt.Errorf("%w: two children died while decoding it", ErrBroken)
}

// reap ends a child that has failed, and returns the error for the picture.
func (d *decoder) reap(failure error) error {
	dead := d.child
	d.child = nil
	dead.kill()
	code := dead.end()
	d.deaths.Add(1)
	d.log.Warn("resizer: a child died while decoding a picture", "error", failure, "exit", code, "output", dead.output.String())
	switch {
	case code == slowExit:
		return fmt.Errorf("%w: more than %s of processor time", ErrTooBig, childTime)
	case dead.late.Load():
		return fmt.Errorf("%w: no answer within %s", ErrBusy, answerTime)
	}
	return errChild
}

// open prepares the worker's goroutine and returns its cleanup. Without children it locks
// the goroutine to one thread, since libvips keeps buffers for every thread that ever calls
// it.
func (d *decoder) open() (leave func()) {
	if len(d.command) == 0 {
		startVips()
		runtime.LockOSThread()
		return func() {
			leaveVips()
			runtime.UnlockOSThread()
		}
	}
	return func() {
		if d.child != nil {
			d.child.end()
		}
	}
}

// child is a running process and the pipes to it.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	w      *bufio.Writer
	r      *bufio.Reader
	output *outputHead
	late   atomic.Bool // killed because of answerTime
}

// startChild starts a child without the parent's environment, which contains secrets.
func startChild(command []string) (*child, error) {
	c := &child{cmd: exec.Command(command[0], command[1:]...), output: &outputHead{}}
	c.cmd.Env = []string{"MALLOC_ARENA_MAX=2", "GOTRACEBACK=single"}
	c.cmd.Dir = "/"
	c.cmd.Stderr = c.output
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.w, c.r = in, bufio.NewWriter(in), bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	return c, nil
}

// do processes one picture. A failure means that the child is unusable.
func (c *child) do(ask request, source []byte) (picture encoded, refusal, failure error) {
	watch := time.AfterFunc(answerTime, func() {
		c.late.Store(true)
		c.kill()
	})
	defer watch.Stop()
	if err := send(c.w, ask, source); err != nil {
		return encoded{}, nil, err
	}
	var a answer
	if err := binary.Read(c.r, binary.LittleEndian, &a); err != nil {
		return encoded{}, nil, err
	}
	return a.outcome(c.r)
}

// kill has no effect on a child that has already exited.
func (c *child) kill() { _ = c.cmd.Process.Kill() }

// end closes the child's input, which makes it exit, and returns its exit code, -1 after a
// signal.
func (c *child) end() int {
	_ = c.in.Close() // may be closed already
	watch := time.AfterFunc(time.Second, c.kill)
	defer watch.Stop()
	_ = c.cmd.Wait() // the result is in ProcessState
	return c.cmd.ProcessState.ExitCode()
}

// outputHead keeps the beginning of a child's output, where a crash names its cause.
type outputHead struct{ text []byte }

const maxOutput = 2 << 10

func (t *outputHead) Write(p []byte) (int, error) {
	t.text = append(t.text, p[:min(len(p), maxOutput-len(t.text))]...)
	return len(p), nil
}

func (t *outputHead) String() string { return string(t.text) }
