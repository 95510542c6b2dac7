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

// answerTime is how long a child may take for one picture by the clock on the
// wall. Its own bound is processor time; this one is for a child that sleeps.
const answerTime = 2 * time.Minute

// errChild: a child died, or had to, while it held a picture.
var errChild = errors.New("resizer: the child died")

// decoder makes pictures, one at a time, in a child process that is started
// when first needed and again after it died.
type decoder struct {
	command []string // of the child; empty: this process does it itself
	log     *slog.Logger
	deaths  *atomic.Int64
	child   *child // nil while there is none
}

// encode is what encode is in this process. A picture at whose decoding a child
// died gets another one, since the child may have died of something else; what
// kills two is broken.
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
		err = d.bury(failure)
		if !errors.Is(err, errChild) {
			return encoded{}, err
		}
	}
	return encoded{}, fmt.Errorf("%w: two children died of it", ErrBroken)
}

// bury ends a child that has failed and says what it means for the picture.
func (d *decoder) bury(failure error) error {
	dead := d.child
	d.child = nil
	dead.kill()
	code := dead.end()
	d.deaths.Add(1)
	d.log.Warn("resizer: a child died at a picture", "error", failure, "exit", code, "said", dead.said.String())
	switch {
	case code == slowExit:
		return fmt.Errorf("%w: more than %s of processor time", ErrTooBig, childTime)
	case dead.late.Load():
		return fmt.Errorf("%w: no answer within %s", ErrBusy, answerTime)
	}
	return errChild
}

// open prepares the worker's goroutine and returns how to leave. Without
// children it keeps one thread, since libvips holds buffers for every thread
// that ever calls it.
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
	cmd  *exec.Cmd
	in   io.WriteCloser
	w    *bufio.Writer
	r    *bufio.Reader
	said *tail
	late atomic.Bool // it was killed for being so
}

// startChild starts one without the parent's environment, which holds secrets.
func startChild(command []string) (*child, error) {
	c := &child{cmd: exec.Command(command[0], command[1:]...), said: &tail{}}
	c.cmd.Env = []string{"MALLOC_ARENA_MAX=2", "GOTRACEBACK=single"}
	c.cmd.Dir = "/"
	c.cmd.Stderr = c.said
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

// do has one picture made. A failure says that the child is of no more use.
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

// kill does nothing to a child that has ended already.
func (c *child) kill() { _ = c.cmd.Process.Kill() }

// end closes the child's input, upon which it ends, and returns its exit code,
// -1 after a signal.
func (c *child) end() int {
	_ = c.in.Close() // it may be gone
	watch := time.AfterFunc(time.Second, c.kill)
	defer watch.Stop()
	_ = c.cmd.Wait() // what it ended with is in ProcessState
	return c.cmd.ProcessState.ExitCode()
}

// tail keeps the beginning of what a child says: a fault is named first.
type tail struct{ text []byte }

const maxSaid = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p[:min(len(p), maxSaid-len(t.text))]...)
	return len(p), nil
}

func (t *tail) String() string { return string(t.text) }
