# Varnish 7 in front of the edges of vitrine. Needs the module xkey (Debian: varnish-modules).
#
# Start it with
#   varnishd -f default.vcl -a :80 -s malloc,1g -p http_req_hdr_len=16k -p http_resp_hdr_len=16k
# let the edges trust its forwarding headers
#   VITRINE_TRUSTED_PROXIES=<network of Varnish>
# and let the workers tell it what has changed
#   VITRINE_PURGE=varnish:http://<host of Varnish>:<port>
vcl 4.1;

import xkey;

backend edge {
	.host = "{{.EdgeHost}}";
	.port = "{{.EdgePort}}";
}

# The machines that run workers.
acl purgers {
	"127.0.0.1";
	"::1";
}

sub vcl_recv {
	if (req.method == "PURGE") {
		# Varnish has added the caller to X-Forwarded-For. If there is another address, a front on
		# this machine passes on the request of a visitor.
		if (client.ip !~ purgers || req.http.X-Forwarded-For ~ ",") {
			return (synth(403, "Forbidden"));
		}
		if (!req.http.Surrogate-Key) {
			return (synth(400, "No keys"));
		}
		return (synth(200, "Purged " + xkey.purge(req.http.Surrogate-Key)));
	}
	# Only vitrine's own cookies change its pages; those of scripts stay in the browser.
	set req.http.Cookie = regsuball(";" + req.http.Cookie, "; +", ";");
	set req.http.Cookie = regsuball(req.http.Cookie, ";(__Host-)?(vitrine-[^;]*)", "; \1\2");
	set req.http.Cookie = regsuball(req.http.Cookie, ";[^ ][^;]*", "");
	set req.http.Cookie = regsuball(req.http.Cookie, "^[; ]+|[; ]+$", "");
	if (req.http.Cookie == "") {
		unset req.http.Cookie;
	}
}

sub vcl_backend_response {
	set beresp.http.xkey = beresp.http.Surrogate-Key;
	# Visitors see the last pages while the edges are restarted.
	if (beresp.ttl > 0s) {
		set beresp.grace = 10m;
	}
	if (beresp.status >= 500 && bereq.is_bgfetch) {
		return (abandon);
	}
}

sub vcl_deliver {
	unset resp.http.xkey;
}
