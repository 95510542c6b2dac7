package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// role is the database superuser and database the name of vitrine's database.
const (
	role     = "vitrine"
	database = "vitrine"
)

// create creates the cluster unless it exists. initdb works in the folder new next to it;
// its result is renamed to data when it is complete, and the password file is written
// before that. So a folder called new is always left over from an interrupted attempt.
// initdb holds start.lock while it runs, so it cannot still be working on that folder.
func (c *Cluster) create(ctx context.Context, start *lockFile) error {
	version, err := c.home.version() // again: another process may have created it
	if err != nil {
		return err
	}
	if version == 0 {
		c.log.Info("making a private PostgreSQL cluster", "dir", c.home.path, "version", c.server.major, "user", c.account.name)
		if err := c.makeCluster(ctx, start); err != nil {
			return err
		}
	} else if version != c.server.major {
		return fmt.Errorf("%s was created with PostgreSQL %d meanwhile: start vitrine again", c.home.data(), version)
	}
	return c.home.recordMove()
}

func (c *Cluster) makeCluster(ctx context.Context, start *lockFile) error {
	fresh := filepath.Join(c.home.path, "new")
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("the rest of an unfinished initdb: %w", err)
	}
	secret := rand.Text()
	pwfile := filepath.Join(fresh, "password")
	if err := errors.Join(os.Mkdir(fresh, 0o700), writeFile(pwfile, secret)); err != nil {
		return err
	}
	if err := errors.Join(c.account.chown(pwfile), c.account.chown(fresh)); err != nil {
		return err
	}
	if err := c.initdb(ctx, start, filepath.Join(fresh, "data"), pwfile); err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	if err := writeFile(c.home.password(), secret); err != nil {
		return err
	}
	// An existing folder called data is not a cluster only if it is empty, and Remove
	// removes only empty folders.
	if err := os.Remove(c.home.data()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(filepath.Join(fresh, "data"), c.home.data()); err != nil {
		return err
	}
	return errors.Join(syncDir(c.home.path), os.RemoveAll(fresh))
}

// initdb creates the data directory: with checksums, to detect a bad disk; UTF-8 with the
// C.UTF-8 locale, which knows the letter case of every alphabet but sorts by code point, so
// that no upgrade of the C library corrupts an index.
func (c *Cluster) initdb(ctx context.Context, start *lockFile, data, pwfile string) error {
	arguments := []string{
		"--pgdata=" + data, "--username=" + role, "--pwfile=" + pwfile,
		"--auth=scram-sha-256", "--data-checksums",
		"--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions",
	}
	if c.unsafe {
		arguments = append(arguments, "--no-sync")
	}
	cmd := exec.CommandContext(ctx, c.server.path("initdb"), arguments...)
	c.account.applyTo(cmd)
	cmd.Dir = c.home.path
	cmd.ExtraFiles = []*os.File{start.File} // start.lock is held until initdb ends, even if this process ends first
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb as %s in %s: %w: %s", c.account.name, data, err, lastBytes(out))
	}
	return nil
}

// recordMove writes pg.location into the data dir of a relocated home.
func (h home) recordMove() error {
	note := filepath.Join(h.dataDir, locationFile)
	if !h.moved() {
		return nil
	}
	if _, err := os.Lstat(note); err == nil {
		return nil
	}
	return writeFile(note, h.path)
}

// writeFile atomically writes a line into a file of mode 0600.
func writeFile(path, line string) error {
	temporary := path + ".tmp"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line + "\n")
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(temporary, path), syncDir(filepath.Dir(path)))
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// lastBytes returns the end of a program's output, enough for an error.
func lastBytes(out []byte) []byte {
	return out[max(0, len(out)-2048):]
}
