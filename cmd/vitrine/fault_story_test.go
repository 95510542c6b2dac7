package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
	"vitrine/internal/blob/blobtest"
	"vitrine/internal/certificate/certtest"
)

var faultNames = flag.String("faults", "^kill -9 of a", "regular expression for the faults to cause; make faults causes all and writes FAULTS.md")

// fault is something that breaks while a shop sells.
type fault struct {
	name  string
	lasts time.Duration
	// strike breaks something, and returns what ends the fault: a supervisor starts what has ended, or
	// somebody empties the disk. Nothing is done to the processes of vitrine.
	strike func(*platform) (heal func())
	// alone: everything works again during the fault.
	alone bool
	// spared see no failed request.
	spared []string
}

// everybody is spared by faults that machines hide from each other.
var everybody = []string{theVisitors, theBuyers, theOwners, theUploads}

// faultsOfOneServer are those of a platform with one database server.
var faultsOfOneServer = []fault{
	{"kill -9 of an edge", 5 * time.Second, kill("edge"), true, []string{theVisitors, theOwners}},
	{"kill -9 of an admin process", 5 * time.Second, kill("admin"), true, []string{theVisitors, theBuyers}},
	{"kill -9 of a worker", 5 * time.Second, kill("worker"), true, everybody},
	{"a worker stopped with its leases (SIGSTOP) for 40 s", 40 * time.Second, stopWorker, true, everybody},
	{"PostgreSQL stopped for 60 s", 60 * time.Second, func(p *platform) func() { p.db.stop(); return p.db.start }, false, nil},
	{"PostgreSQL frozen (SIGSTOP) for 30 s", 30 * time.Second, freezeServer, false, nil},
	{"restore to a point in time", 0, restoreEarlier, false, nil},
	{"connections exhausted for 20 s", 20 * time.Second, takeConnections, false, nil},
	{"the database is read-only for 20 s", 20 * time.Second, demoteServer, false, []string{theVisitors}},
	{"the database's disk is full for 20 s", 20 * time.Second, fillServer, false, nil},
	{"the database's disk is full while a certificate is ordered", 0, fillDuringOrder, true, everybody},
	{"the disks of all processes are full for 20 s", 20 * time.Second, fillMachines, false, []string{theVisitors, theBuyers, theOwners}},
	{"bucket gone for 30 s", 30 * time.Second, bucket((*blobtest.Proxy).Cut), false, []string{theVisitors, theBuyers, theOwners}},
	{"bucket slow (0.3 s for each 4 KB) for 30 s", 30 * time.Second, bucket(func(line *blobtest.Proxy) { line.Slow(300 * time.Millisecond) }), true, []string{theVisitors, theBuyers, theOwners}},
	{"bucket frozen for 30 s", 30 * time.Second, bucket((*blobtest.Proxy).Freeze), false, []string{theVisitors, theBuyers, theOwners}},
	{"bucket frozen for 60 s while the upkeep lists it", 60 * time.Second, freezeListing, false, []string{theVisitors, theBuyers, theOwners}},
	{"the clocks of an edge, an admin process and a worker are an hour ahead for 20 s", 20 * time.Second, moveClocks("1h"), true, everybody},
	{"the clocks of an edge, an admin process and a worker are an hour behind for 20 s", 20 * time.Second, moveClocks("-1h"), true, everybody},
	{"a certificate expires", 0, expireCertificate, true, everybody},
	{"two releases at once", 10 * time.Second, olderRelease, true, nil},
}

// faultsOfACluster are those of a platform with Patroni and pgbouncer.
var faultsOfACluster = []fault{
	{"planned switchover", 5 * time.Second, switchOver, true, nil},
	{"failover, with a synchronous standby", 20 * time.Second, failOver, true, nil},
	{"failover with lost WAL", 20 * time.Second, failOverWithLoss, true, nil},
	{"kill -9 of pgbouncer, back after 5 s", 5 * time.Second, func(p *platform) func() { p.pool.kill(); return p.pool.start }, false, nil},
	{"pgbouncer frozen (SIGSTOP) for 10 s", 10 * time.Second, func(p *platform) func() { return p.freeze(p.pool.cmd.Process.Pid) }, false, nil},
}

