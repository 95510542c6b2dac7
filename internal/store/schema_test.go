package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"vitrine/internal/store"
	"vitrine/internal/store/migrations"
	"vitrine/internal/store/storetest"
)

func TestTheSchemaTellsWhichProgramsItSuits(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for _, c := range []struct {
		change string
		want   error
	}{
		{``, nil},
		{`INSERT INTO goose_db_version (version_id, is_applied) SELECT max(version_id) + 999, true FROM goose_db_version`, nil},
		{`UPDATE goose_db_version SET version_id = version_id + 1 WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`, store.ErrSchemaNewer},
		{`DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`, nil},
		{`CREATE OR REPLACE FUNCTION schema_needs() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT max(version_id) + 1 FROM goose_db_version'`, store.ErrSchemaNewer},
		{`CREATE OR REPLACE FUNCTION schema_needs() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT max(version_id) FROM goose_db_version'`, nil},
		{`DROP FUNCTION schema_needs()`, nil}, // of a schema from before the function
		{`DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`, store.ErrSchemaOlder},
		{`DROP TABLE goose_db_version`, store.ErrSchemaOlder},
	} {
		if _, err := s.Pool.Exec(t.Context(), c.change); err != nil {
			t.Fatal(err)
		}
		if err := s.CheckSchema(t.Context()); !errors.Is(err, c.want) {
			t.Errorf("after %s: %v, want %v", c.change, err, c.want)
		}
	}
}

// A catalogue is what a program relies on in a database: columns with their type, whether they
// may be left out of an INSERT, functions, and what is unique or checked.
type schemaCatalogue struct {
	types    map[string]string // of schema.table.column
	required map[string]bool   // columns without a default that are not null
	things   map[string]bool   // functions, and rules that refuse rows
	tables   map[string]bool
}

