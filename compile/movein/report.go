package movein

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// ErrChoice refuses an answer that is not among the choices of its question.
var ErrChoice = shop.Refuse(shop.InvalidArgument, "IMPORT_CHOICE_INVALID").When("an answer is not one of the choices of its question")

// report collects what a plan says beside its objects.
type report struct {
	losses    []Loss
	lossOf    map[string]int
	rows      []Row
	questions []Question
	choices   map[string]string
	wrong     error // the first answer that is not a choice
}

// maxDetail bounds the characters of a row's detail.
const maxDetail = 200

// lose reports something that the plan lacks.
func (r *report) lose(at Place, status, what, detail string) {
	r.count(what, 1, detail)
	if len(r.rows) < MaxRows {
		r.rows = append(r.rows, Row{at, status, what, shop.Shorten(shop.OneLine(strings.Clone(detail)), maxDetail)})
	}
}

// count adds to a loss.
func (r *report) count(what string, n int, example string) {
	i, known := r.lossOf[what]
	if !known {
		i = len(r.losses)
		r.lossOf[what] = i
		r.losses = append(r.losses, Loss{What: what, Example: shop.Shorten(shop.OneLine(strings.Clone(example)), maxDetail)})
	}
	r.losses[i].Count += n
}

// ask adds a question, once, and returns the answer or the default.
func (r *report) ask(key, text, fallback string, choices ...string) string {
	for _, q := range r.questions {
		if q.Key == key {
			return q.Chosen
		}
	}
	chosen, given := r.choices[key]
	if chosen = line(strings.ToValidUTF8(chosen, "")); !given {
		chosen = fallback
	}
	if len(choices) > 0 && !slices.Contains(choices, chosen) {
		if r.wrong == nil {
			r.wrong = ErrChoice.With(key + " is one of: " + strings.Join(choices, ", "))
		}
		chosen = fallback
	}
	r.questions = append(r.questions, Question{key, text, choices, fallback, chosen})
	return chosen
}

// answer returns the answer to a question that was asked, or "".
func (r *report) answer(key string) string {
	for _, q := range r.questions {
		if q.Key == key {
			return q.Chosen
		}
	}
	return ""
}
