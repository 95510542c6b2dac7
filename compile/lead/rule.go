package lead

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

var (
	nameLike   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	emailLike  = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
	numberLike = regexp.MustCompile(`^-?[0-9]+([.,][0-9]+)?$`)
	phoneLike  = regexp.MustCompile(`^[^\pL\pC]+$`)
)

const minDigits = 3 // of a phone number, whose formats vary widely

// checkRules returns the invalid rule and the reason, or "".
func (f *Field) checkRules(kind has) (where, why string) {
	r := &f.Rules
	switch {
	case !kind.length && (r.MinLength != 0 || r.MaxLength != 0 || r.Pattern != ""):
		return "", fmt.Sprintf("min_length, max_length and pattern do not apply to %s", f.Type)
	case !kind.limits && (r.Min != "" || r.Max != ""):
		return "", fmt.Sprintf("min and max do not apply to %s", f.Type)
	case !kind.size && r.MaxSize != 0:
		return "max_size", fmt.Sprintf("does not apply to %s", f.Type)
	case r.MinLength < 0 || r.MinLength > MaxValue:
		return "min_length", fmt.Sprintf("is 0 to %d", MaxValue)
	case r.MaxLength < 0 || r.MaxLength > MaxValue || r.MaxLength != 0 && r.MaxLength < r.MinLength:
		return "max_length", fmt.Sprintf("is min_length to %d", MaxValue)
	case r.MaxSize < 0 || r.MaxSize > MaxFile:
		return "max_size", fmt.Sprintf("is at most %d bytes", MaxFile)
	}
	for where, limit := range map[string]Limit{"min": r.Min, "max": r.Max} {
		if limit != "" && !f.reads(string(limit)) {
			return where, fmt.Sprintf("is not a valid %s", f.Type)
		}
	}
	if r.Min != "" && r.Max != "" && f.compare(string(r.Min), string(r.Max)) > 0 {
		return "max", "is below min"
	}
	if r.Pattern != "" {
		if _, err := compile(r.Pattern); err != nil {
			return "pattern", err.Error()
		}
	}
	return "", ""
}

// MaxSize returns the maximum size of a file of the field in bytes.
func (f *Field) MaxSize() int64 {
	if f.Rules.MaxSize > 0 {
		return f.Rules.MaxSize
	}
	return MaxFile
}

// reads reports whether a text is a valid value of a field with min and max.
func (f *Field) reads(text string) bool {
	if f.Type == Date {
		day, err := time.Parse(time.DateOnly, text)
		return err == nil && day.Year() > 0
	}
	return len(text) <= maxNumber && numberLike.MatchString(text)
}

// compare compares two values of a field with min and max.
func (f *Field) compare(a, b string) int {
	if f.Type == Date {
		return strings.Compare(a, b)
	}
	return decimal(a).Cmp(decimal(b))
}

func decimal(text string) *big.Rat {
	n, ok := new(big.Rat).SetString(strings.Replace(text, ",", ".", 1))
	if !ok {
		return new(big.Rat)
	}
	return n
}

// Refused is a value that a form does not accept: its field and the violated rule.
type Refused struct {
	Field string
	Rule  Rule
	Limit string // of the rule, if it has one
}

// Rule is the reason why a value is refused.
type Rule string

// The rules: required, the type itself, an option, and those of Rules.
const (
	Required  Rule = "required"
	Type      Rule = "type"
	Option    Rule = "options"
	MinLength Rule = "min_length"
	MaxLength Rule = "max_length"
	Form      Rule = "pattern"
	Min       Rule = "min"
	Max       Rule = "max"
	MaxSize   Rule = "max_size"
)

// messages has the messages of the rules, for the API.
var messages = map[Rule]string{
	Required: "is required", Option: "is not one of the options", MinLength: "has fewer characters than", MaxLength: "has more than",
	Form: "does not match the required format", Min: "is below", Max: "is above", MaxSize: "has more bytes than",
}

// nouns names the valid values of a kind.
var nouns = map[Kind]string{
	Email: "an e-mail address", Phone: "a phone number", Number: "a number", Date: "a date like 2026-12-31", File: "a file that this form accepts",
	Checkbox: "a tick: yes or nothing", Consent: "a tick: yes or nothing",
}

