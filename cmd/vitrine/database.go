package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"vitrine/internal/store"
	"vitrine/internal/store/cluster"
)

// database is an open store and, if the server is private, this process's use of it.
type database struct {
	*store.Store
	url     string
	cluster *cluster.Cluster
	leave   func() // ends the supervision of the server; nil without one
}

// findDatabase refuses a verb if there is no database to work on: it was probably started in
// the wrong folder. A data dir that was named explicitly may be new.
func (s *Settings) findDatabase() error {
	if s.DatabaseURL != "" || filepath.Clean(s.DataDir) != "var" || cluster.Exists(s.DataDir) {
		return nil
	}
	dir, err := filepath.Abs(s.DataDir)
	if err != nil {
		return err
	}
	return fmt.Errorf("there is no database in %s: run the command in the folder that vitrine serve runs in, or name its data dir with "+
		"VITRINE_DATA_DIR or --data-dir; vitrine serve and vitrine migrate create a new one", dir)
}

const stopTimeout = 30 * time.Second

// openDatabase connects to the configured server or to the private one. It brings the schema up
// to date if this process does that (Settings.migrates) or a private database is new, and else
// waits until it is.
func openDatabase(ctx context.Context, s *Settings, log *slog.Logger, settings ...store.ConnOption) (*database, error) {
	db, err := startServer(ctx, s, log)
	if err != nil {
		return nil, err
	}
	if err := db.open(ctx, s, log, settings...); err != nil {
		return nil, errorsWith(err, db.stopServer())
	}
	return db, nil
}

// startServer returns the configured server or the private one, without a store.
func startServer(ctx context.Context, s *Settings, log *slog.Logger) (db *database, err error) {
	db = &database{url: s.DatabaseURL}
	if db.url == "" {
		if db.cluster, err = cluster.Start(ctx, cluster.Config{Dir: s.DataDir, Log: log}); err != nil {
			return nil, err
		}
		db.url = db.cluster.URL()
	}
	return db, nil
}

func (db *database) open(ctx context.Context, s *Settings, log *slog.Logger, settings ...store.ConnOption) (err error) {
	if db.Store, err = store.Open(ctx, db.url, settings...); err != nil {
		return err
	}
	if s.migrates || db.cluster != nil {
		if err := db.migrate(ctx, s); err != nil {
			db.Store.Close()
			return err
		}
	}
	if err = awaitSchema(ctx, db.Store, log); err != nil {
		db.Store.Close()
	}
	return err
}

// migrate brings the schema up to date if this process does that, or begins one in a new private
// database. An empty database beside a part of a backup is that of a restore.
func (db *database) migrate(ctx context.Context, s *Settings) error {
	fresh, err := db.SchemaIsEmpty(ctx)
	if err != nil || !fresh && !s.migrates {
		return err
	}
	if fresh {
		if err := s.refuseUnfinished(ctx); err != nil {
			return err
		}
	}
	return store.Migrate(ctx, db.url)
}

// supervise restarts a private server whenever it dies, until close. It is for long-running
// processes. A configured server is supervised elsewhere.
func (db *database) supervise() {
	if db.cluster == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	var watch sync.WaitGroup
	watch.Go(func() { db.cluster.Supervise(ctx) })
	db.leave = func() {
		cancel()
		watch.Wait()
	}
}

// where describes the database for the start-up log line.
func (db *database) where() string {
	if db.cluster == nil {
		return "the configured server"
	}
	return db.cluster.Where()
}

// close closes the pool and then stops the server unless another process uses it.
func (db *database) close() error {
	db.Close()
	if db.leave != nil {
		db.leave()
	}
	return db.stopServer()
}

func (db *database) stopServer() error {
	if db.cluster == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	return db.cluster.Stop(ctx)
}

// errorsWith adds the error of a cleanup.
func errorsWith(err, cleanup error) error {
	if cleanup == nil {
		return err
	}
	return fmt.Errorf("%w (and then: %v)", err, cleanup)
}
