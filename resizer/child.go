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
	// ChildMemory is how many bytes of address space a child may take beyond what
	// it has when it begins: twice what the largest picture within the limits
	// needs.
	ChildMemory = 1 << 30

	// childTime is how much processor time one picture may take.
	childTime = 20 * time.Second

	maxSource = 256 << 20 // bytes of a source

	// slowExit is the exit code of a child whose picture took too long.
	slowExit = 90
)

// Child decodes pictures for a Resizer in another process until its standard
// input ends (see Config.Child). Everything that a picture could make a decoder
// do happens here: in a process that holds no secrets, may open no further
// files, write none, and has bounded memory and processor time. memory is that
// of ChildMemory.
func Child(memory uint64) error {
	in, out, err := childPipes()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	startVips()
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

// childPipes are the pipes to the parent. What a library may print goes to
// standard error, where it can do no harm.
func childPipes() (in, out *os.File, err error) {
	answers, err := unix.Dup(int(os.Stdout.Fd()))
	if err == nil {
		err = unix.Dup3(int(os.Stderr.Fd()), int(os.Stdout.Fd()), 0)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("resizer: pipes of the child: %w", err)
	}
	const roomy = 1 << 20 // bytes in a pipe: fewer turns of reader and writer
	for _, fd := range []int{0, answers} {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, roomy); err != nil {
			break // an ordinary pipe is slower, nothing else
		}
	}
	return os.Stdin, os.NewFile(uintptr(answers), "answers"), nil
}

// confine takes from this process what decoding needs not.
func confine(memory uint64) error {
	used, err := addressSpace()
	if err != nil {
		return err
	}
	// The first to go when the machine runs out of memory. Where the system does
	// not offer this, nothing is lost.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	for resource, limit := range map[int]uint64{
		unix.RLIMIT_AS:     used + memory,
		unix.RLIMIT_FSIZE:  0,
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_NOFILE: 0, // those that are open stay
	} {
		if err := lower(resource, limit); err != nil {
			return err
		}
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// lower sets a limit for good, unless the operator has set a lower one.
func lower(resource int, limit uint64) error {
	var is unix.Rlimit
	if err := unix.Getrlimit(resource, &is); err != nil {
		return err
	}
	limit = min(limit, is.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit})
}

// addressSpace is how many bytes of it this process has.
func addressSpace() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var pages uint64
	_, err = fmt.Sscan(string(text), &pages)
	return pages * uint64(os.Getpagesize()), err
}

// allow gives the next picture its processor time.
func allow(more time.Duration) error {
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

// answerAll answers request by request.
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
			err = errNonsense
		}
		if err == nil {
			if uint64(cap(source)) < ask.Source {
				source = make([]byte, ask.Source)
			}
			source = source[:ask.Source]
			_, err = io.ReadFull(in, source)
		}
		if err == nil {
			err = allow(childTime)
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
