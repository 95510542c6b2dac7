package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"vitrine/internal/backup/full"
	"vitrine/internal/store/cluster"
)

type backupCmd struct {
	To    string `xor:"what" required:"" type:"path" help:"Folder of the backup: empty, or with an earlier one of the same installation, which it replaces."`
	Check string `xor:"what" required:"" type:"existingdir" help:"Folder of a backup to check: each file is compared with its hash, and the database is loaded into a server of its own."`
}

// Run makes or checks a backup. It works while other processes run, and while none does.
func (c *backupCmd) Run(ctx context.Context, s *Settings) error {
	if c.Check != "" {
		checked, err := full.Check(ctx, c.Check, slog.New(slog.DiscardHandler))
		if err != nil {
			return fmt.Errorf("backup --check: %w", err)
		}
		return printJSON(checked)
	}
	report, err := c.write(ctx, s)
	if err != nil && !errors.Is(err, full.ErrIncomplete) {
		return fmt.Errorf("backup: %w", err)
	}
	return errors.Join(printJSON(report), err)
}

func (c *backupCmd) write(ctx context.Context, s *Settings) (report full.Report, err error) {
	if s.DatabaseURL == "" && !cluster.Exists(s.DataDir) {
		return report, fmt.Errorf("there is no database in %s", s.DataDir)
	}
	log := s.quietLogger()
	db, err := openDatabase(ctx, s, log)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	blobs, err := openBlobs(s)
	if err != nil {
		return report, err
	}
	if err := s.join(ctx, db.Store, blobs, false, log); err != nil {
		return report, err
	}
	return full.Write(ctx, full.Source{Store: db.Store, DatabaseURL: db.url, Blobs: blobs, Version: thisBuild().version}, c.To)
}

type restoreCmd struct {
	From string `required:"" type:"existingdir" help:"Folder of a backup."`
}

// Run restores a backup. It refuses a process without the key that the backup's secrets are sealed
// with before it writes anything.
func (c *restoreCmd) Run(ctx context.Context, s *Settings) error {
	restored, err := c.restore(ctx, s)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return printJSON(restored)
}

func (c *restoreCmd) restore(ctx context.Context, s *Settings) (restored full.Restored, err error) {
	m, err := full.Read(c.From)
	if err != nil {
		return restored, err
	}
	process, err := s.member(nil)
	if err != nil {
		return restored, err
	}
	if wrong := process.keyDiffers(m.Installation); wrong != "" {
		return restored, fmt.Errorf("installation: this process cannot open the secrets of the installation %s: %s", m.Installation.ID, wrong)
	}
	blobs, err := openBlobs(s)
	if err != nil {
		return restored, err
	}
	db, err := startServer(ctx, s, s.quietLogger())
	if err != nil {
		return restored, err
	}
	defer func() { err = errors.Join(err, db.stopServer()) }()
	return full.Restore(ctx, c.From, m, db.url, blobs)
}
