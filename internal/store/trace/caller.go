package trace

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
)

// module is the path of this module, with which the names of its functions begin.
const module = "vitrine/"

// within reports whether a function is of a package or of those below it.
func within(function, pkg string) bool {
	rest, found := strings.CutPrefix(function, module+pkg)
	return found && (rest[0] == '.' || rest[0] == '/')
}

// stack holds the callers of a statement.
type stack struct {
	n   int
	pcs [maxDepth]uintptr
}

// maxDepth is the number of captured callers: enough for the frames of the driver, of a
// transaction with its savepoint, and a few of the code that issued the statement.
const maxDepth = 32

// capture records the callers of the function that called begin.
func (s *stack) capture() { s.n = runtime.Callers(4, s.pcs[:]) }

// frame is a line of this module.
type frame struct {
	function string // with its package: internal/store.(*Tx).LockTree
	file     string // path below the module
	line     int
}

// String returns the function with file and line.
func (f frame) String() string { return fmt.Sprintf("%s (%s:%d)", f.function, f.file, f.line) }

// passing are methods that only pass a statement on, such as those of a pool that chooses a
// connection.
var passing = []string{"Query", "QueryRow", "Exec", "SendBatch"}

// find returns the first caller in this module that an accepting function accepts.
func (s *stack) find(accept func(function string) bool) frame {
	frames := runtime.CallersFrames(s.pcs[:s.n])
	for {
		f, more := frames.Next()
		if (strings.HasPrefix(f.Function, module) || strings.HasPrefix(f.Function, "main.")) && accept(f.Function) {
			return located(f)
		}
		if !more {
			return frame{}
		}
	}
}

// located makes a frame independent of the directory in which the program was built.
func located(f runtime.Frame) frame {
	function := strings.TrimPrefix(f.Function, module)
	slash := strings.LastIndexByte(function, '/') + 1
	pkg, _, _ := strings.Cut(function[slash:], ".")
	file, found := strings.CutPrefix(f.File, module) // so with -trimpath
	if !found {
		file = path.Join(function[:slash], strings.TrimSuffix(pkg, "_test"), path.Base(f.File))
	}
	return frame{function, file, f.Line}
}

// caller returns the function that issued the statement.
func (s *stack) caller() frame {
	found := s.find(func(function string) bool {
		return !slices.Contains(passing, function[strings.LastIndexByte(function, '.')+1:])
	})
	if found == (frame{}) {
		return frame{function: "unknown"}
	}
	return found
}

// from returns the function that called the store. It is empty for statements that the store
// sends itself.
func (s *stack) from() frame {
	return s.find(func(function string) bool { return !within(function, "internal/store") })
}
