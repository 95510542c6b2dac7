package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// The rate limit of log lines with the same message: a burst, then one line per interval.
const (
	linesAtOnce = 20
	lineEvery   = time.Second
)

// limitedLog is a log handler that prevents one message from flooding the log: a failure that
// repeats with each request is logged a few times, and then once a second with the number of
// lines left out. Lines below the level warn are never held back: emails among them contain
// codes that a person is waiting for.
type limitedLog struct {
	slog.Handler
	counts *lineCounts
}

// lineCounts counts the lines written of each message. There are as many messages as logging
// calls in the program.
type lineCounts struct {
	mu        sync.Mutex
	byMessage map[string]*lineCount
}

type lineCount struct {
	pace    *rate.Limiter
	leftOut int
}

func newLimitedLog(h slog.Handler) limitedLog {
	return limitedLog{h, &lineCounts{byMessage: map[string]*lineCount{}}}
}

func (t limitedLog) Handle(ctx context.Context, r slog.Record) error {
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

// take reports whether to write a line, and how many lines were left out since the last one.
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

func (t limitedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return limitedLog{t.Handler.WithAttrs(attrs), t.counts}
}

func (t limitedLog) WithGroup(name string) slog.Handler {
	return limitedLog{t.Handler.WithGroup(name), t.counts}
}
