package secret

import (
	"log/slog"
	"regexp"
)

// spelled is how secrets look that stand in addresses and headers: the prefixed
// ones, whole or cut, and the token of a preview.
var spelled = regexp.MustCompile(`\b(v[tsu]_)[0-9A-Za-z]{12,}|\b(\d+-\d+-\d+-\d+-)[0-9a-f]{12,64}`)

// Mask takes the secrets out of a text that is written down, such as the path of
// an upload address; what kind of secret stood there stays.
func Mask(text string) string { return spelled.ReplaceAllString(text, "$1$2…") }

// MaskAttr is Mask for the lines of a log (slog.HandlerOptions.ReplaceAttr).
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
