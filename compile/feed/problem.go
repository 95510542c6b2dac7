package feed

import "fmt"

// Codes of problems (document 3, 4.3 and 7).
const (
	CodeInvalid  = "SITE_FILE_TEMPLATE_INVALID"
	CodeTimeout  = "SITE_FILE_PREVIEW_TIMEOUT"
	CodeTooLarge = "SITE_FILE_BODY_TOO_LARGE"
	CodeNotUTF8  = "SITE_FILE_BODY_INVALID"
)

// Cause tells apart what ended a render.
type Cause uint8

// The causes of a problem.
const (
	InTemplate Cause = iota // the template is wrong, at saving or at rendering
	OutOfTime               // Options.Stop said so
	OutOfBytes              // the output reached Options.Bytes
	OutOfSteps              // Options.Steps are done
	InWriter                // the caller's writer failed; Err says why
	InProgram               // a defect of this package; Err is the panic with its stack, to be logged
)

// Problem is why a template cannot be saved, or why its render stopped.
type Problem struct {
	Line    int // from 1; 0 when unknown
	Message string
	Code    string
	Cause   Cause
	Err     error // what Stop or the writer returned
}

// Error is the message with its line.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.Message
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Message)
}

// Unwrap is what Options.Stop or the writer returned.
func (p *Problem) Unwrap() error { return p.Err }

func invalid(line int, format string, args ...any) *Problem {
	return &Problem{Line: line, Message: fmt.Sprintf(format, args...), Code: CodeInvalid}
}
