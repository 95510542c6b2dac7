package main

import (
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestOnlyProcessesOfAnEdgeHaveTimerSlack(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd := exec.Command("cat", "/proc/self/timerslack_ns")
	cmd.Stdout = &out
	if err := startWithSlack(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || strings.TrimSpace(out.String()) != strconv.Itoa(int(timerSlack)) {
		t.Errorf("%v, %q", err, out.String())
	}
	if after, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0); err != nil || after != before {
		t.Errorf("this thread has %d afterwards, had %d: %v", after, before, err)
	}
}
