package shop

import (
	"sync"
	"time"
)

// Day is a day of the calendar as a shop's clock shows it, in days since 1970-01-01.
// A day is 24 hours, or 23 or 25 where clocks change.
type Day int32

// DayOf is the day of a moment where the clock is loc's.
func DayOf(at time.Time, loc *time.Location) Day {
	y, m, d := at.In(loc).Date()
	return Day(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// ParseDay reads 2026-11-24, and no other spelling.
func ParseDay(text string) (Day, bool) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil || len(text) != len(time.DateOnly) {
		return 0, false
	}
	return DayOf(at, time.UTC), true
}

// String is the day as ParseDay reads it.
func (d Day) String() string { return d.Date().Format(time.DateOnly) }

// Date is the day's midnight of UTC: what a column of dates takes and gives.
func (d Day) Date() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// Week is the Monday of the day's week.
func (d Day) Week() Day { return d - Day((int(d.Date().Weekday())+6)%7) }

// Month is the first of the day's month.
func (d Day) Month() Day { return d - Day(d.Date().Day()-1) }

var clocks sync.Map // zones that were asked for, by name: each is read from a file once

// Clock is that of a shop, by the name of its time zone; UTC for a name that is none.
func Clock(name string) *time.Location {
	if kept, ok := clocks.Load(name); ok {
		return kept.(*time.Location)
	}
	loc, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return time.UTC
	}
	clocks.Store(name, loc)
	return loc
}
