package cluster

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// oldest is the first major version with which a new cluster may be created.
const oldest = 15

// binaries is one installed server.
type binaries struct {
	dir   string
	major int
}

func (b binaries) path(name string) string { return filepath.Join(b.dir, name) }

// usualPlaces are the folders of Debian, Red Hat, a source build and Homebrew.
var usualPlaces = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/local/pgsql/bin",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
}

// findBinaries lists the servers that the account can run, newest first. Without dirs it
// searches PATH, asks pg_config, and tries the usual places.
func findBinaries(dirs []string, as account) []binaries {
	if len(dirs) == 0 {
		dirs = candidates()
	}
	var found []binaries
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || slices.ContainsFunc(found, func(b binaries) bool { return b.dir == real }) {
			continue
		}
		if major := majorOf(real, as); major > 0 {
			found = append(found, binaries{dir: real, major: major})
		}
	}
	slices.SortStableFunc(found, func(a, b binaries) int { return cmp.Compare(b.major, a.major) })
	return found
}

func candidates() []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, pattern := range usualPlaces {
		if matches, err := filepath.Glob(pattern); err == nil {
			dirs = append(dirs, matches...)
		}
	}
	return dirs
}

// majorOf returns the major version of the server in dir, or 0 when there is no complete
// one that the account can execute.
func majorOf(dir string, as account) int {
	if info, err := os.Stat(filepath.Join(dir, "initdb")); err != nil || info.IsDir() {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version")
	as.applyTo(cmd)
	cmd.Dir = "/"
	out, err := cmd.Output()
	if err != nil {
		return 0
	}
	return parseVersion(string(out))
}

var versionLine = regexp.MustCompile(`^postgres \(PostgreSQL\) ([1-9][0-9]{0,3})\b`)

// parseVersion parses "postgres (PostgreSQL) 15.18 (Debian …)"; it returns 0 for anything
// else.
func parseVersion(line string) int {
	match := versionLine.FindStringSubmatch(line)
	if match == nil {
		return 0
	}
	major, err := strconv.Atoi(match[1])
	if err != nil {
		return 0
	}
	return major
}

// choose picks the server for the data directory: the newest for a new cluster (version 0),
// and the same major version for an existing one, because other versions cannot read its
// files.
func choose(installed []binaries, version int, data string) (binaries, error) {
	for _, b := range installed {
		if b.major == version || version == 0 && b.major >= oldest {
			return b, nil
		}
	}
	have := "none"
	if len(installed) > 0 {
		var names []string
		for _, b := range installed {
			names = append(names, fmt.Sprintf("%d (%s)", b.major, b.dir))
		}
		have = strings.Join(names, ", ")
	}
	if version == 0 {
		return binaries{}, fmt.Errorf(
			"no PostgreSQL server of version %d or newer found (installed: %s): install the Debian package postgresql (apt-get install postgresql), or set VITRINE_DATABASE_URL",
			oldest, have,
		)
	}
	return binaries{}, fmt.Errorf(
		"%s was made by PostgreSQL %d, which is not installed (installed: %s): install the package postgresql-%d, or convert the folder with pg_upgrade; nothing was changed",
		data, version, have, version,
	)
}
