// Package cluster keeps the private PostgreSQL server that vitrine runs when
// VITRINE_DATABASE_URL is empty: it makes the cluster once, starts it from the
// installed server binaries, and stops it when nobody uses it any more. It
// never downloads a server, and never deletes a database.
//
// # Where things are
//
// The cluster's home is the folder pg of the data dir:
//
//	<data dir>/pg/             0700, or 0711 when root owns it
//	    data/                  PGDATA, 0700, owned by the server's user
//	    run/                   the Unix socket, 0700, owned by the server's user
//	    password               of the database role vitrine, 0600
//	    postgres.log           what the server says; postgres.log.1 the one before
//	    start.lock users.lock server.lock
//	<data dir>/pg.location     only when the home is elsewhere: its path
//
// PostgreSQL refuses to run as root, so root drops to the user postgres, or
// else nobody. Where that user cannot enter the data dir (below /root, say), the
// home is /var/lib/vitrine/<hash of the data dir>-<its id>/pg, and pg.location says so. A
// socket path longer than the kernel takes moves the socket alone, to
// /tmp/vitrine-<hash>, after a check that the folder is ours and closed.
//
// There is no TCP port. Inside the socket folder, which only the server's user
// and root can enter, connections prove the random password by scram-sha-256:
// so root connects without peer mapping, and a folder opened by mistake opens
// no database.
//
// # Who stops it
//
// Three files are locked with flock, which the kernel lets go when a process
// ends, however it ends:
//
//   - start.lock, exclusive: by a process while it starts or stops the server,
//     and by initdb, so that two never meet.
//   - users.lock, shared: by every process that uses the cluster, from Start to
//     Stop. Stop shuts the server down only when no other process holds it:
//     whoever leaves last turns off the light. So a verb on the command line
//     borrows the server of a running serve, or else starts one and stops it
//     afterwards, with the same two calls.
//   - server.lock, exclusive: inherited by the server and all its backends. Free
//     means that none of them is left, whatever postmaster.pid says.
//
// A server that outlives a killed vitrine is found through server.lock, asked
// who it is, and used; the last user stops it as always. A killed server
// recovers by itself at the next start.
//
// # Who brings it back
//
// A server that dies while it is used is started again by one of the processes
// that supervise it, under start.lock: at once, and when it does not stay up with
// growing pauses. So after a full disk got room again, nobody has to start it.
//
// # Why not pg_ctl
//
// pg_ctl trusts postmaster.pid: when another process has got the number in it, it
// says that the server runs, and its stop sends that process a signal. The locks,
// the check of the process, and the wait for the last backend would all stay.
//
// # What it never does
//
// A data directory with a PG_VERSION is never removed or emptied. One of another
// major version than any installed server is refused and left as it is. initdb
// works in a folder beside it that gets its name only when complete, so a
// half-made cluster is recognised and made again.
package cluster
