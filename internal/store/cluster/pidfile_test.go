package cluster

import (
	"path/filepath"
	"testing"
)

func TestPidFile(t *testing.T) {
	for text, want := range map[string]pidFile{
		"41\n/d\n17\n5432\n/run\n\n 7 1\nready   \n": {pid: 41, port: 5432, socket: "/run"},
		"41\n/d\n17\n5432\n/run\n":                   {pid: 41, port: 5432, socket: "/run"},
		"41\n/d\n17\n5432\n/ru":                      {pid: 41}, // cut short: not /ru
		"41\n/d\n17\n99999\n/run\n\n":                {pid: 41},
		"41\n/d\n17\n5432\n\nlocalhost\n":            {pid: 41}, // TCP only
		"41\n":                                       {pid: 41},
		"":                                           {},
		"0\n":                                        {},
		"1\n":                                        {},
		"-41\n":                                      {},
		"99999999999999999999\n/d\n17\n5432\n/run\n": {},
	} {
		got, ok := parsePidFile(text)
		if got != want || ok != (want.pid != 0) {
			t.Errorf("%q: %+v %v, want %+v", text, got, ok, want)
		}
	}
}

func FuzzPidFile(f *testing.F) {
	f.Add("41\n/d\n17\n5432\n/run\n\n 7 1\nready   \n")
	f.Add("-1")
	f.Fuzz(func(t *testing.T, text string) {
		file, ok := parsePidFile(text)
		if !ok && file != (pidFile{}) {
			t.Fatalf("refused, but %+v", file)
		}
		if ok && file.pid < 2 {
			t.Fatalf("a signal to %d would reach more than a server", file.pid)
		}
		if (file.socket == "") != (file.port == 0) || file.socket != "" && !filepath.IsAbs(file.socket) {
			t.Fatalf("half an address: %+v", file)
		}
	})
}

func TestVersionLine(t *testing.T) {
	for line, want := range map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18beta1\n":                        0,
		"postgres (PostgreSQL) 17\n":                             17,
		"postgres (EnterpriseDB) 15.1\n":                         0,
		"initdb (PostgreSQL) 15.18\n":                            0,
		"postgres (PostgreSQL) 99999\n":                          0,
		"":                                                       0,
	} {
		if got := parseVersion(line); got != want {
			t.Errorf("%q: %d, want %d", line, got, want)
		}
	}
}
