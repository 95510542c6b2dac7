package certificate

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/certmagic"

	"vitrine/internal/secret"
	"vitrine/internal/store"
	"vitrine/internal/store/acme"
)

// storage keeps the files of certmagic in the database, sealed, and its locks as leases.
type storage struct {
	store *store.Store
	seal  *secret.Sealer

	mu     sync.Mutex
	leases map[string]lease
}

// lease is a lock that this process holds.
type lease struct {
	holder string
	end    context.CancelFunc // stops its renewal
}

const (
	maxKey   = 512
	maxValue = 256 << 10

	leaseTime  = 30 * time.Second // a process that dies keeps a lock for so long
	leaseRenew = 10 * time.Second
	leaseRetry = 500 * time.Millisecond
)

var errTooLong = errors.New("certificate: the key or the value is too long")

// owner is what a value is sealed for.
func owner(key string) string { return "acme " + key }

// Store implements certmagic.Storage.
func (s *storage) Store(ctx context.Context, key string, value []byte) error {
	if len(key) > maxKey || len(value) > maxValue {
		return errTooLong
	}
	err := acme.Put(ctx, s.store, key, s.seal.Seal(value, owner(key)))
	if kept, wanted := ctx.Value(failure{}).(*atomic.Pointer[error]); err != nil && wanted {
		kept.Store(&err)
	}
	return err
}

// failure is the key of a context for the error of a write: the library returns only its text.
type failure struct{}

// Load implements certmagic.Storage.
func (s *storage) Load(ctx context.Context, key string) ([]byte, error) {
	if len(key) > maxKey {
		return nil, fs.ErrNotExist
	}
	sealed, _, found, err := acme.Get(ctx, s.store, key)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fs.ErrNotExist
	}
	return s.seal.Open(sealed, owner(key))
}

// Delete implements certmagic.Storage.
func (s *storage) Delete(ctx context.Context, key string) error {
	return acme.Delete(ctx, s.store, key)
}

// Exists implements certmagic.Storage.
func (s *storage) Exists(ctx context.Context, key string) bool {
	keys, err := acme.Keys(ctx, s.store, key)
	return err == nil && len(keys) > 0
}

// List implements certmagic.Storage.
func (s *storage) List(ctx context.Context, path string, recursive bool) (list []string, err error) {
	keys, err := acme.Keys(ctx, s.store, path)
	if recursive || err != nil {
		return keys, err
	}
	last := ""
	for _, key := range keys { // in order, so what is below one entry follows each other
		name, _, _ := strings.Cut(strings.TrimPrefix(key, path+"/"), "/")
		if entry := path + "/" + name; entry != last {
			list, last = append(list, entry), entry
		}
	}
	return list, nil
}

// Stat implements certmagic.Storage.
func (s *storage) Stat(ctx context.Context, key string) (certmagic.KeyInfo, error) {
	value, stored, found, err := acme.Get(ctx, s.store, key)
	if err == nil && !found {
		err = fs.ErrNotExist
	}
	return certmagic.KeyInfo{Key: key, Modified: stored, Size: int64(len(value)), IsTerminal: true}, err
}

// Lock implements certmagic.Storage: it waits for a lease and prolongs it until Unlock.
func (s *storage) Lock(ctx context.Context, name string) error {
	if len(name) > maxKey {
		return errTooLong
	}
	holder := rand.Text()
	for {
		taken, err := acme.Lease(ctx, s.store, name, holder, leaseTime)
		if err != nil {
			return err
		}
		if taken {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(leaseRetry):
		}
	}
	renewing, end := context.WithCancel(context.WithoutCancel(ctx))
	s.mu.Lock()
	s.leases[name] = lease{holder, end}
	s.mu.Unlock()
	go s.renew(renewing, name, holder)
	return nil
}

// renew prolongs a lease until the context ends. If that fails, another process takes it over.
func (s *storage) renew(ctx context.Context, name, holder string) {
	tick := time.NewTicker(leaseRenew)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if taken, err := acme.Lease(ctx, s.store, name, holder, leaseTime); err == nil && !taken {
				return
			}
		}
	}
}

// Unlock implements certmagic.Storage.
func (s *storage) Unlock(ctx context.Context, name string) error {
	s.mu.Lock()
	held, ok := s.leases[name]
	delete(s.leases, name)
	s.mu.Unlock()
	if !ok {
		return nil
	}
	held.end()
	return acme.EndLease(ctx, s.store, name, held.holder)
}