func readCatalogue(t *testing.T, url string) schemaCatalogue {
	t.Helper()
	conn := connect(t, url)
	c := schemaCatalogue{map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	rows, err := conn.Query(t.Context(), `
		SELECT n.nspname || '.' || c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
			a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AND c.relkind = 'r'
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN ('public', 'dev', 'draft') AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped`)
	if err != nil {
		t.Fatal(err)
	}
	var table, column, kind string
	var required bool
	if _, err := pgx.ForEachRow(rows, []any{&table, &column, &kind, &required}, func() error {
		c.tables[table], c.types[table+"."+column], c.required[table+"."+column] = true, kind, required
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, thing := range queryTexts(t, conn, `
		SELECT 'function ' || p.oid::regprocedure FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE n.nspname IN ('public', 'dev', 'draft') AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
		UNION ALL SELECT 'rule of ' || conrelid::regclass || ': ' || pg_get_constraintdef(oid) FROM pg_constraint
		WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f', 'u', 'x')
		UNION ALL SELECT 'rule of ' || indrelid::regclass || ': ' || regexp_replace(pg_get_indexdef(indexrelid), ' INDEX \S+ ', ' INDEX ') FROM pg_index
		WHERE indisunique AND indrelid::regclass::text !~ '^pg_'`) {
		c.things[thing] = true
	}
	return c
}

// breaks returns what a program written for one schema cannot do with a later one.
func (c schemaCatalogue) breaks(later schemaCatalogue) (list []string) {
	for _, column := range slices.Sorted(maps.Keys(c.types)) {
		switch kind, there := later.types[column]; {
		case !there:
			list = append(list, column+" is gone")
		case kind != c.types[column]:
			list = append(list, column+" is "+kind+" instead of "+c.types[column])
		}
	}
	for _, column := range slices.Sorted(maps.Keys(later.required)) {
		table := column[:strings.LastIndex(column, ".")]
		if later.required[column] && !c.required[column] && c.tables[table] {
			list = append(list, column+" must be set")
		}
	}
	for _, thing := range slices.Sorted(maps.Keys(c.things)) {
		if strings.HasPrefix(thing, "function") && !later.things[thing] {
			list = append(list, thing+" is gone")
		}
	}
	for _, thing := range slices.Sorted(maps.Keys(later.things)) {
		table, rule := strings.CutPrefix(thing, "rule of ")
		table, _, _ = strings.Cut(table, ":")
		if rule && !c.things[thing] && c.tables["public."+table] {
			list = append(list, thing+" is new")
		}
	}
	return list
}

// migratedTo returns the address of a database with the migrations up to one.
func migratedTo(t *testing.T, version int64) string {
	t.Helper()
	return storetest.Clone(t, fmt.Sprint("migrated to ", version), func(ctx context.Context, url string) error {
		db, err := sql.Open("pgx", url)
		if err != nil {
			return err
		}
		defer db.Close()
		provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS)
		if err != nil {
			return err
		}
		_, err = provider.UpTo(ctx, version)
		return err
	})
}

var _ = stdlib.GetDefaultDriver // registers the driver of migratedTo

// Migrations since the release before only add what its program can do without, because its
// processes go on working while those of this release start (.ci/release).
func TestMigrationsKeepTheReleaseBeforeWorking(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../.ci/release")
	if err != nil {
		t.Fatal(err)
	}
	release := strings.TrimSpace(string(text))
	listed, err := exec.Command("git", "-C", "../..", "ls-tree", "--name-only", release, "internal/store/migrations/").Output()
	if err != nil {
		t.Logf("nothing was compared: this checkout does not have the release before, %s (a shallow clone?)", release)
		return
	}
	var version int64
	for _, file := range strings.Fields(string(listed)) {
		if n, err := goose.NumericComponent(path.Base(file)); err == nil {
			version = max(version, n)
		}
	}
	before := migratedTo(t, version)
	for _, broken := range readCatalogue(t, before).breaks(readCatalogue(t, storetest.URL(t, store.Migrate))) {
		t.Error(broken)
	}
}

func TestABreakingMigrationIsFound(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		`ALTER TABLE company_change DROP COLUMN at`:                          "public.company_change.at is gone",
		`ALTER TABLE company RENAME COLUMN slug TO label`:                    "public.company.slug is gone",
		`ALTER TABLE secret RENAME TO sealed`:                                "public.secret.name is gone",
		`ALTER TABLE secret ALTER COLUMN name TYPE varchar(80)`:              "public.secret.name is character varying(80) instead of text",
		`ALTER TABLE company ALTER COLUMN deleted_at SET NOT NULL`:           "public.company.deleted_at must be set",
		`ALTER TABLE company ADD COLUMN colour text NOT NULL`:                "public.company.colour must be set",
		`ALTER TABLE company ALTER COLUMN version DROP DEFAULT`:              "public.company.version must be set",
		`DROP FUNCTION schema_needs()`:                                       "function schema_needs() is gone",
		`CREATE UNIQUE INDEX one_name ON company (name)`:                     "rule of company: CREATE UNIQUE INDEX ON public.company USING btree (name) is new",
		`ALTER TABLE company ADD CHECK (name <> '')`:                         "rule of company: CHECK ((name <> ''::text)) is new",
		`ALTER TABLE company ADD COLUMN colour text NOT NULL DEFAULT ''`:     "",
		`CREATE TABLE later (id integer NOT NULL UNIQUE)`:                    "",
		`CREATE INDEX names ON company (name)`:                               "",
		`CREATE FUNCTION later() RETURNS integer LANGUAGE sql AS 'SELECT 1'`: "",
	} {
		url := storetest.URL(t, store.Migrate)
		before := readCatalogue(t, url)
		if _, err := connect(t, url).Exec(t.Context(), change); err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		found := before.breaks(readCatalogue(t, url))
		if want == "" && len(found) > 0 || want != "" && !slices.Contains(found, want) {
			t.Errorf("%s: found %q, want %q", change, found, want)
		}
	}
}
