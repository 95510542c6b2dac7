package form_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// After any sequence of sends, moves, deletes and sweeps: the bytes counted for the shop are
// those of the remaining files, each lead that is not spam was reported exactly once, and no more
// spam and tests are kept than allowed.
func TestCountedBytesAndEventsMatchTheStoredLeads(t *testing.T) {
	h := newFixture(t, field("words", "text", false), m{"name": "cv", "type": "file"})
	random := rand.New(rand.NewPCG(1, 2))
	var leads []string
	var waiting []string
	sizes := map[string]int64{} // of files by lead
	for step := range 400 {
		h.Clock.Advance(time.Duration(random.IntN(20)) * time.Second)
		from := fmt.Sprintf("198.51.100.%d", random.IntN(200))
		switch random.IntN(8) {
		case 0, 1:
			if got := h.upload(from, "a.pdf", pdf+strings.Repeat("x", random.IntN(5))); got.Status == 200 {
				waiting = append(waiting, h.id(got))
			}
		case 2, 3, 4:
			values, more := m{"words": fmt.Sprint(random.IntN(300))}, m{}
			if random.IntN(3) == 0 {
				more["trap"] = "x"
			}
			if len(waiting) > 0 && random.IntN(2) == 0 {
				values["cv"], waiting = waiting[0], waiting[1:]
			}
			if got := h.send(from, values, more); got.Status == 200 {
				leads = append(leads, h.lead(got)["id"].(string))
			}
		case 5:
			if len(leads) > 0 {
				h.Call("PUT", "/form-leads/"+leads[random.IntN(len(leads))], h.Owner, m{"status": []string{"new", "seen", "done", "spam"}[random.IntN(4)]})
			}
		case 6:
			if len(leads) > 0 && random.IntN(3) == 0 {
				h.Call("DELETE", "/form-leads/"+leads[random.IntN(len(leads))], h.Owner, nil)
			}
		case 7:
			h.Call("POST", "/forms/"+h.form+"/test", h.Owner, m{})
			if step%40 == 0 {
				h.round()
			}
		}
	}
	h.Clock.Advance(2 * time.Hour)
	h.round() // no file is in quarantine any more
	told := map[string]int{}
	for id := range strings.SplitSeq(h.reported(), ", ") {
		told[strings.TrimSuffix(id, " test")]++
	}
	left, spam, tests := 0, 0, 0
	for page := 1; ; page++ {
		items := h.Result("GET", fmt.Sprintf("/form-leads?page.limit=100&page.number=%d", page), h.Owner, nil)["items"].(l)
		for _, one := range items {
			lead := one.(m)
			id := lead["id"].(string)
			left++
			if lead["status"] == "spam" {
				spam++
			} else if told[id] != 1 {
				t.Errorf("the lead %s was reported %d times", id, told[id])
			}
			if lead["test"] == true {
				tests++
			}
			for _, file := range lead["files"].(l) {
				sizes[fmt.Sprint(file.(m)["size"])] += 1
			}
		}
		if len(items) < 100 {
			break
		}
	}
	var want int64
	for size := range sizes { // files of equal size have equal bytes here, which count once
		var n int64
		if _, err := fmt.Sscan(size, &n); err != nil {
			t.Fatal(err)
		}
		want += n
	}
	if used, pending := h.used(); used != want || pending != 0 {
		t.Errorf("%d bytes are counted, %d pending; the remaining files have %d", used, pending, want)
	}
	for id, times := range told {
		if times != 1 && id != "" {
			t.Errorf("%s was reported %d times", id, times)
		}
	}
	if left == 0 || spam == 0 || tests == 0 || len(sizes) == 0 || spam > 500 || tests > 100 {
		t.Errorf("%d leads, %d spam, %d tests, %d files: too few, or too many", left, spam, tests, len(sizes))
	}
}
