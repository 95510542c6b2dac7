// Package cluster manages the private PostgreSQL server that vitrine runs when
// VITRINE_DATABASE_URL is empty: it creates the cluster once, starts it from the installed
// server binaries, and stops it when no process uses it any more. It never downloads a
// server, and never deletes a database.
//
// # Layout
//
// The cluster's home is the folder pg of the data dir:
//
//	<data dir>/pg/             0700, or 0711 when root owns it
//	    data/                  PGDATA, 0700, owned by the server's user
//	    run/                   the Unix socket, 0700, owned by the server's user
//	    password               of the database role vitrine, 0600
//	    postgres.log           output of the server; postgres.log.1 the one before
//	    start.lock users.lock server.lock
//	<data dir>/pg.location     only when the home is elsewhere: its path
//
// PostgreSQL refuses to run as root, so root drops to the user postgres, or else nobody. If
// that user cannot enter the data dir (below /root, for example), the home is
// /var/lib/vitrine/<hash of the data dir>-<its id>/pg, and pg.location contains this path. If
// the socket path is longer than the kernel allows, only the socket moves, to
// /tmp/vitrine-<hash>, after a check that the folder belongs to the server's user and is
// closed to others.
//
// There is no TCP port. Only the server's user and root can enter the socket folder, and
// connections authenticate with the random password by scram-sha-256: so root connects
// without peer mapping, and a folder opened by mistake does not expose the database.
//
// # Stopping the server
//
// Three files are locked with flock, which the kernel releases when a process ends, however
// it ends:
//
//   - start.lock, exclusive: by a process while it starts or stops the server,
//     and by initdb, so that no two run at once.
//   - users.lock, shared: by every process that uses the cluster, from Start to
//     Stop. Stop shuts the server down only when no other process holds it. So a
//     command on the command line uses the server of a running serve, or else
//     starts one and stops it afterwards, with the same two calls.
//   - server.lock, exclusive: inherited by the server and all its backends. Free
//     means that none of them is left, whatever postmaster.pid contains.
//
// A server that outlives a killed vitrine is found through server.lock, checked, and used;
// the last user stops it as usual. A killed server recovers at the next start.
//
// # Restarting the server
//
// A server that dies while it is in use is restarted by one of the processes that supervise
// it, under start.lock: at once, and with growing pauses if it does not stay up. So it
// comes back without intervention, for example after a full disk has space again.
//
// # Why not pg_ctl
//
// pg_ctl trusts postmaster.pid: when another process has got the process id in it, pg_ctl
// reports that the server runs, and its stop signals that process. The locks, the check of
// the process, and the wait for the last backend would still be needed.
//
// # Guarantees
//
// A data directory with a PG_VERSION is never removed or emptied. One of a different major
// version than all installed servers is refused and left unchanged. initdb works in a
// folder next to it that is renamed only when complete, so an incomplete cluster is
// recognised and created again.
package cluster
