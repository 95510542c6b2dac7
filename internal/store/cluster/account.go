package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is the system user that runs the server.
type account struct {
	uid, gid int
	name     string
	drop     bool // this process is root and must drop to the account first
}

// serverAccount returns this process's own user or, for root, the first existing one of
// postgres and nobody.
func serverAccount() (account, error) {
	if uid := os.Geteuid(); uid != 0 {
		return account{uid: uid, gid: os.Getegid(), name: userName(uid)}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		entry, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(entry.Uid)
		gid, gidErr := strconv.Atoi(entry.Gid)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return account{uid: uid, gid: gid, name: name, drop: true}, nil
		}
	}
	return account{}, fmt.Errorf(
		"PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody to run it as: make one, or run vitrine as an ordinary user",
	)
}

// ownerOf returns the account for an existing data directory. Root runs the server as the
// owner of the files, so that a volume keeps working when it is moved between machines with
// different uids for postgres. Any other user must be the owner.
func (a account) ownerOf(dir string) (account, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return account{}, err
	}
	uid, gid := owner(info)
	if uid == a.uid {
		return a, nil
	}
	if !a.drop {
		return account{}, fmt.Errorf(
			"%s belongs to %s, and vitrine runs as %s: run it as that user, or chown the folder", dir, userName(uid), a.name,
		)
	}
	if uid == 0 {
		return account{}, fmt.Errorf("%s belongs to root, as whom PostgreSQL refuses to run: chown -R %s it", dir, a.name)
	}
	return account{uid: uid, gid: gid, name: userName(uid), drop: true}, nil
}

// applyTo makes cmd run as the account, in a separate session: Ctrl-C at the terminal is for
// vitrine, which stops the server after its own work is done. The environment is cleared of
// everything that could redirect PostgreSQL (PGDATA, PGOPTIONS, LC_…).
func (a account) applyTo(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.drop {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/", "LC_ALL=C.UTF-8", "TZ=UTC"}
}

// canEnter lets the kernel decide: a child running as the account changes into dir, so
// modes, access lists and mounts all count.
func (a account) canEnter(dir string, server binaries) bool {
	cmd := exec.Command(server.path("postgres"), "--version")
	a.applyTo(cmd)
	cmd.Dir = dir
	return cmd.Run() == nil
}

// chown makes the account the owner of path. It does nothing when this process runs as the
// account.
func (a account) chown(path string) error {
	if !a.drop {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

func owner(info os.FileInfo) (uid, gid int) {
	stat := info.Sys().(*syscall.Stat_t)
	return int(stat.Uid), int(stat.Gid)
}

// userName is the name of a system user, or "user 1234" for one without.
func userName(uid int) string {
	if entry, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return entry.Username
	}
	return fmt.Sprintf("user %d", uid)
}
