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

const minDigits = 3 // of a phone number, which people write in many ways

// checkRules answers which rule makes no sense, and why.
func (f *Field) checkRules(kind has) (where, why string) {
	r := &f.Rules
	switch {
	case !kind.length && (r.MinLength != 0 || r.MaxLength != 0 || r.Pattern != ""):
		return "", fmt.Sprintf("min_length, max_length and pattern are no rules of %s", f.Type)
	case !kind.limits && (r.Min != "" || r.Max != ""):
		return "", fmt.Sprintf("min and max are no rules of %s", f.Type)
	case !kind.size && r.MaxSize != 0:
		return "max_size", fmt.Sprintf("is no rule of %s", f.Type)
	case r.MinLength < 0 || r.MinLength > MaxValue:
		return "min_length", fmt.Sprintf("is 0 to %d", MaxValue)
	case r.MaxLength < 0 || r.MaxLength > MaxValue || r.MaxLength != 0 && r.MaxLength < r.MinLength:
		return "max_length", fmt.Sprintf("is min_length to %d", MaxValue)
	case r.MaxSize < 0 || r.MaxSize > MaxFile:
		return "max_size", fmt.Sprintf("is at most %d bytes", MaxFile)
	}
	for where, limit := range map[string]Limit{"min": r.Min, "max": r.Max} {
		if limit != "" && !f.reads(string(limit)) {
			return where, fmt.Sprintf("is no %s", f.Type)
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

// MaxSize is how many bytes a file of the field has at most.
func (f *Field) MaxSize() int64 {
	if f.Rules.MaxSize > 0 {
		return f.Rules.MaxSize
	}
	return MaxFile
}

// reads reports whether a text is a value of a field with limits.
func (f *Field) reads(text string) bool {
	if f.Type == Date {
		day, err := time.Parse(time.DateOnly, text)
		return err == nil && day.Year() > 0
	}
	return len(text) <= maxNumber && numberLike.MatchString(text)
}

// compare compares two values of a field with limits.
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

// Refused is a value that a form does not take: of which field, and by which rule.
type Refused struct {
	Field string
	Rule  Rule
	Limit string // of the rule, where it has one
}

// Rule is why a value is refused.
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

// says are the rules in words, for the API.
var says = map[Rule]string{
	Required: "is required", Option: "is none of the options", MinLength: "has fewer characters than", MaxLength: "has more than",
	Form: "is not of the form that is asked for", Min: "is below", Max: "is above", MaxSize: "has more bytes than",
}

// nouns are what a value of a kind is no.
var nouns = map[Kind]string{
	Email: "e-mail address", Phone: "phone number", Number: "number", Date: "date of the form 2026-12-31", File: "file that this form takes",
	Checkbox: "tick: yes or nothing", Consent: "tick: yes or nothing",
}

// Says is why the value of a field is refused.
func (f *Field) Says(r Refused) string {
	text := f.Name + " "
	switch r.Rule {
	case Type:
		return text + "is no " + nouns[f.Type]
	case MaxLength:
		return text + "has more than " + r.Limit + " characters"
	}
	text += says[r.Rule]
	if r.Limit != "" {
		text += " " + r.Limit
	}
	return text
}

// Read holds a value to its field and answers it as it is kept; "" is none. refused
// is nil for a value that is taken. Of a file it says only whether there has to be
// one.
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

// Ticked reports whether a box with a value has its tick.
func (f *Field) Ticked(value string) bool { return value != "" && !unticked[strings.ToLower(value)] }

// unticked is how programs write a box without a tick.
var unticked = map[string]bool{"false": true, "no": true, "off": true, "0": true}

// breaks answers the first rule that a value breaks, and its limit.
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

// IsPhone reports whether a text can be a phone number, however it is written.
func IsPhone(text string) bool {
	return len(text) <= maxPhone && phoneLike.MatchString(text) && digits(text) >= minDigits
}

// PhonePattern is what browsers hold a phone number to.
const PhonePattern = `[^\p{L}]*`

func digits(text string) (n int) {
	for _, r := range text {
		if r >= '0' && r <= '9' {
			n++
		}
	}
	return n
}

// Units is how long browsers say a text is.
func Units(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// Pattern is what browsers hold a value to, "" for nothing. They let spaces around
// it pass as well, since those are cut off.
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

// MaxLength is the most characters that browsers let in.
func (f *Field) MaxLength() int {
	if f.Rules.MaxLength > 0 {
		return f.Rules.MaxLength
	}
	return MaxValue
}

// TooLarge is the refusal of a file that has more bytes than the field takes.
func (f *Field) TooLarge() Refused { return Refused{f.Name, MaxSize, fmt.Sprint(f.MaxSize())} }

// IsEmail reports whether a text can be an e-mail address.
func IsEmail(text string) bool { return len(text) <= maxEmail && emailLike.MatchString(text) }
