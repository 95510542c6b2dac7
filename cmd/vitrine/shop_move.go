package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"vitrine/internal/blob"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/move"
)

type shopMoveCmd struct {
	Shop string `required:"" help:"Slug of the shop."`
	To   string `required:"" type:"existingfile" help:"File with the settings of the other installation, one VITRINE_… setting a line, as its service reads it. The settings of this command are those of the installation that has the shop."`
	Undo bool   `help:"Remove what a move that has not ended has copied."`
}

// Run moves the shop and prints where it is.
func (c *shopMoveCmd) Run(ctx context.Context, s *Settings) error {
	target, err := readSettings(c.To)
	if err != nil {
		return err
	}
	return operate(ctx, s, func(from *operator) (answer any, err error) {
		to, err := openPeer(ctx, target)
		if err != nil {
			return nil, fmt.Errorf("the other installation: %w", err)
		}
		defer func() { err = errors.Join(err, to.db.close()) }()
		cfg, err := c.config(ctx, from, s, to, target)
		if err != nil {
			return nil, err
		}
		if c.Undo {
			return map[string]any{"slug": c.Shop, "undone": true}, move.Undo(ctx, cfg)
		}
		report, err := move.Run(ctx, cfg)
		return movedShop{report, "the old address leads to the new one until vitrine shop delete here; write the tables of hosts of fronts again (vitrine shop hosts)"}, err
	})
}

type movedShop struct {
	move.Report
	Note string `json:"note"`
}

// openPeer opens the database and the bucket of the other installation. It waits for nothing.
func openPeer(ctx context.Context, s *Settings) (o *operator, err error) {
	log := s.quietLogger()
	o = &operator{}
	if o.hosts, err = s.storefronts(); err != nil {
		return nil, err
	}
	if o.db, err = startServer(ctx, s, log); err != nil {
		return nil, err
	}
	if o.db.Store, err = store.Open(ctx, o.db.url, store.LongRunning); err != nil {
		return nil, errorsWith(err, o.db.stopServer())
	}
	defer func() {
		if err != nil {
			err = errorsWith(err, o.db.close())
		}
	}()
	if err = o.db.CheckSchema(ctx); err != nil {
		return nil, err
	}
	if o.blobs, err = openBlobs(s); err != nil {
		return nil, err
	}
	return o, s.join(ctx, o.db.Store, o.blobs, false, slog.New(slog.DiscardHandler))
}

func (c *shopMoveCmd) config(ctx context.Context, from *operator, s *Settings, to *operator, target *Settings) (cfg move.Config, err error) {
	read, err := from.files()
	if err != nil {
		return cfg, err
	}
	mine, err := s.sealer()
	if err != nil {
		return cfg, err
	}
	theirs, err := target.sealer()
	if err != nil {
		return cfg, err
	}
	cfg = move.Config{
		Slug:     c.Shop,
		Copy:     func(ctx context.Context, sha string) error { return copyObject(ctx, read, to.blobs, sha) },
		Reseal:   func(sealed []byte, was, now string) ([]byte, error) { return reseal(mine, theirs, sealed, was, now) },
		Origin:   to.hosts.Origin,
		AdminURL: target.adminURL(),
		LinkKey: func(was, now shop.CompanyID) []byte {
			return theirs.Seal(mine.LinkKeys(was.String()), fmt.Sprintf("shop %d links", now))
		},
	}
	for _, side := range []struct {
		of *operator
		in *move.Side
	}{{from, &cfg.From}, {to, &cfg.To}} {
		in, _, err := side.of.db.Installation(ctx)
		if err != nil {
			return cfg, err
		}
		*side.in = move.Side{Store: side.of.db.Store, URL: side.of.db.url, ID: in.ID}
	}
	return cfg, nil
}

// reseal leaves a secret that no key opens as it is: it is of no use here either.
func reseal(mine, theirs *secret.Sealer, sealed []byte, was, now string) ([]byte, error) {
	text, err := mine.Open(sealed, was)
	if errors.Is(err, secret.ErrSealed) {
		return sealed, nil
	}
	if err != nil {
		return nil, err
	}
	return theirs.Seal(text, now), nil
}

func copyObject(ctx context.Context, from, to blob.Store, sha string) error {
	has, err := to.Has(ctx, sha)
	if err != nil || has {
		return err
	}
	r, size, err := from.Open(ctx, sha)
	if err != nil {
		return fmt.Errorf("file %s: %w", sha, err)
	}
	defer r.Close()
	return to.PutExpect(ctx, r, sha, size)
}

// readSettings reads settings from a file, and none of the environment.
func readSettings(file string) (*Settings, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	given := map[string]string{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("%s: line %d is not NAME=VALUE", file, n)
		}
		if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
			value = value[1 : len(value)-1]
		}
		given[strings.TrimSpace(name)] = value
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "VITRINE_") {
			os.Unsetenv(name)
			defer os.Setenv(name, value) //nolint:errcheck // it was set
		}
	}
	for name, value := range given {
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
		defer os.Unsetenv(name) //nolint:errcheck // it was set
	}
	var settings Settings
	parser, err := kong.New(&settings)
	if err == nil {
		_, err = parser.Parse(nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &settings, nil
}
