package edge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"vitrine/compile/redirect"
)

// manyRules is 20,000 exact rules and 200 masks, for the shop and as an nginx map.
func manyRules() (rules []redirect.Rule, nginxMap string) {
	var b strings.Builder
	add := func(kind redirect.Kind, from, to, key, value string) {
		r := rule(from, to)
		r.Kind = kind
		rules = append(rules, r)
		fmt.Fprintf(&b, "%s %s;\n", key, value)
	}
	for i := range 19_800 {
		from, to := fmt.Sprintf("/catalog/phone-%d/item-%06d.htm", i%16, i), fmt.Sprintf("/p/item-%06d", i)
		add(redirect.Exact, from, to, from, to)
	}
	for i := range 200 {
		// The maximum number of stars in a mask, and no first segment to index by.
		source, target := fmt.Sprintf("/blog/*/*/*/*/*/*/*/*/post-%03d-*", i), "/news/$1/$9"
		add(redirect.Pattern, source, target, "\"~*^"+strings.ReplaceAll(source, "*", "([^/]+)")+"$\"", "\""+target+"\"")
	}
	return rules, b.String()
}

// BenchmarkRulesBesideNginx sends requests through a full set of rules: through the edge,
// through nginx with the same set as a map, and through a bare handler that looks nothing
// up. It reports processor time and requests per second as ratios.
func BenchmarkRulesBesideNginx(b *testing.B) {
	w := newWorld(b)
	rules, lines := manyRules()
	w.rules(rules...)
	edge := listening(b, w.edge.Serve)
	peer := nginxWith(b, b.TempDir(), "/", "map_hash_max_size 65536; map_hash_bucket_size 128; absolute_redirect off;\nmap $uri $to {\n"+lines+
		"}\nserver { listen {address}; if ($to) { return 308 $to; } location / { return 404; } }")
	if peer == nil {
		b.Fatal("nginx is not installed: make bench installs it")
	}
	for _, c := range []struct{ name, target string }{
		{"exact", "/catalog/phone-7/item-019799.htm"}, {"mask", "/blog/1/2/3/4/5/6/7/8/post-199-x"}, {"miss", "/blog/1/2/3/4/5/6/7/8/post-none-x"},
	} {
		b.Run(c.name, func(b *testing.B) {
			sample := w.get(c.target)
			if theirs := peer.location(b, c.target); theirs != sample.has("Location") {
				b.Fatalf("nginx leads to %q, the edge to %q", theirs, sample.has("Location"))
			}
			raw := &fasthttp.Server{NoDefaultServerHeader: true, Handler: bareHandler(sample)}
			bare := listening(b, raw.Serve)
			own := func() float64 { return processorTime(b) }
			var ours, ceiling, theirs []run
			for range b.N {
				for range benchRounds {
					ceiling = append(ceiling, drive(b, bare, c.target, "", own))
					ours = append(ours, drive(b, edge, c.target, "", own))
					theirs = append(theirs, drive(b, peer.address, c.target, "", func() float64 { return peer.processorTime(b) }))
				}
			}
			if err := raw.Shutdown(); err != nil {
				b.Error(err)
			}
			b.ReportMetric(median(ours, run.rate)/median(ceiling, run.rate), "x-bare-req/s")
			b.ReportMetric(median(ours, run.cpu)/median(ceiling, run.cpu), "x-bare-cpu")
			b.ReportMetric(median(ours, run.cpu), "cpu-us/req")
			b.ReportMetric(median(ours, run.cpu)/median(theirs, run.cpu), "x-nginx-cpu")
			b.ReportMetric(median(ours, run.rate)/median(theirs, run.rate), "x-nginx-req/s")
			b.ReportMetric(median(theirs, run.cpu), "nginx-cpu-us/req")
			b.ReportMetric(0, "ns/op")
		})
	}
}
