package dump

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// places are the folders of the programs of Debian, Red Hat, a source build and Homebrew. On Debian
// the one in PATH chooses a version by itself, so it comes last.
var places = []string{
	"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin", "/opt/homebrew/opt/*/bin", "/usr/local/opt/*/bin",
}

// find returns the path of an installed program: that of the server's major version, or else of
// the next one. An older pg_dump refuses to read a server, and a newer one writes settings that
// an older server does not know.
func find(ctx context.Context, name string, major int) (string, error) {
	var paths []string
	for _, place := range places {
		found, err := filepath.Glob(filepath.Join(place, name))
		if err != nil {
			return "", err
		}
		paths = append(paths, found...)
	}
	if path, err := exec.LookPath(name); err == nil {
		paths = append(paths, path)
	}
	best, bestMajor := "", 0
	for _, path := range paths {
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		if got := majorOf(string(out)); err == nil && got >= major && (best == "" || got < bestMajor) {
			best, bestMajor = path, got
		}
	}
	if best == "" {
		return "", fmt.Errorf("%s of PostgreSQL %d or newer was not found: install the Debian package postgresql-client-%[2]d", name, major)
	}
	return best, nil
}

var version = regexp.MustCompile(`\(PostgreSQL\) ([1-9][0-9]{0,3})\b`)

// majorOf parses "pg_dump (PostgreSQL) 15.18 (Debian …)"; it returns 0 for anything else.
func majorOf(line string) int {
	match := version.FindStringSubmatch(line)
	if match == nil {
		return 0
	}
	major, err := strconv.Atoi(match[1])
	if err != nil {
		return 0
	}
	return major
}

// libpq are the parameters of a database URL that the programs understand. Others are for the pool
// of connections, or settings of a session, which the programs make by themselves.
var libpq = []string{
	"host", "hostaddr", "port", "user", "dbname", "passfile", "channel_binding", "connect_timeout", "keepalives", "keepalives_idle",
	"keepalives_interval", "keepalives_count", "tcp_user_timeout", "gssencmode", "krbsrvname", "sslmode", "sslcert", "sslkey", "sslrootcert",
	"sslcrl", "sslcrldir", "sslsni", "ssl_min_protocol_version", "ssl_max_protocol_version", "target_session_attrs",
}

// connection splits a database URL into what may be an argument of a program, which all users of
// the machine can read, and its environment.
func connection(database string) (argument string, env []string, err error) {
	u, err := url.Parse(database)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", nil, errors.New("VITRINE_DATABASE_URL must begin with postgres:// for this command") // the error would show the password
	}
	// None of the settings of this process's own connections.
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "PG") {
			env = append(env, variable)
		}
	}
	query := u.Query()
	password, _ := u.User.Password()
	if given := query.Get("password"); given != "" {
		password = given
	}
	if password != "" {
		env = append(env, "PGPASSWORD="+password)
	} else if kept := os.Getenv("PGPASSWORD"); kept != "" {
		env = append(env, "PGPASSWORD="+kept)
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	for name := range query {
		if !slices.Contains(libpq, name) {
			query.Del(name)
		}
	}
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20") // libpq reads a plus sign as one
	return u.String(), env, nil
}

// maxSaid bounds what is kept of a program's messages.
const maxSaid = 4 << 10

// run runs a program on a database until it ends, with in and out as its input and output.
func run(ctx context.Context, path, database string, in io.Reader, out io.Writer, args ...string) error {
	argument, env, err := connection(database)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append(args, "--no-password", "--dbname="+argument)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its statement at the server, too
	said := &tail{}
	cmd.Env, cmd.Stderr = env, said
	source := &failing[io.Reader]{of: in, stop: cancel}
	sink := &failing[io.Writer]{of: out, stop: cancel}
	if in != nil {
		cmd.Stdin = reading{source}
	}
	if out != nil {
		cmd.Stdout = writing{sink}
	}
	err = cmd.Run()
	if own := errors.Join(source.err, sink.err); own != nil {
		return own
	}
	if err != nil {
		return errors.Join(ctx.Err(), fmt.Errorf("%s: %w: %s", filepath.Base(path), err, strings.TrimSpace(said.String())))
	}
	return nil
}

// failing is a stream whose error ends the program and is reported instead of the program's.
type failing[T any] struct {
	of   T
	stop func()
	err  error
}

func (f *failing[T]) note(err error) error {
	if err != nil && !errors.Is(err, io.EOF) && f.err == nil {
		f.err = err
		f.stop()
	}
	return err
}

type reading struct{ *failing[io.Reader] }

func (r reading) Read(p []byte) (int, error) {
	n, err := r.of.Read(p)
	return n, r.note(err)
}

type writing struct{ *failing[io.Writer] }

func (w writing) Write(p []byte) (int, error) {
	n, err := w.of.Write(p)
	return n, w.note(err)
}

// tail keeps the first bytes that are written to it: the first message is the cause.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	t.Buffer.Write(p[:min(len(p), maxSaid-t.Len())])
	return len(p), nil
}
