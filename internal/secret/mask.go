package secret

import (
	"log/slog"
	"regexp"
)

// pattern matches secrets in addresses and headers: the prefixed ones, complete or
// truncated, and preview tokens.
var pattern = regexp.MustCompile(`\b(v[tsuacfbp]_)[0-9A-Za-z]{12,}|\b(\d+-\d+-\d+-\d+-)[0-9a-f]{12,64}`)

// Mask removes the secrets from a text for a log, such as the path of an upload address.
// The prefix remains and shows the kind of secret.
func Mask(text string) string { return pattern.ReplaceAllString(text, "$1$2…") }

// MaskAttr is Mask for log attributes (slog.HandlerOptions.ReplaceAttr).
func MaskAttr(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(Mask(a.Value.String()))
	case slog.KindAny:
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(Mask(err.Error()))
		}
	}
	return a
}
