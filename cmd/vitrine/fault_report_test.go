package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// faultRow is what a fault did.
type faultRow struct {
	fault
	seen                map[string]*sight
	back, shown         time.Duration
	lost, doubled, gone int
	excused             bool
	remark              string
}

// line is the row in the log of a test.
func (r faultRow) line() string {
	text := fmt.Sprintf("%s: works again after %s, an edit is shown after %s, lost %d, gone with the WAL %d, doubled %d. %s", r.name, short(r.back), short(r.shown), r.lost, r.gone, r.doubled, r.remark)
	for _, who := range everybody {
		text += fmt.Sprintf("\n\t%s: %s", who, r.seen[who])
	}
	return text
}

// String is a cell of the table.
func (s *sight) String() string {
	text := fmt.Sprintf("%d requests", s.requests)
	for _, status := range slices.Sorted(maps.Keys(s.failed)) {
		name := status
		if status == "none" {
			name = "without a response"
		}
		text += fmt.Sprintf(", %d %s", s.failed[status], name)
	}
	return text + ", longest gap " + short(s.longest)
}

// short formats a duration as people say it.
func short(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// faultReport collects the rows of all faults for FAULTS.md.
var faultReport report

type report struct {
	mu   sync.Mutex
	rows []faultRow
}

// add adds a row. Once all faults have happened and none has failed, it writes the file.
func (r *report) add(t *testing.T, row faultRow) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.Failed() {
		return
	}
	r.rows = append(r.rows, row)
	if len(r.rows) < len(faultsOfOneServer)+len(faultsOfACluster) {
		return
	}
	if err := os.WriteFile(filepath.Join("..", "..", "FAULTS.md"), []byte(r.text()), 0o644); err != nil {
		t.Fatal(err)
	}
}

const faultsHead = "# Faults\n" + `
What people see while a platform breaks. ` + "`make faults`" + ` writes this page: it runs a shop on several processes behind HAProxy,
lets visitors, buyers and owners act through it with real requests, breaks one thing after the other, and compares what
was acknowledged with what exists afterwards. No fault needs a manual step: a supervisor starts what has ended.

- **Visitors** read three pages, **buyers** fill carts and order on the shop's host, **owners** add products, **uploads** are
  files that the owner sends and visitors read. A request that fails is repeated with the same ` + "`Idempotency-Key`" + `.
- A gap is the time between two successful responses to people of one kind, including the pauses between their requests
  (50 ms of visitors, 0.4 s of buyers, 0.5 s of owners, 0.4 s of uploads).
- *Works again* is the time until all kinds of people have succeeded with requests that began after the end of the fault;
  where others take over, after its beginning. *Shown* is the time from an edit to the page of the last edge.
- *Lost* counts acknowledged orders, products and uploads that are gone. What was acknowledged but not yet on the standby,
  or after the moment that is restored, cannot come back: it stands in brackets. *Doubled* counts what exists twice.

The times are those of one run on a machine with two cores.

`

// text is the page.
func (r *report) text() string {
	var b strings.Builder
	b.WriteString(faultsHead)
	table := func(title string, of []fault) {
		fmt.Fprintf(&b, "## %s\n\n| Fault | Visitors | Buyers | Owners | Uploads | Works again | Shown | Lost | Doubled |\n|---|---|---|---|---|---|---|---|---|\n", title)
		for _, row := range r.rows {
			if !slices.ContainsFunc(of, func(f fault) bool { return f.name == row.name }) {
				continue
			}
			lost := fmt.Sprint(row.lost)
			if row.excused {
				lost += fmt.Sprintf(" (%d)", row.gone)
			}
			name := row.name
			if row.remark != "" {
				name += ". " + row.remark
			}
			fmt.Fprintf(&b, "| %s |", name)
			for _, who := range everybody {
				fmt.Fprintf(&b, " %s |", row.seen[who])
			}
			fmt.Fprintf(&b, " %s | %s | %s | %d |\n", short(row.back), short(row.shown), lost, row.doubled)
		}
		b.WriteString("\n")
	}
	table("Two edges, two admin processes and two workers over one PostgreSQL server and an S3 server", faultsOfOneServer)
	table("Three edges behind Varnish, two admin processes and two workers over pgbouncer and two PostgreSQL servers under Patroni", faultsOfACluster)
	return strings.TrimSpace(b.String()) + "\n"
}
