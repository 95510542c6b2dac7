package main

import (
	"context"
	"fmt"
	"time"
	letterdb "vitrine/internal/store/letter"
)

type lettersCmd struct {
	Limit int `default:"100" help:"Maximum number, newest first; at most 1000."`
}

// Run prints the emails about accounts that have not expired. Their contents give access to
// accounts, so only the operator may see them.
func (c *lettersCmd) Run(ctx context.Context, s *Settings) error {
	if c.Limit < 1 || c.Limit > 1000 {
		return fmt.Errorf("--limit must be 1 to 1000")
	}
	return operate(ctx, s, func(o *operator) (any, error) {
		letters, err := letterdb.PlatformLetters(ctx, o.db.Store, time.Now(), c.Limit)
		return map[string]any{"letters": letters}, err
	})
}
