package purge

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/span"
	"vitrine/internal/store"
)

const (
	interval = 250 * time.Millisecond // between two looks at the changes
	settle   = time.Second            // after which every edge has seen a change: they look twice a second
	callTime = 10 * time.Second       // of all requests of one purge
	keepAt   = time.Minute            // how old the stored moment becomes while nothing changes
	maxPause = time.Minute            // between two attempts while a target fails
	maxKeys  = 200                    // of a shop in one purge; with more, all of the shop is purged
	maxLooks = 1000                   // that wait while a target fails; then everything is purged at once
)

// Changes are the keys that changed between two moments.
type Changes = store.ChangedKeys

// empty reports whether nothing changed.
func empty(c Changes) bool { return len(c.Keys) == 0 && len(c.Whole) == 0 && !c.All }

// surrogates returns the surrogate keys of the responses that the changes concern. A change of the
// shop's settings or of its access concerns all of its responses.
func surrogates(c Changes) []string {
	if c.All {
		return []string{shop.AllSurrogates}
	}
	names := map[string]bool{}
	for company := range c.Whole {
		names[shop.Surrogate(company)] = true
	}
	for company, keys := range c.Keys {
		own := map[string]bool{}
		for _, k := range keys {
			switch k.Kind {
			case shop.KeyShop, shop.KeyAccess:
				own[shop.Surrogate(company)] = true
			case shop.KeyCategories, shop.KeyDocument:
				own[shop.FolderSurrogate(company)] = true
			}
			own[k.Surrogate(company)] = true
			own[shop.Key{Kind: k.Kind}.Surrogate(company)] = true // responses built from any of the kind
		}
		if whole := shop.Surrogate(company); names[whole] || own[whole] || len(own) > maxKeys {
			own = map[string]bool{whole: true}
		}
		maps.Copy(names, own)
	}
	return slices.Sorted(maps.Keys(names))
}

// Log is the record of changes, with the moments up to which targets were told.
type Log[Moment any] interface {
	// Claim leases a target to this process, and returns the moment up to which it was told; mine
	// is false while another process has the lease.
	Claim(ctx context.Context, target string) (since Moment, mine bool, err error)
	// After returns what changed since a moment, and the next moment.
	After(ctx context.Context, since Moment) (Changes, Moment, error)
	// Told stores that a target was told up to a moment.
	Told(ctx context.Context, target string, upTo Moment) error
}

// Worker follows the changes for all targets.
type Worker[Moment any] struct {
	Targets []Target
	Log     Log[Moment]
	Do      Do
	Now     func() time.Time

	mu       sync.Mutex
	failures map[string]int // by target
}

// Run tells the targets until the context ends.
func (w *Worker[Moment]) Run(ctx context.Context, log *slog.Logger) {
	var all sync.WaitGroup
	for _, t := range w.Targets {
		all.Go(func() { w.follow(ctx, t, log) })
	}
	all.Wait()
}

// Failures returns how often purges of each target have failed.
func (w *Worker[Moment]) Failures() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.failures)
}

// batch is what changed at one look at the record.
type batch[Moment any] struct {
	Changes
	upTo Moment
	seen time.Time
}

// follower is the state of one target in this process.
type follower[Moment any] struct {
	*Worker[Moment]
	target  Target
	mine    bool
	next    Moment          // where the next look begins
	waiting []batch[Moment] // until the edges have seen them
	kept    time.Time       // when the moment was stored
}

func (w *Worker[Moment]) follow(ctx context.Context, t Target, log *slog.Logger) {
	f := &follower[Moment]{Worker: w, target: t}
	pause, failing := interval, false
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		err := f.step(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			w.mu.Lock()
			if w.failures == nil {
				w.failures = map[string]int{}
			}
			w.failures[t.Name]++
			w.mu.Unlock()
			if !failing {
				log.Warn("a cache could not be purged; it is tried again", "target", t.Name, "error", err)
			}
			pause = min(2*pause, maxPause)
		default:
			if failing {
				log.Info("a cache is purged again", "target", t.Name)
			}
			pause = interval
		}
		failing = err != nil
		timer.Reset(pause)
	}
}

// step looks at the changes and tells the target those that the edges have seen.
func (f *follower[Moment]) step(ctx context.Context) error {
	since, mine, err := f.Log.Claim(ctx, f.target.Name)
	if err != nil {
		return err
	}
	if !mine {
		f.mine, f.waiting = false, nil
		return nil
	}
	if !f.mine {
		f.mine, f.next, f.kept = true, since, f.Now()
	}
	changes, next, err := f.Log.After(ctx, f.next)
	if err != nil {
		return err
	}
	f.next = next
	if len(f.waiting) == maxLooks {
		f.waiting, changes = nil, Changes{All: true}
	}
	if !empty(changes) {
		f.waiting = append(f.waiting, batch[Moment]{changes, next, f.Now()})
	}
	return f.tell(ctx)
}

func (f *follower[Moment]) tell(ctx context.Context) error {
	now := f.Now()
	ready := 0
	for ready < len(f.waiting) && now.Sub(f.waiting[ready].seen) >= settle {
		ready++
	}
	switch {
	case ready > 0:
		names := map[string]bool{}
		for _, b := range f.waiting[:ready] {
			for _, name := range surrogates(b.Changes) {
				names[name] = true
			}
		}
		within, cancel := context.WithTimeout(ctx, callTime)
		defer cancel()
		within, traced := span.Work(within, "worker purges")
		err := f.target.Purge(within, f.Do, slices.Sorted(maps.Keys(names)))
		traced.EndWith(err)
		if err != nil {
			return err
		}
		upTo := f.waiting[ready-1].upTo
		f.waiting = slices.Delete(f.waiting, 0, ready)
		f.kept = now
		return f.Log.Told(ctx, f.target.Name, upTo)
	case len(f.waiting) == 0 && now.Sub(f.kept) >= keepAt:
		f.kept = now
		return f.Log.Told(ctx, f.target.Name, f.next)
	}
	return nil
}
