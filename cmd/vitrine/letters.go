package main

import (
	"context"
	"fmt"
	"time"
)

type lettersCmd struct {
	Limit int `default:"100" help:"How many, the newest first; at most 1000."`
}

// Run prints the letters about accounts whose time is not over: what they tell
// opens accounts, so this is for the operator alone.
func (c *lettersCmd) Run(ctx context.Context, s *Settings) error {
	if c.Limit < 1 || c.Limit > 1000 {
		return fmt.Errorf("--limit is 1 to 1000")
	}
	return operate(ctx, s, func(o *operator) (any, error) {
		letters, err := o.db.Letters(ctx, time.Now(), c.Limit)
		return map[string]any{"letters": letters}, err
	})
}
