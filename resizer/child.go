package resizer

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// ChildMemory is the address space in bytes that a child may use beyond what it has at
	// its start: twice what the largest picture within the limits needs.
	ChildMemory = 1 << 30

	// childTime is the processor time that one picture may use.
	childTime = 20 * time.Second

	maxSource = 256 << 20 // maximum size of a source in bytes

	// slowExit is the exit code of a child whose picture exceeded childTime.
	slowExit = 90
)

// Child decodes pictures for a Resizer in another process until its standard input ends
// (see Config.Child). Whatever a picture can make a decoder do happens here: in a process
// without secrets that may not open files or write to any, with bounded memory and
// processor time. memory is the limit described at ChildMemory.
func Child(memory uint64) error {
	in, out, err := childPipes()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	startVips()
	for format := range heifSamples {
		canRead(format, heifSamples) // libheif may open its codecs at the first use, and no file can be opened later
	}
	if err := confine(memory); err != nil {
		return fmt.Errorf("resizer: confine the child: %w", err)
	}
	slow := make(chan os.Signal, 1)
	signal.Notify(slow, unix.SIGXCPU)
	go func() {
		<-slow
		os.Exit(slowExit)
	}()
	return answerAll(in, out)
}

// childPipes returns the pipes to the parent. Output of libraries is redirected to standard
// error, where it does not corrupt the protocol.
func childPipes() (in, out *os.File, err error) {
	answers, err := unix.Dup(int(os.Stdout.Fd()))
	if err == nil {
		err = unix.Dup3(int(os.Stderr.Fd()), int(os.Stdout.Fd()), 0)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("resizer: pipes of the child: %w", err)
	}
	const pipeSize = 1 << 20 // bytes in a pipe; reduces context switches
	for _, fd := range []int{0, answers} {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, pipeSize); err != nil {
			break // an ordinary pipe is only slower
		}
	}
	return os.Stdin, os.NewFile(uintptr(answers), "answers"), nil
}

// confine drops the privileges and limits that decoding does not need.
func confine(memory uint64) error {
	used, err := addressSpace()
	if err != nil {
		return err
	}
	// Make the child the first choice of the out-of-memory killer. An error is ignored: not
	// all systems support this.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	for resource, limit := range map[int]uint64{
		unix.RLIMIT_AS:     used + memory,
		unix.RLIMIT_FSIZE:  0,
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_NOFILE: 0, // open files stay open
	} {
		if err := lowerLimit(resource, limit); err != nil {
			return err
		}
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// lowerLimit sets a hard limit, unless the operator has set a lower one.
func lowerLimit(resource int, limit uint64) error {
	var is unix.Rlimit
	if err := unix.Getrlimit(resource, &is); err != nil {
		return err
	}
	limit = min(limit, is.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit})
}

// addressSpace returns the size of this process's address space in bytes.
func addressSpace() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var pages uint64
	_, err = fmt.Sscan(string(text), &pages)
	return pages * uint64(os.Getpagesize()), err
}

// allowTime sets the processor time limit for the next picture.
func allowTime(more time.Duration) error {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return err
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CPU, &limit); err != nil {
		return err
	}
	spent := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	limit.Cur = min(uint64((spent+more+time.Second)/time.Second), limit.Max)
	return unix.Setrlimit(unix.RLIMIT_CPU, &limit)
}

// answerAll answers requests one after the other.
func answerAll(in io.Reader, out io.Writer) error {
	w := bufio.NewWriter(out)
	var source []byte // one buffer for all, so that the heap stays small
	for {
		var ask request
		err := binary.Read(in, binary.LittleEndian, &ask)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && (ask.Source > maxSource || int(ask.Format) >= len(formats)) {
			err = errProtocol
		}
		if err == nil {
			if uint64(cap(source)) < ask.Source {
				source = make([]byte, ask.Source)
			}
			source = source[:ask.Source]
			_, err = io.ReadFull(in, source)
		}
		if err == nil {
			err = allowTime(childTime)
		}
		if err != nil {
			return err
		}
		a, body := answerOf(encode(source, Info{Format: formats[ask.Format]}, ask.shape()))
		if err := send(w, a, body); err != nil {
			return err
		}
	}
}
