package sitefile

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"vitrine/compile/feed"
	"vitrine/internal/shop"
)

// Refusals of invalid input for site files (document 3, section 7).
var (
	errFilesForbidden = shop.Refuse(shop.PermissionDenied, "SITE_FILES_FORBIDDEN").When("the person is neither owner nor administrator")
	errFileName       = shop.Refuse(shop.InvalidArgument, "SITE_FILE_NAME_INVALID").When("name is not 1 to 120 characters of A-Z a-z 0-9 . _ - with an allowed extension")
	errFileReserved   = shop.Refuse(shop.InvalidArgument, "SITE_FILE_PATH_RESERVED").When("the name is reserved by the platform at the root of the host")
	errFileTemplate   = shop.Refuse(shop.InvalidArgument, feed.CodeInvalid).When("the body is not a valid template; line contains the position")
	errFileBodySize   = shop.Refuse(shop.InvalidArgument, feed.CodeTooLarge).When("body is longer than 65,536 bytes")
	errFileBodyText   = shop.Refuse(shop.InvalidArgument, feed.CodeNotUTF8).When("body is not UTF-8 text without NUL")
	errPreviewLimited = shop.Refuse(shop.ResourceExhausted, "SITE_FILE_PREVIEW_RATE_LIMITED").When("more than 30 previews in this minute, or no render slot became free within 3 seconds")
)

// maxNameSent is the length above which a name is refused as a field (document 3, section 7).
const maxNameSent = 130

var fileName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,120}\.(xml|yml|csv|txt|json|jsonl|html)$`)

// checkName validates the name of a file, sent in the given field.
func checkName(field, name string) error {
	if len(name) > maxNameSent {
		return shop.ErrInvalidRequest.At(field).With("at most 130 characters")
	}
	if !fileName.MatchString(name) {
		return errFileName.At(field).With(name)
	}
	return nil
}

// reservedNames are the files at the root that the platform serves itself, in lower case; a
// trailing star matches any suffix.
var reservedNames = []string{"robots.txt", "sitemap.xml", "yandex-token.html", "favicon.*", "icon*", "indexnow-key.txt"}

// checkPlace validates the name of a file for its section.
func checkPlace(category shop.CategoryID, name string) error {
	if category != 0 {
		return nil
	}
	folded := strings.ToLower(name)
	for _, reserved := range reservedNames {
		start, open := strings.CutSuffix(reserved, "*")
		if folded == reserved || open && strings.HasPrefix(folded, start) {
			return errFileReserved.At("name").With(name)
		}
	}
	return nil
}

// checkBody validates the body of a file by compiling it.
func checkBody(name, body string) error {
	if strings.ContainsRune(body, 0) {
		return errFileBodyText.At("body")
	}
	_, problems := feed.Compile(name, body)
	if len(problems) == 0 {
		return nil
	}
	first := problems[0]
	switch first.Code {
	case feed.CodeTooLarge:
		return errFileBodySize.At("body")
	case feed.CodeNotUTF8:
		return errFileBodyText.At("body")
	}
	return errFileTemplate.At("body").With(first.Error()).WithField("line", first.Line)
}

// sectionOf converts the id of a section; a negative one is refused as a field.
func sectionOf(id shop.Int64) (shop.CategoryID, error) {
	if id < 0 {
		return 0, shop.ErrInvalidRequest.At("category_id").With("0 or the id of a section")
	}
	if int64(int32(id)) != int64(id) {
		return 0, errNoSection
	}
	return shop.CategoryID(id), nil
}

// errNoSection is returned for an id that no section can have.
var errNoSection = errors.New("no such section")

func lineError(p feed.Problem) fileProblem {
	return fileProblem{Line: p.Line, Message: p.Message, Code: p.Code}
}

// fileProblem is an entry of errors[].
type fileProblem struct {
	Line    int    `json:"line" doc:"line of the template, starting at 1; 0 if unknown"`
	Message string `json:"message"`
	Code    string `json:"code"`
}

// fileWarning is an entry of warnings[].
type fileWarning struct {
	fileProblem
	ProductID shop.Int64 `json:"product_id" doc:"0 if it does not concern a product"`
}

func limitReached(limit int64) string { return fmt.Sprintf("the plan allows %d site files", limit) }
