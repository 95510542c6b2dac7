package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// PostgreSQL's error codes that distinguish a server that is not ready from one that
// refuses the connection.
const (
	cannotConnectNow  = "57P03" // starting, recovering or shutting down
	adminShutdown     = "57P01"
	tooManyConnection = "53300"
	noSuchDatabase    = "3D000"
)

// tryConnect connects to the running server, checks that it serves this data directory and
// creates the database if it is missing. False without an error means not ready yet; an
// error means that waiting does not help.
func (c *Cluster) tryConnect(ctx context.Context) (ready bool, err error) {
	file, ok, err := c.home.pidFile()
	if err != nil || !ok || file.socket == "" {
		return false, err
	}
	password, err := readLine(c.home.password())
	if errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("the password of the database is missing: restore %s", c.home.password())
	}
	if err != nil {
		return false, err
	}
	address := func(database string) string {
		host := url.Values{"host": {file.socket}, "port": {strconv.Itoa(file.port)}}
		return (&url.URL{Scheme: "postgres", User: url.UserPassword(role, password), Path: "/" + database, RawQuery: host.Encode()}).String()
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err = c.check(ctx, address(database))
	if code(err) == noSuchDatabase {
		err = makeDatabase(ctx, address("postgres"))
		if err == nil {
			err = c.check(ctx, address(database))
		}
	}
	if err == nil {
		c.url, c.socket = address(database), file.socket
		return true, nil
	}
	switch code(err) {
	case "", cannotConnectNow, adminShutdown, tooManyConnection, noSuchDatabase:
		var other *otherServer
		if errors.As(err, &other) || errors.Is(err, fs.ErrPermission) {
			return false, err
		}
		return false, nil
	}
	return false, fmt.Errorf("the server in %s refuses vitrine: %w", c.home.path, err)
}

// otherServer is the error for a server at this socket with another data directory.
type otherServer struct{ want, got string }

func (e *otherServer) Error() string {
	return fmt.Sprintf("the socket belongs to the server of %s, not of %s", e.got, e.want)
}

func (c *Cluster) check(ctx context.Context, address string) error {
	return withConnection(ctx, address, func(conn *pgx.Conn) error {
		var dir string
		if err := conn.QueryRow(ctx, "SHOW data_directory").Scan(&dir); err != nil {
			return err
		}
		if filepath.Clean(dir) != c.home.data() {
			return &otherServer{want: c.home.data(), got: dir}
		}
		return nil
	})
}

func makeDatabase(ctx context.Context, address string) error {
	return withConnection(ctx, address, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CREATE DATABASE "+database)
		return err
	})
}

func withConnection(ctx context.Context, address string, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	return errors.Join(do(conn), conn.Close(ctx))
}

// code returns the SQLSTATE in err, or empty for an error that no server sent.
func code(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	return ""
}
