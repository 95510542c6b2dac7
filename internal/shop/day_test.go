package shop

import (
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"
)

func TestDaysFollowTheShopsTimeZone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ at, zone, day string }{
		{"2026-11-24T23:59:59Z", "UTC", "2026-11-24"},
		{"2026-11-24T23:59:59Z", "Asia/Tokyo", "2026-11-25"},
		{"2026-11-24T04:59:59Z", "America/New_York", "2026-11-23"},
		{"2026-11-24T10:00:00Z", "Pacific/Kiritimati", "2026-11-25"},
		{"2026-11-24T10:00:00Z", "Pacific/Pago_Pago", "2026-11-23"},
		{"2026-03-28T22:59:59Z", "Europe/Berlin", "2026-03-28"}, // before the clocks change
		{"2026-03-29T21:59:59Z", "Europe/Berlin", "2026-03-29"}, // a day of 23 hours
		{"2026-03-29T22:00:00Z", "Europe/Berlin", "2026-03-30"},
		{"2026-10-25T22:59:59Z", "Europe/Berlin", "2026-10-25"}, // a day of 25 hours
		{"2026-10-25T23:00:00Z", "Europe/Berlin", "2026-10-26"},
		{"1969-12-31T12:00:00Z", "UTC", "1969-12-31"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := DayOf(at, Clock(c.zone)).String(); got != c.day {
			t.Errorf("%s in %s is %s, want %s", c.at, c.zone, got, c.day)
		}
	}
	for _, name := range []string{"", "Local", "Mars/Olympus", "../etc/passwd"} {
		if Clock(name) != time.UTC {
			t.Errorf("%q was accepted as a time zone", name)
		}
	}
}

func TestDaysAreSpelledOneWay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "2026-1-2", "2026-02-30", "20260102", "2026-01-02T00:00:00Z", " 2026-01-02", "2026-01-02 ", "+2026-01-02", "２０２６-01-02", "0x7e-01-02"} {
		if d, ok := ParseDay(text); ok {
			t.Errorf("%q was parsed as %s", text, d)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := Day(rapid.Int32Range(-700_000, 2_900_000).Draw(t, "day"))
		if again, ok := ParseDay(d.String()); !ok || again != d {
			t.Errorf("%d is printed as %s and parsed as %d", d, d, again)
		}
		if w := d.Week(); w > d || d-w > 6 || w.Date().Weekday() != time.Monday {
			t.Errorf("%s is in the week of %s", d, w)
		}
		if m := d.Month(); m > d || d-m > 30 || m.Date().Day() != 1 {
			t.Errorf("%s is in the month of %s", d, m)
		}
	})
}
