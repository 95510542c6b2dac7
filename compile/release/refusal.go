package release

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// Refusals of releases with codes from the specification (document 3, section 7).
var (
	// ErrInvalid is 422 with the field report; Report.Refusal fills it in.
	ErrInvalid = shop.Refuse(shop.InvalidArgument, "RELEASE_INVALID").When("the release does not compile; report explains why").WithStatus(422)
	// ErrFilesPending is 409: a file of the manifest has not been uploaded yet.
	ErrFilesPending = shop.Refuse(shop.FailedPrecondition, "FILES_PENDING").When("files of the release have not arrived; pending lists them").WithStatus(409)
	// ErrUseRelease refuses writing content directly instead of through releases.
	ErrUseRelease = shop.Refuse(shop.FailedPrecondition, "HTML_PROJECT_USE_RELEASE").When("content was sent; it comes by releases only")
	// ErrScriptRole refuses people who are neither owner nor admin (document 3, 2.3).
	ErrScriptRole = shop.Refuse(shop.PermissionDenied, "HTML_SCRIPT_ROLE_REQUIRED").When("the person is neither owner nor admin")
)

// Refusals of releases for which the specification gives no code.
var (
	// ErrInUse refuses the deletion of a release that is active in a contour.
	ErrInUse = shop.Refuse(shop.FailedPrecondition, "RELEASE_IN_USE").When("the release is live, or the one of the draft").WithField("in_use", true)
	// ErrNotLive refuses a production rollback to a release that was only ever a draft.
	ErrNotLive = shop.Refuse(shop.FailedPrecondition, "RELEASE_NOT_LIVE").When("the release was never live").WithField("was_live", false)
	// ErrBase refuses a base that is neither "active", "none" nor a release id.
	ErrBase = shop.Refuse(shop.InvalidArgument, "RELEASE_BASE_INVALID").When("base is not active, none or the id of a release of the document")
	// ErrPath refuses a path that no release may contain; field path.
	ErrPath = shop.Refuse(shop.InvalidArgument, "RELEASE_PATH_INVALID").When("the path of a file is not allowed")
	// ErrConflict refuses two paths that cannot be in one release; field path.
	ErrConflict = shop.Refuse(shop.InvalidArgument, "RELEASE_PATH_CONFLICT").When("two files have one path")
	// ErrFile refuses a file row with an invalid sha256 or size; field path.
	ErrFile = shop.Refuse(shop.InvalidArgument, "RELEASE_FILE_INVALID").When("a file has no proper hash or size")
	// ErrTooLarge refuses too many bytes, files or entries (document 3, section 8).
	ErrTooLarge = shop.Refuse(shop.InvalidArgument, "RELEASE_TOO_LARGE").When("the release has too many files or bytes")
	// ErrEmpty refuses a release without files.
	ErrEmpty = shop.Refuse(shop.InvalidArgument, "RELEASE_EMPTY").When("the release has no files")
	// ErrZip refuses an archive that is broken or not a plain ZIP; field path if a single entry
	// is at fault.
	ErrZip = shop.Refuse(shop.InvalidArgument, "ZIP_INVALID").When("the body is not a readable ZIP archive")
)

// about names a path in a refusal: quoted in the detail, and as it is in the field path. Paths
// are client input of any length, so both are truncated.
func about(r *shop.Refusal, path, why string) error {
	return r.With(quote(path)+" "+why).WithField("path", strings.ToValidUTF8(cut(path), "\ufffd"))
}

// quote formats a path on one line.
func quote(path string) string { return strconv.Quote(cut(path)) }

// cut truncates a path to at most 120 bytes of whole characters.
func cut(path string) string {
	const most = 120
	if len(path) <= most {
		return path
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(path[end]) {
		end--
	}
	return path[:end] + "…"
}
