package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/backup/full"
	"vitrine/internal/blob"
	"vitrine/internal/secret"
	"vitrine/internal/store"
)

// member is what a process has to have in common with the others of its installation.
type member struct {
	sealer     *secret.Sealer // nil without a key
	blobs      blob.Store     // nil: not compared
	storefront string
	admin      string
}

// member reads the settings. A missing key file is not created before the record says that no other
// process has a key.
func (s *Settings) member(blobs blob.Store) (m member, err error) {
	hosts, err := s.storefronts()
	if err != nil {
		return m, err
	}
	m = member{blobs: blobs, storefront: hosts.Origin("{shop}", ""), admin: s.adminURL()}
	if s.hasKey() {
		m.sealer, err = s.sealer()
	}
	return m, err
}

func fingerprintOf(id uuid.UUID) string { return "installation " + id.String() }

// join checks that this process belongs to the installation of its database. The first process
// writes the record. takeOver replaces the addresses of the record by those of the process.
func (s *Settings) join(ctx context.Context, db *store.Store, blobs blob.Store, takeOver bool, log *slog.Logger) error {
	m, err := s.member(blobs)
	if err != nil {
		return err
	}
	in, _, err := db.Installation(ctx)
	if err == nil && !in.Marked && blobs != nil {
		if err = s.found(ctx, db, m); err == nil {
			in, _, err = db.Installation(ctx)
		}
		if err == nil {
			m, err = s.member(blobs) // the key may be new
		}
	}
	if err != nil || in.ID == uuid.Nil {
		return err
	}
	wrong, err := m.differences(ctx, in)
	if err != nil {
		return err
	}
	if moved := m.moved(in); len(moved) > 0 && takeOver && len(wrong) == 0 {
		log.Warn("installation: this server has new public addresses", "changes", strings.Join(moved, "; "))
		_, err = db.SetInstallationURLs(ctx, m.storefront, m.admin)
	} else {
		wrong = append(wrong, moved...)
	}
	if err != nil {
		return err
	}
	if len(wrong) > 0 {
		return differs(in, wrong)
	}
	return db.AddInstallationKey(ctx, m.sealer.MAC(fingerprintOf(in.ID)))
}

func differs(in store.Installation, wrong []string) error {
	return fmt.Errorf("installation: this process does not belong to the installation %s of its database: %s", in.ID, strings.Join(wrong, "; "))
}

// foundPause is the time between attempts to write the record while another process does.
const foundPause = 100 * time.Millisecond

// found writes the record and marks the store of files, one process at a time.
func (s *Settings) found(ctx context.Context, db *store.Store, m member) error {
	for {
		ran, err := db.RunExclusive(ctx, "installation", func(ctx context.Context) error { return s.write(ctx, db, m) })
		if ran || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(foundPause):
		}
	}
}

func (s *Settings) write(ctx context.Context, db *store.Store, m member) error {
	in, found, err := db.Installation(ctx)
	if err != nil || in.Marked {
		return err
	}
	owner, err := m.blobs.Owner(ctx)
	if err != nil {
		return err
	}
	if !found {
		if full.Unfinished(owner) {
			return fmt.Errorf("installation: %w", errUnfinished)
		}
		if owner != "" {
			return fmt.Errorf("installation: the bucket (VITRINE_BLOB_URL) belongs to the installation %s and the database (VITRINE_DATABASE_URL) to none; "+
				"if they do belong together, remove the object named installation from the bucket", owner)
		}
		if m.sealer, err = s.sealer(); err != nil { // creates the key
			return err
		}
		in.ID = uuid.New()
		in.Keys, in.StorefrontURL, in.AdminURL = m.sealer.Fingerprints(fingerprintOf(in.ID)), m.storefront, m.admin
		if err := db.CreateInstallation(ctx, in); err != nil {
			return err
		}
	}
	if wrong := m.keyDiffers(in); wrong != "" {
		return differs(in, []string{wrong})
	}
	if owner == "" {
		if err := m.blobs.Mark(ctx, in.ID.String()); err != nil {
			return err
		}
	} else if owner != in.ID.String() {
		return differs(in, []string{bucketDiffers(owner)})
	}
	return db.InstallationMarked(ctx)
}

