package edge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"vitrine/compile/redirect"
)

// stars is nine stars, each in a segment of its own.
const stars = "*/*/*/*/*/*/*/*"

// fullSet is a redirect set at the ceilings: 19,800 exact rules and 200 masks of
// nine stars (document 3, section 8).
func fullSet() (rules []redirect.Rule) {
	for i := range 19_800 {
		rules = append(rules, rule(fmt.Sprintf("/old/catalogue/item-%d.php", i), fmt.Sprintf("/shoes/item-%d", i)))
	}
	for i := range 200 {
		mask := rule(fmt.Sprintf("/blog/%s/post-%d-*", stars, i), "/news/$1/$9")
		mask.Kind = redirect.Pattern
		rules = append(rules, mask)
	}
	return rules
}

// BenchmarkRedirects sends redirects of a full set over HTTP, beside a bare
// handler that writes the same answer, and beside nginx with the same rules in
// one map. It reports requests a second and processor time as ratios to the bare
// handler.
func BenchmarkRedirects(b *testing.B) {
	if findNginx() == "" {
		b.Fatal("nginx is the peer of this comparison: make bench installs it")
	}
	w := newWorld(b)
	w.rules(fullSet()...)
	edge := listening(b, w.edge.Serve)
	peer := nginxMap(b)
	for _, c := range []struct{ name, target string }{
		{"exact", "/old/catalogue/item-19799.php"},
		{"last-mask", "/blog/1/2/3/4/5/6/7/8/post-199-x"},
		{"miss", "/blog/1/2/3/4/5/6/7/8/post-none-x"},
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
			b.ReportMetric(median(ours, run.rate)/median(theirs, run.rate), "x-nginx-req/s")
			b.ReportMetric(median(ours, run.cpu)/median(theirs, run.cpu), "x-nginx-cpu")
			b.ReportMetric(median(ours, run.cpu), "cpu-us/req")
			b.ReportMetric(median(theirs, run.cpu), "nginx-cpu-us/req")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// nginxMap is nginx with the rules of fullSet: exact sources and regular
// expressions in one map, as its manual advises for large sets.
func nginxMap(b *testing.B) *nginx {
	var rules strings.Builder
	for i := range 19_800 {
		fmt.Fprintf(&rules, "/old/catalogue/item-%d.php /shoes/item-%d;\n", i, i)
	}
	star := strings.ReplaceAll(stars, "*", "([^/]+)")
	for i := range 200 {
		fmt.Fprintf(&rules, "~*^/blog/%s/post-%d-([^/]+)$ /news/$1/$9;\n", star, i)
	}
	http := "map_hash_max_size 65536; map_hash_bucket_size 256; absolute_redirect off; map $uri $to { default ''; " + rules.String() + " }"
	server := `add_header Cache-Control "public, max-age=60" always; add_header X-Redirect-By map always;
		location / { if ($to) { return 308 $to$is_args$args; } return 404; }`
	return runNginx(b, b.TempDir(), http, server, "/")
}
