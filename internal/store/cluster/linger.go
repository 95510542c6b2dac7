package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// watcher is a script that stops the server once no process has used it for some seconds.
// It uses the locks of the package comment, so that it needs neither vitrine nor this
// process: its arguments are the home and the seconds.
const watcher = `
cd "$1" || exit 1
exec 9>>watcher.lock
flock -w 5 9 || exit 0                      # one watcher is enough
while :; do
	flock users.lock true                   # returns when nobody holds it
	sleep "$2"
	flock start.lock flock -n users.lock sh -c '
		flock -n server.lock true && exit 0 # gone already
		pid=$(head -n 1 data/postmaster.pid)
		if [ ! -d /proc/self ] || [ "/proc/$pid/cwd" -ef data ]; then kill -INT "$pid"; fi
		flock server.lock true
	' && exit 0
done
`

// Linger leaves the stopping to a small background process, for programs that cannot call
// Stop at their end (a test binary): it waits until the last process that uses the server
// has ended, in whatever way, and until idle has passed without a new one. Call it after
// Start, instead of Stop, and keep the Cluster referenced: its lock is released with it. It
// needs flock(1) of util-linux, which every Debian has.
func (c *Cluster) Linger(idle time.Duration) error {
	if _, err := exec.LookPath("flock"); err != nil {
		return fmt.Errorf("private PostgreSQL: nobody will stop the server in %s: %w", c.home.path, err)
	}
	seconds := strconv.FormatFloat(idle.Seconds(), 'f', 1, 64)
	cmd := exec.Command("sh", "-c", watcher, "vitrine-watcher", c.home.path, seconds)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("private PostgreSQL: %w", err)
	}
	return cmd.Process.Release()
}
