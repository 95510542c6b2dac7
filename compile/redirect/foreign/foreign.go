// Package foreign parses the redirect rules of other systems and converts them to rules of a
// shop: Netlify's _redirects, nginx's location, rewrite, return and map, Apache's .htaccess
// (document 3, 2.6; CONTRACT, "Redirects").
//
// A line becomes one rule, or several if it has alternatives, when our masks can express it. When
// they can express it only approximately, the row carries a warning: the rule matches more
// addresses than the line did, or fewer. When they cannot (conditions on countries or cookies,
// proxies, regular expressions beyond a star) the row has a reason and no rule. Nothing is
// dropped silently: every line about redirects has a row.
//
//	/news/:year/* /blog/:year/:splat 301!     /news/*/** to /blog/$1/$2, over live pages
//	rewrite ^/shop/(.*)$ /store/$1 permanent; /shop/* to /store with its tail
//	Redirect 301 /about.php /about            /about.php/* to /about with its tail
//
// The package does not know the shop: reserved paths, duplicates and loops are detected when the
// rules are imported.
package foreign

import (
	"errors"
	"strings"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// Format is a kind of file.
type Format string

// The formats that Parse reads.
const (
	Netlify Format = "netlify" // _redirects
	Nginx   Format = "nginx"   // server blocks and maps
	Apache  Format = "apache"  // .htaccess
)

// ErrFormat refuses a format that Parse does not know.
var ErrFormat = errors.New("the format is netlify, nginx or apache")

// MaxText limits the text of one file in bytes.
const MaxText = 4 << 20

// ErrTooLarge refuses a longer text as a whole.
var ErrTooLarge = errors.New("the file is larger than 4 MB")

// Reason explains why a line was not converted to a rule.
type Reason string

// The reasons.
const (
	Malformed   Reason = "malformed"   // violates the grammar of its system
	NotRedirect Reason = "no redirect" // a rewrite, a proxy, a status other than 301, 302, 303, 307, 308
	Condition   Reason = "condition"   // depends on more than the path and one query pair
	Expression  Reason = "expression"  // a regular expression that no mask can express
	OtherHost   Reason = "other host"  // the source is on a host that is not the shop's
	Refused     Reason = "refused"     // the resulting rule is not valid; see Detail
)

// Warning tells how a rule differs from its line.
type Warning string

// The warnings.
const (
	Wider    Warning = "wider"    // a star matches any text, the expression only some
	Narrower Warning = "narrower" // a star stays within a segment, a prefix ends at a segment
)

// Values lists the warnings as texts.
func (Warning) Values() []string { return shop.Texts([]Warning{Wider, Narrower}) }

// Row is a line about redirects.
type Row struct {
	Line    int             // 1-based, where the line begins
	Text    string          // as written, truncated to 200 characters
	Rules   []redirect.Rule // enabled and normalized; none if Reason is set
	Reason  Reason
	Detail  string // for display, with a reason or a warning
	Warning Warning
}

// Site describes the shop that the rules are for.
type Site struct {
	Hosts []string // hosts of the shop; targets on them become paths
}

// Parse parses a file. Its errors are ErrFormat and ErrTooLarge; everything else is reported row
// by row.
func Parse(format Format, text string, site Site) ([]Row, error) {
	if len(text) > MaxText {
		return nil, ErrTooLarge
	}
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\uFEFF")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	r := &report{site: site}
	switch format {
	case Netlify:
		r.netlify(text)
	case Nginx:
		r.nginx(text)
	case Apache:
		r.apache(text)
	default:
		return nil, ErrFormat
	}
	return r.rows, nil
}

const maxShown = 200 // characters of a line

// report collects the rows of a file.
type report struct {
	site Site
	rows []Row
}

// refuse adds a row for a line that is not converted.
func (r *report) refuse(line int, text string, reason Reason, detail string) {
	r.rows = append(r.rows, Row{Line: line, Text: shop.Clip(strings.TrimSpace(text), maxShown), Reason: reason, Detail: detail})
}

// add adds a row for a line that becomes rules, if they are valid.
func (r *report) add(line int, text string, warning Warning, rules ...redirect.Rule) {
	row := Row{Line: line, Text: shop.Clip(strings.TrimSpace(text), maxShown), Warning: warning}
	for _, rule := range rules {
		rule.Enabled = true
		rule.To = r.site.path(rule.To)
		rule.External = strings.Contains(rule.To, "://")
		if rule.From == "/*" && rule.To == "/" {
			r.refuse(line, text, NotRedirect, "sends every address to itself on the shop's own host, as the shop does anyway")
			return
		}
		out, err := redirect.Normalize(rule)
		if err != nil {
			r.refuse(line, text, Refused, err.Error())
			return
		}
		row.Rules = append(row.Rules, out)
	}
	r.rows = append(r.rows, row)
}

// path returns a target on one of the shop's hosts as a path.
func (s Site) path(target string) string {
	host, path, ok := splitOrigin(target)
	if !ok || !s.owns(host) {
		return target
	}
	return path
}

func (s Site) owns(host string) bool {
	for _, own := range s.Hosts {
		if strings.EqualFold(own, host) {
			return true
		}
	}
	return false
}

// splitOrigin splits an absolute http(s) address into its host, without port, and the rest, which
// begins with "/".
func splitOrigin(address string) (host, path string, ok bool) {
	scheme, rest, found := strings.Cut(address, "://")
	if !found || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return "", "", false
	}
	i := strings.IndexAny(rest, "/?#")
	if i < 0 {
		i = len(rest)
	}
	host, path = rest[:i], rest[i:]
	host, _, _ = strings.Cut(host, ":")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return host, path, true
}

// codes maps the redirect statuses to the code stored in a rule.
var codes = map[string]int{"301": 301, "308": 301, "302": 302, "303": 302, "307": 302}

// escapePath escapes text for a source, where % * ? # have a meaning.
func escapePath(text string) string {
	return strings.NewReplacer("%", "%25", "*", "%2A", "?", "%3F", "#", "%23", " ", "%20").Replace(text)
}

// escapeDollar escapes a $ before a digit, which would otherwise be a star reference.
func escapeDollar(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if text[i] == '$' && i+1 < len(text) && '0' <= text[i+1] && text[i+1] <= '9' {
			b.WriteString("%24")
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// ParseExpression converts one regular expression over paths and its target, as plugins of content
// systems have them; rule has what else is known of it.
func ParseExpression(pattern, to string, rule redirect.Rule) Row {
	r := &report{}
	r.expression(0, pattern, pattern, "", to, rule)
	return r.rows[0]
}
