package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"unicode"
)

// Config says where the cluster is and how durable it must be.
type Config struct {
	// Dir is the data dir of vitrine (VITRINE_DATA_DIR); it is created when missing. The
	// cluster's home is its folder pg.
	Dir string
	// Log gets a line for each start, adoption, stop and anomaly. Nil discards them.
	Log *slog.Logger
	// Throwaway gives up durability for speed, and allows more connections: for tests only.
	// It applies to a server that this call starts.
	Throwaway bool
	// Connections is max_connections of a server that this call starts; 0: enough for the programs of
	// one machine.
	Connections int
	// Binaries lists the only folders in which to look for server binaries. Empty: PATH,
	// pg_config and the usual places of Debian, Red Hat, Homebrew and a source build.
	Binaries []string
	// Elsewhere is the folder for the home when the server's user cannot enter Dir. Empty:
	// /var/lib/vitrine, or the folder for temporary files.
	Elsewhere string
}

// Cluster is one process's handle on the private server.
type Cluster struct {
	home    home
	account account
	server  binaries
	log     *slog.Logger
	unsafe  bool
	most    int // max_connections

	mu        sync.Mutex
	usersLock *lockFile // shared while locked; nil after Stop
	serverCmd *exec.Cmd // the server, if this process started it
	url       string
	socket    string
	where     string
}

// Start creates, starts or finds the private server, or waits for its crash recovery, and
// returns when it accepts connections. ctx bounds only the waiting; the server runs until
// the last of its users calls Stop. Errors are written for the person at the terminal: they
// name the path and what to do.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	c, err := prepare(cfg)
	if err != nil {
		return nil, fmt.Errorf("private PostgreSQL: %w", err)
	}
	if err := c.join(ctx); err != nil {
		return nil, fmt.Errorf("private PostgreSQL: %w", err)
	}
	return c, nil
}

// prepare finds the server's user, the home and the matching binaries. It creates missing
// folders and changes nothing else.
func prepare(cfg Config) (*Cluster, error) {
	if cfg.Dir == "" || strings.ContainsFunc(cfg.Dir, unicode.IsControl) {
		return nil, fmt.Errorf("the data dir %q is no usable path", cfg.Dir)
	}
	log := cfg.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	account, err := serverAccount()
	if err != nil {
		return nil, err
	}
	installed := findBinaries(cfg.Binaries, account)
	home, err := locate(cfg, account, installed)
	if err != nil {
		return nil, err
	}
	version, err := home.version()
	if err != nil {
		return nil, err
	}
	server, err := choose(installed, version, home.data())
	if err != nil {
		return nil, err
	}
	if version != 0 {
		if account, err = account.ownerOf(home.data()); err != nil {
			return nil, err
		}
	}
	if !account.canEnter(home.path, server) {
		return nil, fmt.Errorf(
			"%s cannot be entered by the user %s, who runs the server: open its parent folders (chmod o+x)", home.path,
			account.name,
		)
	}
	return &Cluster{home: home, account: account, server: server, log: log, unsafe: cfg.Throwaway, most: cfg.Connections}, nil
}

// join makes this process a user of the server, starting it if necessary.
func (c *Cluster) join(ctx context.Context) error {
	start, err := c.home.lock(ctx, startLock, exclusive)
	if err != nil {
		return err
	}
	defer start.release()
	if err := c.create(ctx, start); err != nil {
		return err
	}
	c.usersLock, err = c.home.lock(ctx, usersLock, shared)
	if err != nil {
		return err
	}
	if err := c.awaitServer(ctx); err != nil {
		return errors.Join(err, c.leave(context.WithoutCancel(ctx)))
	}
	c.where = c.describe()
	return nil
}

// URL returns the pgx connection URL of the database vitrine. It contains the password: do
// not log it.
func (c *Cluster) URL() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.url
}

// Where returns a line for the start-up message: the version, the place, and the reason if
// that is not the data dir.
func (c *Cluster) Where() string { return c.where }

func (c *Cluster) describe() string {
	state := "found running"
	if c.serverCmd != nil {
		state = "started"
	}
	text := fmt.Sprintf("private PostgreSQL %d in %s, %s", c.server.major, c.home.path, state)
	if c.home.moved() {
		text += fmt.Sprintf(" (not in %s, which the user %s cannot enter)", c.home.dataDir, c.account.name)
	}
	if filepath.Dir(c.socket) != c.home.path {
		text += ", socket in " + c.socket
	}
	return text
}

// Stop ends this process's use of the server. The last user shuts it down: open
// transactions are rolled back, and Stop waits for the final checkpoint. When ctx ends
// first, Stop returns an error and the server finishes shutting down on its own. A second
// Stop does nothing.
func (c *Cluster) Stop(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.usersLock == nil {
		return nil
	}
	start, err := c.home.lock(ctx, startLock, exclusive)
	if err != nil {
		return fmt.Errorf("private PostgreSQL: %w", err)
	}
	defer start.release()
	if err := c.leave(ctx); err != nil {
		return fmt.Errorf("private PostgreSQL: %w", err)
	}
	return nil
}

// Discard stops the server and deletes its files. The cluster must be a throwaway that no other
// process uses.
func (c *Cluster) Discard(ctx context.Context) error {
	if !c.unsafe {
		return fmt.Errorf("private PostgreSQL: %s is not a throwaway", c.home.path)
	}
	if err := c.Stop(ctx); err != nil {
		return err
	}
	if running, err := c.home.running(); err != nil || running {
		return errors.Join(err, fmt.Errorf("private PostgreSQL: another process uses %s", c.home.path))
	}
	return os.RemoveAll(c.home.path)
}

// leave releases users.lock and, if no other process holds it, shuts the server down. The
// caller holds start.lock.
func (c *Cluster) leave(ctx context.Context) error {
	users := c.usersLock
	c.usersLock = nil
	defer users.release()
	users.unlock()
	alone, err := users.try(exclusive)
	if err != nil {
		return err
	}
	if !alone {
		c.log.Info("private PostgreSQL left running for other processes", "dir", c.home.path)
		return nil
	}
	return c.shutdown(ctx)
}
