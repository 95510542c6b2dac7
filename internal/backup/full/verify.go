package full

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"vitrine/internal/blob"
)

// verify compares each file of a backup with its hash.
func verify(ctx context.Context, dir string, m Manifest) error {
	if err := errors.Join(m.Database.check(ctx, dir), m.Objects.check(ctx, dir)); err != nil {
		return err
	}
	kept, err := objects(dir)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var wrong []error
	lost := m.Objects.lost()
	err = m.Objects.each(ctx, dir, func(ctx context.Context, sha string) error {
		err := verifyObject(ctx, kept, sha)
		if err == nil || errors.Is(err, blob.ErrNotFound) && lost(sha) {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if wrong = append(wrong, err); len(wrong) == maxNamed {
			return errors.New("and maybe more")
		}
		return nil
	})
	if len(wrong) > 0 {
		return fmt.Errorf("%w: %w", ErrDamaged, errors.Join(append(wrong, err)...))
	}
	return err
}

func verifyObject(ctx context.Context, kept blob.Store, sha string) error {
	r, _, err := kept.Open(ctx, sha)
	if err != nil {
		return err
	}
	sum, _, err := sumOf(ctx, r)
	if err == nil && sum != sha {
		err = fmt.Errorf("%w: %s", blob.ErrDamaged, sha)
	}
	return errors.Join(err, r.Close())
}