// Says returns the message for a refused value of the field.
func (f *Field) Says(r Refused) string {
	text := f.Name + " "
	switch r.Rule {
	case Type:
		return text + "is not " + nouns[f.Type]
	case MaxLength:
		return text + "has more than " + r.Limit + " characters"
	}
	text += messages[r.Rule]
	if r.Limit != "" {
		text += " " + r.Limit
	}
	return text
}

// Read validates a value and returns it in the form to be stored, "" for none. refused is nil for
// a valid value. For a file it only checks whether one is required.
func (f *Field) Read(value string) (kept string, refused *Refused) {
	value = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(value))
	if (f.Type == Checkbox || f.Type == Consent) && !f.Ticked(value) {
		value = ""
	}
	if value == "" {
		if f.Required {
			return "", &Refused{f.Name, Required, ""}
		}
		return "", nil
	}
	if rule, limit := f.breaks(value); rule != "" {
		return "", &Refused{f.Name, rule, limit}
	}
	return value, nil
}

// Ticked reports whether a value means that a box is checked.
func (f *Field) Ticked(value string) bool { return value != "" && !unticked[strings.ToLower(value)] }

// unticked lists the values that programs send for an unchecked box.
var unticked = map[string]bool{"false": true, "no": true, "off": true, "0": true}

// breaks returns the first rule that a value violates, and its limit.
func (f *Field) breaks(value string) (Rule, string) {
	units, r := Units(value), f.Rules
	most := MaxValue
	if r.MaxLength > 0 {
		most = r.MaxLength
	}
	switch {
	case units > most:
		return MaxLength, fmt.Sprint(most)
	case f.Type == Email && !IsEmail(value),
		f.Type == Phone && !IsPhone(value),
		(f.Type == Number || f.Type == Date) && !f.reads(value),
		(f.Type == Checkbox || f.Type == Consent) && units > maxLabel:
		return Type, ""
	case (f.Type == Select || f.Type == Radio) && !slices.Contains(f.Options, value):
		return Option, ""
	case units < r.MinLength:
		return MinLength, fmt.Sprint(r.MinLength)
	case r.Min != "" && f.compare(value, string(r.Min)) < 0:
		return Min, string(r.Min)
	case r.Max != "" && f.compare(value, string(r.Max)) > 0:
		return Max, string(r.Max)
	}
	if r.Pattern != "" {
		pattern, err := compile(r.Pattern)
		if err != nil || !pattern.matches(value) {
			return Form, ""
		}
	}
	return "", ""
}

// IsPhone reports whether a text may be a phone number, in any format.
func IsPhone(text string) bool {
	return len(text) <= maxPhone && phoneLike.MatchString(text) && digits(text) >= minDigits
}

// PhonePattern is the pattern of a phone number for browsers.
const PhonePattern = `[^\p{L}]*`

func digits(text string) (n int) {
	for _, r := range text {
		if r >= '0' && r <= '9' {
			n++
		}
	}
	return n
}

// Units returns the length of a text as browsers count it.
func Units(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// Pattern returns the pattern for browsers, "" for none. It also accepts surrounding spaces,
// since those are trimmed.
func (f *Field) Pattern() string {
	switch {
	case f.Rules.Pattern != "":
		if p, err := compile(f.Rules.Pattern); err == nil && p.script != "" {
			return `\s*(?:` + p.script + `)\s*`
		}
		return ""
	case f.Type == Number:
		return `\s*-?[0-9]+([.,][0-9]+)?\s*`
	case f.Type == Phone:
		return PhonePattern
	}
	return ""
}

// MaxLength returns the maximum number of characters for browsers.
func (f *Field) MaxLength() int {
	if f.Rules.MaxLength > 0 {
		return f.Rules.MaxLength
	}
	return MaxValue
}

// TooLarge returns the refusal of a file that exceeds the field's maximum size.
func (f *Field) TooLarge() Refused { return Refused{f.Name, MaxSize, fmt.Sprint(f.MaxSize())} }

// IsEmail reports whether a text can be an e-mail address.
func IsEmail(text string) bool { return len(text) <= maxEmail && emailLike.MatchString(text) }
