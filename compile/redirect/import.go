package redirect

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// MaxImport is the maximum number of rule lines in one import (document 3, 4.4).
const MaxImport = 1000

// ErrImportTooLarge refuses an import above MaxImport lines as a whole.
var ErrImportTooLarge = shop.Refuse(shop.InvalidArgument, "REDIRECT_IMPORT_TOO_LARGE").When("the CSV has too many lines or bytes")

// Status is the outcome of a line of an import.
type Status string

// The statuses of a line (document 3, 4.4). Whether a valid line creates or updates depends on
// the stored set.
const (
	StatusCreated Status = "created"
	StatusUpdated Status = "updated"
	StatusSkipped Status = "skipped"
	StatusError   Status = "error"
)

// Values lists the statuses as texts.
func (Status) Values() []string {
	return shop.Texts([]Status{StatusCreated, StatusUpdated, StatusSkipped, StatusError})
}

// Reason explains why a line of an import was skipped or refused.
type Reason string

// The reasons (document 3, 4.4). The second group needs the stored set and is set by the import's
// caller.
const (
	LineMalformed      Reason = "LINE_MALFORMED"
	CodeInvalid        Reason = "CODE_INVALID"
	DuplicateInFile    Reason = "DUPLICATE_IN_FILE"
	ExternalNotAllowed Reason = "EXTERNAL_NOT_ALLOWED"
	InvalidSource      Reason = "INVALID_SOURCE"
	InvalidTarget      Reason = "INVALID_TARGET"
	KindUnknown        Reason = "KIND_UNKNOWN"
	OptionInvalid      Reason = "OPTION_INVALID"
	QueryInvalid       Reason = "QUERY_INVALID"
	NoteInvalid        Reason = "NOTE_INVALID"

	Unchanged           Reason = "UNCHANGED"
	ReservedPath        Reason = "RESERVED_PATH"
	Loop                Reason = "LOOP"
	ChainTooLong        Reason = "CHAIN_TOO_LONG"
	LimitReached        Reason = "LIMIT_REACHED"
	PatternLimitReached Reason = "PATTERN_LIMIT_REACHED"
)

// Row is one line of an import that is not blank, a comment or a header.
type Row struct {
	Line      int    // 1-based
	From, To  string // as written, for the report; valid UTF-8
	Rule      Rule   // normalized and enabled; set if Reason is empty
	NoteGiven bool   // the line has a note column, possibly empty; otherwise the stored note is kept
	Reason    Reason // empty for a valid line
}

// Status returns error for a refused line, skipped for a repeated key, and empty for a valid
// line.
func (r Row) Status() Status {
	switch r.Reason {
	case "":
		return ""
	case DuplicateInFile:
		return StatusSkipped
	}
	return StatusError
}

// ParseImport parses the text of an import: one rule per line, eight columns, of which two are
// required (document 3, 4.4). Lines end with LF, CRLF or CR. A bad line is a row with a reason
// and does not affect other lines; the only error is ErrImportTooLarge. Absolute targets are
// refused line by line.
func ParseImport(text string) ([]Row, error) { return parseImport(text, false, MaxImport) }

// ParseImportExternal is ParseImport for a request with allow_external: an
// absolute target makes an external rule.
func ParseImportExternal(text string) ([]Row, error) { return parseImport(text, true, MaxImport) }

// ParseFile parses a text of any number of lines, for callers that import it in parts; external
// is as in ParseImportExternal.
func ParseFile(text string, external bool) []Row {
	rows, err := parseImport(text, external, len(text)+1)
	if err != nil {
		return nil // unreachable: there are fewer lines than bytes
	}
	return rows
}