// While people visit, buy and sell, things break one after the other. Whatever was acknowledged is
// kept, nothing is done twice, and everything works again without a manual step.
func TestFaults(t *testing.T) {
	chosen := chosenFaults(t, faultsOfOneServer)
	if len(chosen) == 0 {
		return
	}
	db := newReplicaIn(t, smallDisk(t, 1<<30))
	if slices.ContainsFunc(chosen, func(f fault) bool { return strings.HasPrefix(f.name, "restore") }) {
		db.archive()
	}
	p := newPlatform(t, db.cluster.URL()+fewConnections, blobtest.Start(t), roleCounts{edges: 2, admins: 2, workers: 2})
	p.db, p.url = db, db.cluster.URL()
	p.start()
	p.sell(p.front)
	for _, f := range chosen {
		p.suffer(f)
	}
}

// The demonstration of a whole platform on one machine: three edges, two admin processes and two
// workers, with Varnish before HAProxy, over pgbouncer, two PostgreSQL servers under Patroni, and an S3
// server.
func TestDemoCluster(t *testing.T) {
	chosen := chosenFaults(t, faultsOfACluster)
	if len(chosen) == 0 {
		return
	}
	varnish := freeAddress(t)
	cluster := newPatroni(t, newMachine(t), freeAddress(t))
	migrated := newMachine(t)
	migrated.env = append(migrated.env, "VITRINE_DATABASE_URL="+cluster.url())
	migrated.verb("migrate")
	pool := poolable(t, cluster.url(), "server_login_retry = 1")
	p := newPlatform(t, pool.url, blobtest.Start(t), roleCounts{edges: 3, admins: 2, workers: 2}, "VITRINE_PURGE=varnish:http://"+varnish)
	p.cluster, p.pool, p.url = cluster, pool, cluster.url()
	p.start()
	behind := p.with("VITRINE_EDGE_LISTEN=" + p.front)
	background(t, "varnishd", "-F", "-j", "none", "-n", t.TempDir(), "-a", varnish, "-s", "malloc,40m", "-f", behind.deployed("default.vcl", "varnish"))
	p.sell(varnish)
	for _, f := range chosen {
		p.suffer(f)
	}
}

func chosenFaults(t *testing.T, of []fault) (list []fault) {
	t.Helper()
	chosen, err := regexp.Compile(*faultNames)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range of {
		if chosen.MatchString(f.name) {
			list = append(list, f)
		}
	}
	return list
}

// sell opens the shop; its visitors and buyers come through a front.
func (p *platform) sell(front string) {
	p.t.Helper()
	p.market = newMarket(p.t, p.program, front, p.front)
	p.market.open()
	opened := time.Now()
	if !await.Until(func() bool { return len(p.market.waiting(opened)) == 0 }) {
		p.t.Fatalf("no success of %v; people saw %v", p.market.waiting(opened), p.market.take())
	}
}

// suffer lets one fault happen, and checks what is left.
func (p *platform) suffer(f fault) {
	t, m := p.t, p.market
	t.Helper()
	m.take()
	p.excused, p.remark = nil, ""
	works := func(what string, since time.Time) time.Duration {
		if !await.Within(2*await.Limit, func() bool { return len(m.waiting(since)) == 0 }) {
			t.Fatalf("%s: %s no success of %v; people saw %v", f.name, what, m.waiting(since), m.take())
		}
		return time.Since(since)
	}
	back := time.Duration(0)
	heal := f.strike(p)
	struck := time.Now()
	if f.alone {
		back = works("during the fault", struck)
	}
	<-time.After(f.lasts - time.Since(struck))
	heal()
	healed := time.Now()
	if took := works("afterwards", healed); !f.alone {
		back = took
	}
	for _, one := range p.machines {
		wait(t, "all processes are ready", func() bool { status, _ := one.askOps("/readyz"); return status == http.StatusOK })
	}
	shown := p.rename("After " + f.name)
	seen := m.take()
	for _, who := range f.spared {
		if len(seen[who].failed) > 0 {
			t.Errorf("%s: %s saw %v", f.name, who, seen[who].failed)
		}
	}
	if len(p.excused) == 0 {
		for who, s := range seen {
			for status := range s.failed {
				if !slices.Contains([]string{"none", "409", "429", "502", "503", "504"}, status) {
					t.Errorf("%s: %s saw %v", f.name, who, s.failed)
				}
			}
		}
	}
	lost, doubled, gone := m.account(p.url, p.excused...)
	for _, what := range lost {
		t.Errorf("%s: lost: %s", f.name, what)
	}
	for _, what := range doubled {
		t.Errorf("%s: doubled: %s", f.name, what)
	}
	r := faultRow{fault: f, seen: seen, back: back, shown: shown, lost: len(lost), doubled: len(doubled), gone: gone, excused: len(p.excused) > 0, remark: p.remark}
	t.Log(r.line())
	faultReport.add(t, r)
}

