package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/store"
	"vitrine/internal/store/cluster"
)

type doctorCmd struct{}

// Limits of a healthy installation.
const (
	diagnosisTime = 5 * time.Second // of one check
	clockOff      = 5 * time.Second // between this machine and the database
	leastFree     = 1 << 30         // bytes in the data dir
)

// diagnosis is the result of one check.
type diagnosis struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// errSkipped is the result of a check that needs something that another check found missing.
var errSkipped = errors.New("not checked, because the database does not answer")

// Run checks what the processes with these settings depend on. It waits for nothing.
func (*doctorCmd) Run(ctx context.Context, s *Settings) (err error) {
	d := doctor{s: s}
	defer func() { err = errors.Join(err, d.close()) }()
	var list []diagnosis
	var wrong []string
	for _, c := range []struct {
		name string
		run  func(context.Context) (detail string, err error)
	}{
		{"settings", d.settings}, {"certificates", d.certificates}, {"disk", d.disk}, {"database", d.database}, {"schema", d.schema},
		{"clock", d.clock}, {"replica", d.replica}, {"bucket", d.bucket}, {"installation", d.installation}, {"mail", d.mail},
	} {
		within, cancel := context.WithTimeout(ctx, diagnosisTime)
		detail, err := c.run(within)
		cancel()
		if err != nil {
			detail = err.Error()
			wrong = append(wrong, c.name)
		}
		list = append(list, diagnosis{c.name, err == nil, detail})
	}
	if err := printJSON(map[string]any{"ok": len(wrong) == 0, "checks": list}); err != nil {
		return err
	}
	if len(wrong) > 0 {
		return fmt.Errorf("not well: %s", strings.Join(wrong, ", "))
	}
	return nil
}

type doctor struct {
	s  *Settings
	db *database // nil: does not answer
}

func (d *doctor) close() error {
	if d.db == nil {
		return nil
	}
	return d.db.close()
}

func (d *doctor) settings(context.Context) (string, error) {
	s := d.s
	hosts, err := s.storefronts()
	if err != nil {
		return "", err
	}
	_, proxies := s.proxies()
	_, caches := s.caches()
	_, receivers := s.receivers()
	_, traces := s.collector()
	_, _, mailbox := s.mailbox(hosts)
	if err := errors.Join(s.checkProcesses(), s.checkCaches(), s.checkTLS(hosts), proxies, caches, receivers, traces, mailbox); err != nil {
		return "", err
	}
	note := withoutCookies(hosts.Origin("shop", ""))
	if note == "" {
		note = "storefronts at " + hosts.Origin("{shop}", "") + ", the admin API at " + s.adminURL()
	}
	return note, nil
}

func (d *doctor) certificates(context.Context) (string, error) {
	if d.s.TLSCert == "" {
		return "none from files", nil
	}
	return d.s.TLSCert, d.s.checkCertificates()
}

func (d *doctor) disk(context.Context) (string, error) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(d.s.DataDir, &fs); err != nil {
		return "", fmt.Errorf("%s: %w", d.s.DataDir, err)
	}
	free := int64(fs.Bavail) * fs.Bsize
	detail := fmt.Sprintf("%s has %.1f GB free", d.s.DataDir, float64(free)/(1<<30))
	if free < leastFree {
		return "", errors.New(detail)
	}
	return detail, nil
}

func (d *doctor) database(ctx context.Context) (string, error) {
	if d.s.DatabaseURL == "" && !cluster.Exists(d.s.DataDir) {
		return "", fmt.Errorf("there is none in %s yet: vitrine serve creates it", d.s.DataDir)
	}
	db, err := startServer(ctx, d.s, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", err
	}
	if db.Store, err = store.Open(ctx, db.url); err == nil {
		if err = db.Ping(ctx); err != nil {
			db.Close()
		}
	}
	if err != nil {
		return "", errorsWith(err, db.stopServer())
	}
	d.db = db
	return db.where(), nil
}

func (d *doctor) schema(ctx context.Context) (string, error) {
	if d.db == nil {
		return "", errSkipped
	}
	return "of this version or one that it works with", d.db.CheckSchema(ctx)
}

func (d *doctor) clock(ctx context.Context) (string, error) {
	if d.db == nil {
		return "", errSkipped
	}
	there, err := d.db.Clock(ctx)
	if err != nil {
		return "", err
	}
	off := time.Since(there).Abs().Round(time.Millisecond)
	if off > clockOff {
		return "", fmt.Errorf("differs by %v from that of the database", off)
	}
	return fmt.Sprintf("%v from that of the database", off), nil
}

func (d *doctor) replica(ctx context.Context) (string, error) {
	if d.s.ReplicaURL == "" {
		return "none is configured (VITRINE_REPLICA_URL)", nil
	}
	if d.db == nil {
		return "", errSkipped
	}
	behind, err := d.db.CheckReplica(ctx, d.s.ReplicaURL)
	return fmt.Sprintf("a standby of the database, %d bytes of its log behind", behind), err
}

func (d *doctor) bucket(ctx context.Context) (string, error) {
	blobs, err := openBlobs(d.s)
	if err == nil {
		_, err = blobs.Owner(ctx)
	}
	return "answers", err
}

func (d *doctor) installation(ctx context.Context) (string, error) {
	if d.db == nil {
		return "", errSkipped
	}
	blobs, err := openBlobs(d.s)
	if err != nil {
		return "", err
	}
	m, err := d.s.member(blobs)
	if err != nil {
		return "", err
	}
	in, _, err := d.db.Installation(ctx)
	if err != nil {
		return "", err
	}
	if in.ID == uuid.Nil {
		return "none yet: the first process writes the record", nil
	}
	wrong, err := m.differences(ctx, in)
	if err == nil {
		if wrong = append(wrong, m.moved(in)...); len(wrong) > 0 {
			err = differs(in, wrong)
		}
	}
	return in.ID.String(), err
}

func (d *doctor) mail(context.Context) (string, error) {
	if d.s.SMTPURL == "" {
		return "no server is configured (VITRINE_SMTP_URL): emails are stored, but not sent", nil
	}
	return "a server is configured; it was not called", nil
}
