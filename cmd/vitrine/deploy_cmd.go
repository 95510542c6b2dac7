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
	"caddy": {"Caddyfile"}, "haproxy": {"haproxy.cfg"}, "nginx": {"nginx.conf"}, "systemd": {"vitrine.service", "vitrine.socket"}, "varnish": {"varnish.vcl"},
	"prometheus": {"rules.yml"}, "grafana": {"dashboard.json"},
}

// deploysAsIs are files that do not depend on the settings.
var deploysAsIs = map[string]bool{"prometheus": true, "grafana": true}

type deployCmd struct {
	What  string `arg:"" enum:"caddy,grafana,haproxy,nginx,prometheus,systemd,varnish" help:"caddy, grafana (a dashboard), haproxy, nginx, prometheus (alerts), systemd or varnish."`
	HTTP  string `default:":80" help:"Address on which the front listens for http, of haproxy and nginx."`
	HTTPS string `name:"https" default:":443" help:"Address on which the front listens for https."`
	Cert  string `help:"File with the certificate and its chain, for haproxy with the key; without it haproxy and nginx speak http only."`
	Key   string `help:"File with the key of the certificate, for nginx."`
}

// deployment is what the files depend on.
type deployment struct {
	Edge, Admin, Ops                     string // addresses at which the processes are reached
	EdgeHost, EdgePort, OpsHost, OpsPort string
	EdgeStream                           string // address to listen on, as systemd writes it
	AdminHost                            string // of VITRINE_ADMIN_URL
	Program                              string
	HTTP, HTTPS, Cert, Key               string
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
	if s.TLS != "off" && c.What != "systemd" {
		return fmt.Errorf("%s reaches the processes without TLS: set VITRINE_TLS=off, or let visitors come to them directly", c.What)
	}
	d := deployment{HTTP: c.HTTP, HTTPS: c.HTTPS, Cert: c.Cert, Key: c.Key}
	if c.What == "nginx" { // it writes * for all addresses
		for _, listen := range []*string{&d.HTTP, &d.HTTPS} {
			if strings.HasPrefix(*listen, ":") {
				*listen = "*" + *listen
			}
		}
	}
	var err error
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
	d.AdminHost = admin.Hostname()
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