// rename changes the name of the sign, and returns how long it takes until the last edge shows it.
func (p *platform) rename(name string) time.Duration {
	p.t.Helper()
	owner := p.market.client(2)
	wait(p.t, "an edit", func() bool {
		status, _, err := owner.api("PUT", "/products/"+p.market.sign, "", map[string]any{"item": map[string]any{"name": name}})
		return err == nil && status == http.StatusOK
	})
	return p.shows(name)
}

func kill(role string) func(*platform) func() {
	return func(p *platform) func() {
		m := p.of(role)[0]
		m.kill()
		return func() { m.again(); m.awaitReady() }
	}
}

// freeze stops processes, which keep their connections.
func (p *platform) freeze(pids ...int) (thaw func()) {
	p.t.Helper()
	signal := func(s syscall.Signal) {
		p.t.Helper()
		for _, pid := range pids {
			if err := syscall.Kill(pid, s); err != nil && err != syscall.ESRCH {
				p.t.Fatal(err)
			}
		}
	}
	signal(syscall.SIGSTOP)
	return func() { signal(syscall.SIGCONT) }
}

func stopWorker(p *platform) func() { return p.freeze(p.of("worker")[0].cmd.Process.Pid) }

func freezeServer(p *platform) func() { return p.freeze(p.db.processes()...) }

// restoreEarlier replaces the database by a restored backup with the WAL up to a moment.
func restoreEarlier(p *platform) func() {
	point := time.Now()
	p.rename("Lost")
	p.db.goBackTo(point)
	p.excused = append(p.excused, stretch{point, time.Now()})
	p.remark = fmt.Sprintf("The last edge shows what the restored database says %s after its return.", short(p.showsRestored()))
	return func() {}
}

// showsRestored waits until the edges show the name of the sign that the database has.
func (p *platform) showsRestored() time.Duration {
	p.t.Helper()
	conn, err := pgx.Connect(p.t.Context(), p.url)
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(p.t.Context()))
	var name string
	if err := conn.QueryRow(p.t.Context(), `SELECT name FROM product WHERE id = $1::int`, p.market.sign).Scan(&name); err != nil {
		p.t.Fatal(err)
	}
	if name == "Lost" {
		p.t.Error("the database has lost nothing")
	}
	return p.shows(name)
}

// takeConnections opens all connections of the server, and each that becomes free.
func takeConnections(p *platform) func() {
	ctx, cancel := context.WithCancel(p.t.Context())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			var held []*pgx.Conn
			for ctx.Err() == nil {
				if conn, err := pgx.Connect(ctx, p.url); err == nil {
					held = append(held, conn)
					continue
				}
				select {
				case <-ctx.Done():
				case <-time.After(20 * time.Millisecond):
				}
			}
			for _, conn := range held {
				_ = conn.Close(context.WithoutCancel(ctx)) // the server may have closed it
			}
		})
	}
	// A process that starts meanwhile waits for its part.
	admin := p.of("admin")[0]
	admin.stop()
	admin.again()
	return func() { cancel(); all.Wait() }
}

// demoteServer makes the server a standby. Edges have the pages that people visit while it starts again.
func demoteServer(p *platform) func() {
	for _, edge := range p.of("edge") {
		visitor := &customer{market: p.market, http: through(edge.edge, "127.0.0.2")}
		for range 3 {
			visitor.visitOnce()
		}
	}
	p.db.demote()
	return p.db.promote
}

// fillServer fills the disk of the database server. A supervisor starts the server again until it stays.
func fillServer(p *platform) func() {
	free := p.fill(p.db.dir, p.db.processes())
	return func() {
		free()
		if !p.db.lives() {
			p.remark = "The server had ended and was started again."
			p.db.stop()
			p.db.start()
		}
	}
}

// fillMachines fills the disks of the processes of vitrine.
func fillMachines(p *platform) func() {
	var all []func()
	for _, m := range p.machines {
		all = append(all, p.fill(m.disk(), []int{m.cmd.Process.Pid}))
	}
	return func() {
		for _, free := range all {
			free()
		}
	}
}

