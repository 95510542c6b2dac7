package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// remindersClock returns the clock of the worker that reminds of carts. VITRINE_TEST_CLOCK moves it, so
// that a test need not wait for hours; only a demo may do that.
func (s *Settings) remindersClock() (func() time.Time, error) {
	if s.TestClock == "" {
		return time.Now, nil
	}
	if _, err := os.Stat(filepath.Join(s.DataDir, demoMark)); err != nil {
		return nil, errors.New("VITRINE_TEST_CLOCK is refused: the data dir was not made with --demo")
	}
	shift, err := time.ParseDuration(s.TestClock)
	if err != nil {
		at, wrong := time.Parse(time.RFC3339, s.TestClock)
		if wrong != nil {
			return nil, fmt.Errorf("VITRINE_TEST_CLOCK: expected a duration such as 25h, or a moment such as 2026-05-01T09:00:00Z: %w", err)
		}
		shift = time.Until(at)
	}
	return func() time.Time { return time.Now().Add(shift) }, nil
}
