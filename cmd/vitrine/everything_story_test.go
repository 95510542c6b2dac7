package main

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// oldID matches the ids of an installation whose sequences were moved apart:
// none of them can stand in a copy of its shop.
var oldID = regexp.MustCompile(`\b7654\d{5}\b`)

// apart gives every sequence a range of its own, far from any number that a
// shop would contain by chance.
func apart(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT schemaname || '.' || sequencename FROM pg_sequences WHERE schemaname = 'public' AND sequencename LIKE '%\_id\_seq' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(names) < 25 || len(names) > 99 {
		t.Fatalf("%d sequences: %v", len(names), err)
	}
	for n, name := range names {
		if _, err := conn.Exec(t.Context(), fmt.Sprintf(`ALTER SEQUENCE %s RESTART WITH 7654%02d001`, name, n)); err != nil {
			t.Fatal(err)
		}
	}
}

// packed is a backup, read by its tests: the lines of its tables, and its text files.
type packed struct {
	tables map[string][]map[string]any
	lines  map[string][]string
	blobs  map[string][]byte
}

func unpack(t *testing.T, file string) packed {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	p := packed{map[string][]map[string]any{}, map[string][]string{}, map[string][]byte{}}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if sha, ok := strings.CutPrefix(f.Name, "blobs/"); ok {
			if p.blobs[sha], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(f.Name, "tables/"), ".jsonl")
		p.lines[name] = nil
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			p.lines[name] = append(p.lines[name], lines.Text())
			dec := json.NewDecoder(strings.NewReader(lines.Text()))
			dec.UseNumber()
			var row map[string]any
			if err := dec.Decode(&row); err != nil {
				t.Fatal(err)
			}
			p.tables[name] = append(p.tables[name], row)
		}
		if lines.Err() != nil {
			t.Fatal(lines.Err())
		}
	}
	return p
}

func TestADemoShopWithEverythingMoves(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t, store.Migrate)
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	apart(t, conn)
	from, to := newMachine(t), newProgram(t)
	from.env = append(from.env, "VITRINE_DATABASE_URL="+address)
	r := from.start("--demo")
	file := filepath.Join(from.dir, "shop.zip")
	from.verb("shop", "export", "--shop", "demo", "--to", file)
	r.stop()
	old := unpack(t, file)
	var empty []string
	for name, lines := range old.lines {
		if len(lines) == 0 {
			empty = append(empty, name)
		}
	}
	slices.Sort(empty)
	t.Logf("empty: %v", empty)
	to.verb("shop", "import", "--from", file)
	again := filepath.Join(to.dir, "again.zip")
	to.verb("shop", "export", "--shop", "demo", "--to", again)
	fresh := unpack(t, again)
	for name, lines := range fresh.lines {
		for _, line := range lines {
			if m := oldID.FindStringIndex(line); m != nil {
				t.Errorf("%s: …%s…", name, line[max(0, m[0]-120):min(len(line), m[1]+20)])
				break
			}
		}
	}
	for sha, body := range fresh.blobs {
		if m := oldID.FindIndex(body); m != nil {
			t.Errorf("file %s: …%s…", sha[:8], body[max(0, m[0]-120):min(len(body), m[1]+20)])
		}
	}
}
