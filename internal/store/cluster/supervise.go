package cluster

import (
	"context"
	"fmt"
	"time"
)

// Times of the supervision. A server that dies is restarted at once; one that does not stay
// up, for example because its disk is full, after pauses that double from firstPause to
// longestPause. After it has run for steady the pauses start over.
const (
	checkEvery   = 100 * time.Millisecond
	firstPause   = 500 * time.Millisecond
	longestPause = 5 * time.Second
	steady       = 30 * time.Second
)

// Supervise restarts the server whenever it dies, until ctx ends: killed, stopped by
// somebody else, or ended after its disk was full. Each process that uses the cluster may
// supervise it; start.lock lets one of them start it, and the others find it running. Call
// it after Start, and end it before Stop.
func (c *Cluster) Supervise(ctx context.Context) {
	var back time.Time // when it last came back
	wait := time.Duration(0)
	for sleep(ctx, checkEvery) {
		lives, err := c.home.postmasterLives()
		if err == nil && lives {
			continue
		}
		if time.Since(back) > steady {
			wait = 0
		}
		diedAt := time.Now()
		c.log.Error("the private PostgreSQL server is gone, and is started again", "dir", c.home.path, "pause", wait, "error", err)
		for !back.After(diedAt) {
			if !sleep(ctx, wait) {
				return
			}
			wait = min(max(2*wait, firstPause), longestPause)
			if err := c.restart(ctx); err == nil {
				back = time.Now()
			} else if ctx.Err() == nil {
				c.log.Error("the private PostgreSQL server does not start", "pause", wait, "error", err)
			}
		}
		c.log.Info("the private PostgreSQL server is back", "dir", c.home.path, "took_ms", back.Sub(diedAt).Milliseconds())
	}
}

// sleep waits for d, and reports false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

// restart returns when a server accepts connections, whichever process started it.
func (c *Cluster) restart(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	start, err := c.home.lock(ctx, startLock, exclusive)
	if err != nil {
		return err
	}
	defer start.release()
	if err := c.reapDead(ctx); err != nil {
		return err
	}
	return c.awaitServer(ctx)
}

// reapDead reaps a dead server of this process, once its backends have ended too: they notice
// late, and no other server can start before.
func (c *Cluster) reapDead(ctx context.Context) error {
	for polls := 1; c.serverCmd != nil; polls++ {
		file, _, err := c.home.pidFile()
		if err != nil {
			return err
		}
		lives, err := c.home.postmasterLives()
		if err != nil {
			return err
		}
		running, err := c.home.running()
		if err != nil {
			return err
		}
		switch {
		case lives && file.pid == c.serverCmd.Process.Pid:
			return nil
		case lives || !running: // another process has started one, or none has
			return c.reap()
		case polls%pollsPerLine == 0:
			c.log.Warn("still waiting for processes of the private PostgreSQL server that died", "dir", c.home.path)
		}
		if err := pause(ctx); err != nil {
			return fmt.Errorf("processes of the server in %s that died are still at work: %w", c.home.path, err)
		}
	}
	return nil
}
