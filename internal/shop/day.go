package shop

import (
	"sync"
	"time"
)

// Day is a calendar day in a shop's time zone, in days since 1970-01-01. A day has 24
// hours, or 23 or 25 when the clocks change.
type Day int32

// DayOf returns the day of a moment in a time zone.
func DayOf(at time.Time, loc *time.Location) Day {
	y, m, d := at.In(loc).Date()
	return Day(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// ParseDay parses 2026-11-24, and no other format.
func ParseDay(text string) (Day, bool) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil || len(text) != len(time.DateOnly) {
		return 0, false
	}
	return DayOf(at, time.UTC), true
}

// String returns the day in the format of ParseDay.
func (d Day) String() string { return d.Date().Format(time.DateOnly) }

// Date returns midnight UTC of the day, the representation in date columns.
func (d Day) Date() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// Week returns the Monday of the day's week.
func (d Day) Week() Day { return d - Day((int(d.Date().Weekday())+6)%7) }

// Month returns the first day of the day's month.
func (d Day) Month() Day { return d - Day(d.Date().Day()-1) }

var clocks sync.Map // cache of time zones by name: each is read from a file once

// Clock returns the time zone of a shop by name; UTC for an unknown name.
func Clock(name string) *time.Location {
	if cached, ok := clocks.Load(name); ok {
		return cached.(*time.Location)
	}
	loc, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return time.UTC
	}
	clocks.Store(name, loc)
	return loc
}
