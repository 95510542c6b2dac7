package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// A failure repeated with each request does not flood the log, does not hide other messages,
// and the log reports how many lines were left out.
func TestNoMessageFloodsTheLog(t *testing.T) {
	var out bytes.Buffer
	h := newLimitedLog(
		slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}),
	).WithAttrs([]slog.Attr{slog.String("role", "edge")})
	now := time.Unix(1000, 0)
	say := func(level slog.Level, message string) {
		if err := h.Handle(context.Background(), slog.NewRecord(now, level, message, 0)); err != nil {
			t.Fatal(err)
		}
	}
	for range 10_000 { // a thousand per second
		say(slog.LevelError, "request failed")
		now = now.Add(time.Millisecond)
	}
	say(slog.LevelWarn, "another")
	for range 100 {
		say(slog.LevelDebug, "connection")
		say(slog.LevelInfo, "letter")
	}
	if got := strings.Count(out.String(), "request failed"); got < 29 || got > 31 {
		t.Errorf("%d lines in ten seconds", got)
	}
	if strings.Count(out.String(), "another") != 1 || strings.Count(out.String(), "connection") != 100 ||
		strings.Count(out.String(), "letter") != 100 {
		t.Error("other lines are missing")
	}
	now = now.Add(time.Hour)
	out.Reset()
	for range linesAtOnce {
		say(slog.LevelError, "request failed")
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != linesAtOnce || !strings.Contains(lines[0], "left_out=") || strings.Contains(lines[1], "left_out=") ||
		!strings.Contains(lines[0], "role=edge") {
		t.Errorf("after an hour: %d lines, %s", len(lines), lines[0])
	}
}
