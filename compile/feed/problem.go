package feed

import "fmt"

// Codes of problems (document 3, 4.3 and 7).
const (
	CodeInvalid  = "SITE_FILE_TEMPLATE_INVALID"
	CodeTimeout  = "SITE_FILE_PREVIEW_TIMEOUT"
	CodeTooLarge = "SITE_FILE_BODY_TOO_LARGE"
	CodeNotUTF8  = "SITE_FILE_BODY_INVALID"
)

// Cause is what ended a render.
type Cause uint8

// The causes of a problem.
const (
	InTemplate Cause = iota // an error of the template, found at saving or rendering
	OutOfTime               // Options.Stop returned an error
	OutOfBytes              // the output reached Options.Bytes
	OutOfSteps              // the render reached Options.Steps
	InWriter                // the caller's writer failed with Err
	InProgram               // a bug of this package; Err holds the panic with its stack, to be logged
)

// Problem is why a template cannot be saved, or why its render stopped.
type Problem struct {
	Line    int // from 1; 0 when unknown
	Message string
	Code    string
	Cause   Cause
	Err     error // of Stop or of the writer
}

// Error returns the message with its line.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.Message
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Message)
}

// Unwrap returns the error of Options.Stop or of the writer.
func (p *Problem) Unwrap() error { return p.Err }

func invalid(line int, format string, args ...any) *Problem {
	return &Problem{Line: line, Message: fmt.Sprintf(format, args...), Code: CodeInvalid}
}