// differences lists what differs from a record and can never be taken over. It names no secret.
func (m member) differences(ctx context.Context, in store.Installation) (wrong []string, err error) {
	if text := m.keyDiffers(in); text != "" {
		wrong = append(wrong, text)
	}
	if m.blobs == nil || !in.Marked {
		return wrong, nil
	}
	owner, err := m.blobs.Owner(ctx)
	if err == nil && owner != in.ID.String() {
		wrong = append(wrong, bucketDiffers(owner))
	}
	return wrong, err
}

func (m member) keyDiffers(in store.Installation) string {
	if m.sealer == nil {
		return "it has no secret key (VITRINE_SECRET_KEY, or the file secret.key in the data dir)"
	}
	if len(in.Keys) > 0 && slices.Contains(m.sealer.Fingerprints(fingerprintOf(in.ID)), in.Keys[0]) {
		return ""
	}
	return "its secret key (VITRINE_SECRET_KEY) is another one; after a rotation the list has the new key and the former one"
}

// errUnfinished is returned to processes that start before a restore has ended.
var errUnfinished = errors.New("the bucket (VITRINE_BLOB_URL) has a part of a backup, because a restore was interrupted: run vitrine restore again, which continues it")

// refuseUnfinished returns errUnfinished if the store of files is that of such a restore.
func (s *Settings) refuseUnfinished(ctx context.Context) error {
	if _, err := os.Stat(s.DataDir); s.BlobURL == "" && errors.Is(err, fs.ErrNotExist) {
		return nil // the store would be made by looking into it
	}
	blobs, err := openBlobs(s)
	if err == nil {
		var owner string
		if owner, err = blobs.Owner(ctx); err == nil && full.Unfinished(owner) {
			return fmt.Errorf("installation: %w", errUnfinished)
		}
	}
	if errors.Is(err, blob.ErrUnavailable) {
		return nil
	}
	return err
}

func bucketDiffers(owner string) string {
	if owner == "" {
		return "its bucket (VITRINE_BLOB_URL) is another one, which belongs to no installation"
	}
	if full.Unfinished(owner) {
		return errUnfinished.Error()
	}
	return "its bucket (VITRINE_BLOB_URL) belongs to the installation " + owner
}

// moved lists the addresses that differ from a record.
func (m member) moved(in store.Installation) (list []string) {
	for _, a := range []struct{ setting, old, now string }{
		{"VITRINE_STOREFRONT_URL", in.StorefrontURL, m.storefront}, {"VITRINE_ADMIN_URL", in.AdminURL, m.admin},
	} {
		if a.old != a.now {
			list = append(list, fmt.Sprintf("%s is %s and was %s", a.setting, a.now, a.old))
		}
	}
	return list
}

type installCmd struct {
	Accept installAcceptCmd `cmd:"" help:"Make this command's public addresses (VITRINE_STOREFRONT_URL, VITRINE_ADMIN_URL) those of the installation. Restart the other processes with them, too."`
}

type installAcceptCmd struct{}

type publicURLs struct {
	Storefront string `json:"storefront_url"`
	Admin      string `json:"admin_url"`
}

// Run takes the addresses over and prints the old and the new ones.
func (*installAcceptCmd) Run(ctx context.Context, s *Settings) (err error) {
	if err := s.findDatabase(); err != nil {
		return err
	}
	db, err := openDatabase(ctx, s, s.quietLogger())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	blobs, err := openBlobs(s)
	if err != nil {
		return err
	}
	in, _, err := db.Installation(ctx)
	if err == nil {
		err = s.join(ctx, db.Store, blobs, true, slog.New(slog.DiscardHandler))
	}
	if err != nil {
		return err
	}
	now, _, err := db.Installation(ctx)
	if err != nil {
		return err
	}
	return printJSON(map[string]any{
		"installation": now.ID, "old": publicURLs{in.StorefrontURL, in.AdminURL}, "new": publicURLs{now.StorefrontURL, now.AdminURL},
	})
}
