package main

import (
	"embed"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	texts "text/template"
)

//go:embed deploy
var deployFiles embed.FS

// deployNames maps what `vitrine deploy` prints to the files.
var deployNames = map[string][]string{
	"caddy": {"Caddyfile"}, "compose": {"compose.yaml"}, "haproxy": {"haproxy.cfg"}, "nginx": {"nginx.conf"}, "patroni": {"patroni.yml"},
	"systemd": {"vitrine.service", "vitrine.socket"}, "varnish": {"varnish.vcl"}, "prometheus": {"rules.yml"}, "grafana": {"dashboard.json"},
}

// deploysAsIs are files that do not depend on the settings.
var deploysAsIs = map[string]bool{"prometheus": true, "grafana": true}

type deployCmd struct {
	What  string `arg:"" enum:"caddy,compose,grafana,haproxy,nginx,patroni,prometheus,systemd,varnish" help:"caddy, compose, grafana (a dashboard), haproxy, nginx, patroni, prometheus (alerts), systemd or varnish."`
	HTTP  string `default:":80" help:"Address on which the front listens for http, of haproxy and nginx."`
	HTTPS string `name:"https" default:":443" help:"Address on which the front listens for https."`
	Cert  string `help:"File with the certificate and its chain, for haproxy with the key; without it haproxy and nginx speak http only."`
	Key   string `help:"File with the key of the certificate, for nginx."`

	Hosts string            `help:"File with the tables of shop hosts, for haproxy or caddy in front of several installations."`
	Pod   map[string]string `help:"Name and edge address of an installation in that file, such as a=10.0.0.1:8080; hosts that the file lacks go to the one of the settings."`

	Database string   `default:"127.0.0.1:5432" help:"Address on which haproxy listens for connections to the leader of a Patroni cluster."`
	Postgres []string `help:"Address of PostgreSQL on a database machine: for patroni of its own, for haproxy of each."`
	Patroni  []string `help:"Address of Patroni on a database machine; as many as --postgres, in the same order."`
	Name     string   `default:"node1" help:"Name of the database machine, for patroni."`
	Etcd     []string `default:"127.0.0.1:2379" help:"Addresses of etcd, for patroni."`
	Data     string   `default:"/var/lib/postgresql/vitrine" help:"Folder of the database's files, for patroni."`
}

// node is a database machine of a Patroni cluster.
type node struct {
	Postgres   string // address
	Host, Port string // of Patroni
}

// nodes pairs the addresses of PostgreSQL with those of Patroni.
func (c *deployCmd) nodes() (list []node, err error) {
	if len(c.Postgres) != len(c.Patroni) {
		return nil, fmt.Errorf("--postgres and --patroni belong together: name both for each database machine")
	}
	for n, address := range c.Postgres {
		one := node{Postgres: address}
		if _, _, err := net.SplitHostPort(address); err != nil {
			return nil, fmt.Errorf("--postgres: %w", err)
		}
		if one.Host, one.Port, err = net.SplitHostPort(c.Patroni[n]); err != nil {
			return nil, fmt.Errorf("--patroni: %w", err)
		}
		list = append(list, one)
	}
	return list, nil
}

// deployment is what the files depend on.
type deployment struct {
	Edge, Admin, Ops                     string // addresses at which the processes are reached
	EdgeHost, EdgePort, OpsHost, OpsPort string
	EdgeStream                           string // address to listen on, as systemd writes it
	AdminHost                            string // of VITRINE_ADMIN_URL
	StorefrontURL, AdminURL              string
	Program                              string
	HTTP, HTTPS, Cert, Key, Hosts        string
	Pods                                 map[string]string
	Database                             string // on which haproxy listens
	Nodes                                []node
	Name, Postgres, Patroni, Data        string // of one database machine
	Etcd                                 []string
}

// Run prints the configuration of another program that runs with vitrine, for the settings given.
func (c *deployCmd) Run(s *Settings) error {
	if deploysAsIs[c.What] {
		text, err := deployFiles.ReadFile("deploy/" + deployNames[c.What][0])
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(text)
		return err
	}
	if c.What == "nginx" && (c.Cert == "") != (c.Key == "") {
		return fmt.Errorf("--cert and --key belong together")
	}
	if err := c.checkPods(); err != nil {
		return err
	}
	if s.TLS != "off" && c.What != "systemd" && c.What != "patroni" {
		return fmt.Errorf("%s reaches the processes without TLS: set VITRINE_TLS=off, or let visitors come to them directly", c.What)
	}
	d := deployment{HTTP: c.HTTP, HTTPS: c.HTTPS, Cert: c.Cert, Key: c.Key, Database: c.Database, Name: c.Name, Etcd: c.Etcd, Data: c.Data, Hosts: c.Hosts, Pods: c.Pod}
	var err error
	if d.Nodes, err = c.nodes(); err != nil {
		return err
	}
	if c.What == "patroni" {
		if len(d.Nodes) != 1 {
			return fmt.Errorf("patroni needs the addresses of its machine: --postgres 10.0.0.1:5432 --patroni 10.0.0.1:8008")
		}
		d.Postgres, d.Patroni = c.Postgres[0], c.Patroni[0]
	}
	if c.What == "nginx" { // it writes * for all addresses
		for _, listen := range []*string{&d.HTTP, &d.HTTPS} {
			if strings.HasPrefix(*listen, ":") {
				*listen = "*" + *listen
			}
		}
	}
	for _, l := range []struct {
		name, listen        string
		address, host, port *string
	}{
		{"VITRINE_EDGE_LISTEN", s.EdgeListen, &d.Edge, &d.EdgeHost, &d.EdgePort}, {"VITRINE_ADMIN_LISTEN", s.AdminListen, &d.Admin, new(string), new(string)},
		{"VITRINE_OPS_LISTEN", s.OpsListen, &d.Ops, &d.OpsHost, &d.OpsPort},
	} {
		if *l.host, *l.port, err = net.SplitHostPort(l.listen); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		// The front connects to what listens on all addresses at this machine.
		if ip, err := netip.ParseAddr(*l.host); *l.host == "" || err == nil && ip.IsUnspecified() {
			*l.host = "127.0.0.1"
		}
		*l.address = net.JoinHostPort(*l.host, *l.port)
	}
	d.EdgeStream = strings.TrimPrefix(s.EdgeListen, ":") // it writes the port alone for all addresses
	admin, err := url.Parse(s.adminURL())
	if err != nil {
		return fmt.Errorf("VITRINE_ADMIN_URL: %w", err)
	}
	d.AdminHost, d.AdminURL = admin.Hostname(), s.adminURL()
	if d.StorefrontURL, err = s.storefrontURL(); err != nil {
		return err
	}
	if d.Program, err = os.Executable(); err != nil {
		return err
	}
	for i, name := range deployNames[c.What] {
		t, err := texts.ParseFS(deployFiles, "deploy/"+name)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Println()
		}
		if err := t.Execute(os.Stdout, d); err != nil {
			return err
		}
	}
	return nil
}