func parseImport(text string, external bool, most int) ([]Row, error) {
	rows := []Row{}
	seen := map[string]bool{}
	text = trimInvisible(text)
	first := true
	for n := 1; text != ""; n++ {
		var line string
		line, text = cutLine(text)
		if start := strings.TrimLeft(line, " \t\x00\u00A0"); start == "" || start[0] == '#' {
			continue
		}
		if n == 1 && isSeparatorHint(line) {
			continue
		}
		if n <= 2 {
			line = trimInvisible(line) // some programs repeat the byte order mark before the header
		}
		row, header := parseRow(line, external)
		if first && header {
			first = false
			continue
		}
		first = false
		if len(rows) == most {
			return nil, ErrImportTooLarge
		}
		row.Line = n
		if row.Reason == "" {
			key := row.Rule.DuplicateKey()
			if seen[key] {
				row.Reason = DuplicateInFile
			}
			seen[key] = true
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// trimInvisible drops leading byte order marks and zero-width characters.
func trimInvisible(text string) string {
	return strings.TrimLeft(text, "\uFEFF\u200B\u200C\u200D\u2060")
}

// isSeparatorHint reports a first line such as sep=; which only spreadsheets need: the separator
// is detected per line.
func isSeparatorHint(line string) bool {
	return len(line) == len("sep=;") && strings.EqualFold(line[:4], "sep=")
}

// cutLine splits at the first LF, CRLF or CR.
func cutLine(text string) (line, after string) {
	i := strings.IndexAny(text, "\r\n")
	if i < 0 {
		return text, ""
	}
	if strings.HasPrefix(text[i:], "\r\n") {
		return text[:i], text[i+2:]
	}
	return text[:i], text[i+1:]
}

// parseRow parses one line and reports whether it looks like a header of two columns.
func parseRow(line string, external bool) (row Row, header bool) {
	if !utf8.ValidString(line) || strings.ContainsAny(line, "\x00\uFFFD") {
		return Row{From: reportText(line), Reason: LineMalformed}, false
	}
	cells, ok := splitLine(line)
	if !ok {
		return Row{From: reportText(strings.Trim(line, `"`)), Reason: LineMalformed}, false
	}
	row = Row{From: cells[0], To: cells[1], NoteGiven: len(cells) == columns}
	var full [columns]string
	copy(full[:], cells)
	row.Rule, row.Reason = parseCells(full, external)
	return row, len(cells) == 2 && isName(cells[0]) && isName(cells[1])
}

// reportText makes an undecodable line presentable in the report.
func reportText(line string) string {
	return shop.Clip(strings.ReplaceAll(oneLine(strings.ReplaceAll(line, "\x00", "")), "\uFEFF", ""), 200)
}

// isName reports whether a cell looks like a column name: words, not an address.
func isName(cell string) bool {
	return cell != "" && !strings.ContainsFunc(cell, func(r rune) bool {
		return !unicode.IsLetter(r) && r != ' ' && r != '_' && r != '-'
	})
}

// parseCells parses the eight columns from;to;code;kind;params;condition;always;note.
func parseCells(cells [columns]string, external bool) (Rule, Reason) {
	r := Rule{From: cells[0], To: cells[1], Enabled: true, QueryMatch: unguard(cells[5]), Note: unguard(cells[7])}
	switch {
	case r.From == "" || r.To == "":
		return Rule{}, LineMalformed
	case r.From[0] != '/':
		return Rule{}, InvalidSource
	}
	if reason := parseOptions(&r, cells); reason != "" {
		return Rule{}, reason
	}
	r.External = external && originLength(r.To) > 0
	out, err := Normalize(r)
	if err != nil {
		return Rule{}, reasonOf(err)
	}
	return out, ""
}

func parseOptions(r *Rule, cells [columns]string) Reason {
	switch cells[2] {
	case "", "301":
		r.Code = 301
	case "302":
		r.Code = 302
	default:
		return CodeInvalid
	}
	r.Kind = Kind(strings.ToLower(cells[3]))
	switch r.Kind {
	case "", Exact, Pattern, Prefix:
	default:
		return KindUnknown
	}
	switch strings.ToLower(cells[4]) {
	case "", "keep":
	case "drop":
		r.DropQuery = true
	default:
		return OptionInvalid
	}
	switch strings.ToLower(cells[6]) {
	case "", "0", "false", "no":
	case "1", "true", "yes":
		r.OverrideLive = true
	default:
		return OptionInvalid
	}
	if utf8.RuneCountInString(strings.TrimSpace(r.Note)) > MaxNote {
		return NoteInvalid
	}
	return ""
}

// reasonOf maps a refusal of Normalize to a reason.
func reasonOf(err error) Reason {
	switch {
	case errors.Is(err, ErrInvalidTarget):
		return InvalidTarget
	case errors.Is(err, ErrExternalNotAllowed):
		return ExternalNotAllowed
	case errors.Is(err, ErrInvalidQuery):
		return QueryInvalid
	}
	return InvalidSource
}