func bucket(breaks func(*blobtest.Proxy)) func(*platform) func() {
	return func(p *platform) func() {
		breaks(p.bucket.Proxy)
		return p.bucket.Proxy.Restore
	}
}

// freezeListing freezes the bucket while a worker that has just started holds the lock of the upkeep.
// Another one gets it although the bucket stays frozen.
func freezeListing(p *platform) func() {
	conn, err := pgx.Connect(p.t.Context(), p.url)
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(p.t.Context()))
	held := func() (yes bool) {
		err := conn.QueryRow(p.t.Context(), `SELECT EXISTS (SELECT FROM pg_locks, hashtextextended('alone:upkeep', 0) AS of
			WHERE locktype = 'advisory' AND (classid::bigint << 32 | objid::bigint) = of)`).Scan(&yes)
		if err != nil {
			p.t.Fatal(err)
		}
		return yes
	}
	worker := p.of("worker")[0]
	worker.stop()
	p.bucket.Proxy.Slow(300 * time.Millisecond)
	worker.again()
	wait(p.t, "the upkeep begins", held)
	p.bucket.Proxy.Freeze()
	frozen := time.Now()
	wait(p.t, "the upkeep gives up", func() bool { return !held() })
	p.remark = fmt.Sprintf("The upkeep gave up its lock after %s.", short(time.Since(frozen)))
	return p.bucket.Proxy.Restore
}

// moveClocks moves the clocks of one process of each role.
func moveClocks(by string) func(*platform) func() {
	return func(p *platform) func() {
		set := func(by string) {
			for _, role := range []string{"edge", "admin", "worker"} {
				if err := os.WriteFile(filepath.Join(p.of(role)[0].dir, "clock"), []byte(by), 0o600); err != nil {
					p.t.Fatal(err)
				}
			}
		}
		set(by)
		return func() { set("0s") }
	}
}

// expireCertificate serves the shop with a certificate that expires, until its files are replaced.
func expireCertificate(p *platform) func() {
	authority := certtest.New(p.t)
	authority.Valid = 10 * time.Second
	other := newProgram(p.t) // of another installation, since the platform speaks no TLS
	cert, key := authority.Files(p.t, other.dir, "*.localhost", "localhost")
	other.env = append(other.env, "VITRINE_TLS=files", "VITRINE_TLS_CERT="+cert, "VITRINE_TLS_KEY="+key)
	other.shop("tea")
	running := other.start()
	_, port, _ := net.SplitHostPort(other.edge)
	client := securely(authority, other.edge, 2)
	secure := func() error {
		response, err := client.Get("https://tea.localhost:" + port + "/")
		if err == nil {
			response.Body.Close()
		}
		return err
	}
	wait(p.t, "the certificate expires", func() bool { err := secure(); return err != nil && strings.Contains(err.Error(), "expired") })
	authority.Valid = time.Hour
	authority.Files(p.t, other.dir, "*.localhost", "localhost")
	renewed := time.Now()
	wait(p.t, "the renewed certificate is used", func() bool { return secure() == nil })
	p.remark = fmt.Sprintf("Visitors over TLS saw an expired certificate until its files were replaced, and the renewed one %s later, without a restart.", short(time.Since(renewed)))
	running.stop()
	return func() {}
}

