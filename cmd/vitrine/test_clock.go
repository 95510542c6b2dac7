package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// demoMark is the file of a data dir that was made with --demo.
const demoMark = "demo"

// markDemo marks a data dir that does not exist yet as one of a demo.
func (s *Settings) markDemo() error {
	if _, err := os.Stat(s.DataDir); err == nil {
		return nil
	}
	if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.DataDir, demoMark), nil, 0o600)
}

// clocks returns the clock of the process, and that of its worker that reminds of carts.
// VITRINE_TEST_CLOCK moves the second one, so that a test need not wait for hours, or with file:PATH
// both, by the duration that the file has at that time, as on a machine whose clock is wrong. Only a
// demo may do that.
func (s *Settings) clocks() (now, reminders func() time.Time, err error) {
	if s.TestClock == "" {
		return time.Now, time.Now, nil
	}
	if _, err := os.Stat(filepath.Join(s.DataDir, demoMark)); err != nil {
		return nil, nil, errors.New("VITRINE_TEST_CLOCK is refused: the data dir was not made with --demo")
	}
	if path, ok := strings.CutPrefix(s.TestClock, "file:"); ok {
		now = func() time.Time { return time.Now().Add(shiftIn(path)) }
		return now, now, nil
	}
	shift, err := time.ParseDuration(s.TestClock)
	if err != nil {
		at, wrong := time.Parse(time.RFC3339, s.TestClock)
		if wrong != nil {
			return nil, nil, fmt.Errorf("VITRINE_TEST_CLOCK: expected a duration such as 25h, a moment such as 2026-05-01T09:00:00Z, or file:PATH: %w", err)
		}
		shift = time.Until(at)
	}
	return time.Now, func() time.Time { return time.Now().Add(shift) }, nil
}

// shiftIn returns the duration that a file has; 0 without one.
func shiftIn(path string) time.Duration {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	shift, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil {
		return 0 // it is being written
	}
	return shift
}
