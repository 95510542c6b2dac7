package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Of one message so many lines are written at once, and then one every so often.
const (
	linesAtOnce = 20
	lineEvery   = time.Second
)

// thrifty is a log in which no message floods the others: what fails with each
// request is told a few times, and then once a second with the number of lines
// that were left out. What is no complaint is never held back: letters among it hold
// codes that somebody waits for.
type thrifty struct {
	slog.Handler
	counts *lineCounts
}

// lineCounts are what was written of each message, which are as many as the
// program has calls that log.
type lineCounts struct {
	mu        sync.Mutex
	byMessage map[string]*lineCount
}

type lineCount struct {
	pace    *rate.Limiter
	leftOut int
}

func newThrifty(h slog.Handler) thrifty {
	return thrifty{h, &lineCounts{byMessage: map[string]*lineCount{}}}
}

func (t thrifty) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return t.Handler.Handle(ctx, r)
	}
	write, leftOut := t.counts.take(r)
	if !write {
		return nil
	}
	if leftOut > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("left_out", leftOut))
	}
	return t.Handler.Handle(ctx, r)
}

// take reports whether a line is written, and how many were not since the last.
func (c *lineCounts) take(r slog.Record) (write bool, leftOut int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.byMessage[r.Message]
	if n == nil {
		n = &lineCount{pace: rate.NewLimiter(rate.Every(lineEvery), linesAtOnce)}
		c.byMessage[r.Message] = n
	}
	if !n.pace.AllowN(r.Time, 1) {
		n.leftOut++
		return false, 0
	}
	leftOut, n.leftOut = n.leftOut, 0
	return true, leftOut
}

func (t thrifty) WithAttrs(attrs []slog.Attr) slog.Handler {
	return thrifty{t.Handler.WithAttrs(attrs), t.counts}
}

func (t thrifty) WithGroup(name string) slog.Handler {
	return thrifty{t.Handler.WithGroup(name), t.counts}
}