// fillDuringOrder fills the disk of the database server of another installation, since the platform
// speaks no TLS, while an authority checks the domain of its shop.
func fillDuringOrder(p *platform) func() {
	t := p.t
	db := newReplicaIn(t, smallDisk(t, 400<<20))
	other, plain := newMachine(t), freeAddress(t)
	ca := startPebble(t, portOf(t, plain), portOf(t, other.edge), 3600, "PEBBLE_VA_SLEEPTIME=5")
	own := certtest.New(t)
	cert, key := own.Files(t, other.dir, "*.localhost", "localhost")
	other.env = append(other.env, "VITRINE_DATABASE_URL="+db.cluster.URL()+fewConnections, "VITRINE_SECRET_KEY="+aKey,
		"VITRINE_TLS=acme", "VITRINE_ACME_DIRECTORY="+ca.directory, "VITRINE_ACME_EMAIL=operator@example.test", "SSL_CERT_FILE="+ca.roots,
		"VITRINE_EDGE_HTTP_LISTEN="+plain, "VITRINE_TLS_CERT="+cert, "VITRINE_TLS_KEY="+key,
		"VITRINE_STOREFRONT_URL=https://{shop}.localhost:"+portOf(t, other.edge), "VITRINE_ADMIN_URL=https://localhost:"+portOf(t, other.admin))
	token := other.shop("tea")
	running := other.start()
	domain := &owner{t, securely(own, other.admin, 2), token}
	record := domain.call("PUT", map[string]any{"domain": "tea.example.test"})["records"].([]any)[0].(map[string]any)
	other.dns.SetTXT(record["name"].(string), record["value"].(string))
	wait(t, "the authority has an order", func() bool { return ca.orders() > 0 })
	free := p.fill(db.dir, db.processes())
	visitor := securely(own, other.edge, 2)
	visitor.Transport.(*http.Transport).TLSClientConfig.InsecureSkipVerify = true // the root of the authority is made at its start
	served := func() bool {
		response, err := visitor.Get("https://tea.example.test:" + portOf(t, other.edge) + "/")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK && response.TLS.PeerCertificates[0].VerifyHostname("tea.example.test") == nil
	}
	<-time.After(20 * time.Second) // the order ends meanwhile
	early := served()
	free()
	freed := time.Now()
	if !db.lives() { // a supervisor starts it again
		db.stop()
		db.start()
	}
	if !await.Within(3*await.Limit, served) {
		t.Fatalf("the shop is not served over TLS: %v\n%.3000s", domain.call("GET", nil), running.stderr)
	}
	took := short(time.Since(freed))
	wait(t, "the domain is active", func() bool { return domain.call("GET", nil)["state"] == "active" })
	p.remark = fmt.Sprintf("Its shop was served over TLS %s after there was space, with %d orders.", took, ca.orders())
	if early {
		p.remark = fmt.Sprintf("The certificate was stored all the same, with %d orders.", ca.orders())
	}
	if ca.orders() > 4 {
		t.Errorf("%d orders for one certificate", ca.orders())
	}
	running.stop()
	return func() {}
}

// olderRelease runs the release before in half of the processes.
func olderRelease(p *platform) func() {
	before := releaseBefore(p.t)
	if before == "" {
		p.remark = "Not caused: this checkout does not have the release before."
		return func() {}
	}
	replace := func(binary string) {
		for _, role := range []string{"edge", "admin", "worker"} {
			m := p.of(role)[0]
			m.stop()
			m.program.binary = binary
			m.again()
			m.awaitReady()
		}
	}
	replace(before)
	return func() { replace(os.Args[0]) }
}

func switchOver(p *platform) func() {
	from, to := p.cluster.leader(), p.cluster.standby()
	if status, text := from.ask("POST", "/switchover", map[string]any{"leader": from.name, "candidate": to.name}); status != http.StatusOK {
		p.t.Fatalf("%d %s", status, text)
	}
	return p.cluster.whole
}

// failOver ends the machine of the leader. It is started again after a while, as what it is by then.
func failOver(p *platform) func() {
	p.cluster.whole()
	wait(p.t, "the standby is synchronous", func() bool { return strings.Contains(p.cluster.members(), "sync_standby") })
	leader := p.cluster.leader()
	leader.kill()
	wait(p.t, "another leader", p.cluster.writable)
	return func() { leader.start(); p.cluster.whole() }
}

// failOverWithLoss ends the machine of the leader while its standby does not receive what it writes.
func failOverWithLoss(p *platform) func() {
	c := p.cluster
	c.configure(map[string]any{"synchronous_mode": false, "maximum_lag_on_failover": 1 << 30})
	c.whole()
	leader := c.leader()
	wait(p.t, "the standby is asynchronous", func() bool { return !strings.Contains(c.members(), "sync_standby") })
	senders := named(leader.processes(), "walsender")
	if len(senders) != 1 {
		p.t.Fatalf("processes that send WAL: %v", senders)
	}
	paused := time.Now()
	p.freeze(senders...)
	p.rename("Lost")
	wait(p.t, "writes that will be lost", func() bool { return len(p.market.waiting(paused)) == 0 })
	leader.kill()
	killed := time.Now()
	wait(p.t, "another leader", c.writable)
	returned := time.Now()
	p.excused = append(p.excused, stretch{paused, returned})
	p.remark = fmt.Sprintf("The database was unavailable for %s; the last edge shows what it says %s after its return.", short(returned.Sub(killed)), short(p.showsRestored()))
	return func() {
		leader.start()
		c.configure(map[string]any{"synchronous_mode": true, "maximum_lag_on_failover": 1 << 20})
		c.whole()
	}
}
