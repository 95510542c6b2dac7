package admin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api/apitest"
	"vitrine/admin/openapi"
)

// spoiled is a body in which one value was replaced by an invalid one.
type spoiled struct {
	place string
	value any
	body  any
}

// spoil returns the bodies that differ from v in one value.
func spoil(v any, place string, put func(any) any) (list []spoiled) {
	add := func(values ...any) {
		for _, value := range values {
			list = append(list, spoiled{place, value, put(value)})
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, spoil(v[name], strings.TrimPrefix(place+"."+name, "."), func(value any) any {
				copied := maps.Clone(v)
				copied[name] = value
				return put(copied)
			})...)
		}
		add([]any{7}, 7)
	case []any:
		for n := range v[:min(len(v), 2)] {
			list = append(list, spoil(v[n], fmt.Sprintf("%s[%d]", place, n), func(value any) any {
				copied := slices.Clone(v)
				copied[n] = value
				return put(copied)
			})...)
		}
		if len(v) > 0 {
			add(slices.Concat(v, v), map[string]any{"x": 7})
		}
	case float64:
		add(-1, 1<<40, 0.5, "?!")
	case bool:
		add("?!", 7)
	case string:
		if _, err := uuid.Parse(v); err == nil {
			add(uuid.NewString())
		}
		add("?!", " ", 7, []any{})
	}
	return list
}

// otherFields are other fields that the refusal of a field may begin with: the two exclude each
// other, or the field is full by then.
var otherFields = map[string]string{
	"POST /v1/storages/collections/reorder": "ids", "POST /access-policies": "resources", "POST /categories/move": "to_id",
}

// spoiler replays each call of a story with one value replaced at a time, right after the call,
// while the things it refers to still exist.
type spoiler struct {
	*recorder
	minutes int // clock minutes that replayed calls have used
	tried   int
	refused map[string]int // by endpoint
}

// sender makes a call of the story again, with another body.
func (s *spoiler) sender(q apitest.Request) func(body any) apitest.Answer {
	return func(body any) (got apitest.Answer) {
		q := q
		q.Body = body
		// From other addresses, whose limits are not those of the story.
		q.Header = maps.Clone(q.Header)
		if q.Header == nil {
			q.Header = map[string]string{}
		}
		q.Header["X-Forwarded-For"] = fmt.Sprintf("198.51.100.%d", s.tried/20%250)
		s.Clock.Advance(time.Duration(s.minutes) * time.Minute)
		if got = s.Send(q); got.Status == 429 { // retry in the next minute, then set the clock back: the sessions of the story would expire
			s.minutes++
			s.Clock.Advance(time.Minute)
			got = s.Send(q)
		}
		s.Clock.Advance(time.Duration(-s.minutes) * time.Minute)
		return got
	}
}

func (s *spoiler) after(q apitest.Request) {
	body := request(s.t, q.Body)
	if body == nil || q.Method == "DELETE" {
		return
	}
	send := s.sender(q)
	row := s.Row(q.Method, q.Path)
	switch row {
	case "POST /products/{id}/reviews": // a second review replaces the first, whose photo the story uses later
		return
	case "POST /orders/manual": // every call takes units from the stock until none are left
		return
	}
	again := apitest.Code(send(body).JSON)
	for _, one := range spoil(body, "", func(v any) any { return v }) {
		got := send(one.body)
		s.tried++
		if got.Status == 429 {
			s.t.Fatalf("%s: %s", row, got.Body)
		}
		if got.Status < 400 || got.Status == 401 || got.Status == 403 || one.place == "" || apitest.Code(got.JSON) == again {
			continue
		}
		s.refused[row]++
		refusalForm(s.t, row, got)
		said, _ := got.JSON["error"].(string)
		place, _ := got.JSON["place"].(string)
		if place == "" || !strings.HasPrefix(one.place, place) && !strings.HasPrefix(place, one.place) && !(otherFields[row] != "" && strings.HasPrefix(place, otherFields[row])) {
			value, _ := json.Marshal(one.value)
			s.t.Errorf("%s %s = %.60s: %.200s", row, one.place, value, said)
		}
	}
	send(body)
}

// If one value of an otherwise valid call is wrong, the refusal begins with the place of the
// value or of its parent.
func TestARefusalOfOneValueBeginsWithItsPlace(t *testing.T) {
	t.Parallel()
	s := &spoiler{recorder: &recorder{API: apitest.New(t, anyPicture), t: t, calls: map[string]openapi.Recorded{}}, refused: map[string]int{}}
	s.recorder.after = s.after
	s.story()
	if s.tried < 1500 || len(s.refused) < 100 {
		t.Errorf("only %d values were tried, and %d endpoints refused some", s.tried, len(s.refused))
	}
}
