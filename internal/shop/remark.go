package shop

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ReviewSection is the section of files that buyers' pictures stand in, the first
// segment of their addresses. They may be withdrawn, so caches keep them for a day.
const ReviewSection = "reviews"

// MaxReviewPhotos is how many pictures one review has.
const MaxReviewPhotos = 5

// Where visitors say something of a product, before its id, and that a review helped,
// before the review's.
const (
	ReviewPrefix   = "/_vitrine/review/"
	QuestionPrefix = "/_vitrine/question/"
	HelpfulPrefix  = "/_vitrine/helpful/"
)

// ReviewPhoto is the path below FilesPrefix of a buyer's picture that is shown.
func ReviewPhoto(id string) string { return ReviewSection + "/" + id + ".webp" }

// ShownName is what pages call a person whose whole name is this: the first name and
// the initial of the last, "Ann B.". Who reviews what is nobody else's business.
func ShownName(name string) string {
	words := strings.Fields(PlainLine(name))
	if len(words) < 2 {
		return strings.Join(words, " ")
	}
	initial, _ := utf8.DecodeRuneInString(words[len(words)-1])
	return words[0] + " " + string(unicode.ToUpper(initial)) + "."
}

// PlainLine is a text as one line, without the characters that nobody sees and that
// turn what stands around them.
func PlainLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)), " ")
}
