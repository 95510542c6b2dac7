package shop

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ReviewSection is the section of buyers' pictures, the first segment of their storage
// paths. They may be withdrawn, so caches keep them for only a day.
const ReviewSection = "reviews"

// MaxReviewPhotos is how many pictures one review may have.
const MaxReviewPhotos = 5

// Paths at which visitors submit reviews and questions, before the product's id, and mark a
// review as helpful, before the review's id.
const (
	ReviewPrefix   = "/_vitrine/review/"
	QuestionPrefix = "/_vitrine/question/"
	HelpfulPrefix  = "/_vitrine/helpful/"
)

// ReviewPhoto returns the path below FilesPrefix of a shown buyer's picture.
func ReviewPhoto(id string) string { return ReviewSection + "/" + id + ".webp" }

// PublicName returns the name that pages show for a person with this full name: the first
// name and the initial of the last, "Ann B.", for their privacy.
func PublicName(name string) string {
	words := strings.Fields(PlainLine(name))
	if len(words) < 2 {
		return strings.Join(words, " ")
	}
	initial, _ := utf8.DecodeRuneInString(words[len(words)-1])
	return words[0] + " " + string(unicode.ToUpper(initial)) + "."
}

// PlainLine returns a text as one line, without invisible characters, including those that
// change the direction of the surrounding text.
func PlainLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)), " ")
}
