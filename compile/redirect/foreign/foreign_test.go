package foreign

import (
	"errors"
	"strings"
	"testing"

	"vitrine/compile/redirect"
)

var site = Site{Hosts: []string{"shop.test", "www.shop.test"}}

// printed formats a row in one line: "/a -> /b 301 over ?x=1 drop (wider)", several rules joined
// by " | ", or the reason.
func printed(row Row) string {
	if row.Reason != "" {
		return string(row.Reason)
	}
	var list []string
	for _, r := range row.Rules {
		text := r.From + " -> " + r.To
		if r.Kind == redirect.Prefix {
			text = "prefix " + text
		}
		if r.Code == 302 {
			text += " 302"
		}
		if r.OverrideLive {
			text += " over"
		}
		if r.QueryMatch != "" {
			text += " ?" + r.QueryMatch
		}
		if r.DropQuery {
			text += " drop"
		}
		list = append(list, text)
	}
	text := strings.Join(list, " | ")
	if row.Warning != "" {
		text += " (" + string(row.Warning) + ")"
	}
	return text
}

type example struct{ text, want string }

func try(t *testing.T, format Format, list []example) {
	t.Helper()
	for _, c := range list {
		rows, err := Parse(format, c.text, site)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range rows {
			got = append(got, printed(row))
		}
		if text := strings.Join(got, "\n"); text != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.text, text, c.want)
		}
	}
}

// Lines from Netlify's own documentation and from sites that use it.
func TestNetlify(t *testing.T) {
	try(t, Netlify, []example{
		{"# a comment\n\n", ""},
		{"/home              /", "/home -> /"},
		{"/blog/my-post.php  /blog/my-post # why", "/blog/my-post.php -> /blog/my-post"},
		{"/news              /blog          302", "/news -> /blog 302"},
		{"/google            https://www.google.com", "/google -> https://www.google.com"},
		{"/x https://shop.test/y 301!", "/x -> /y over"},
		{"/news/*  /blog/:splat", "prefix /news/* -> /blog"},
		{"/news/*  /blog/:splat?a=1", "/news/** -> /blog/$1?a=1"},
		{"/*  https://new.example/:splat 301!", "prefix /* -> https://new.example over"},
		{"/old/* /sorry", "/old/** -> /sorry"},
		{"/news/:month/:date/:year/:slug  /blog/:year/:month/:date/:slug", "/news/*/*/*/* -> /blog/$3/$1/$2/$4"},
		{"/a/:id/* /b/:splat/:id", "/a/*/** -> /b/$2/$1"},
		{"/articles id=5 /posts/five 301", "/articles -> /posts/five ?id=5"},
		{"/articles id=:id tag=:tag /posts/:tag/:id 301", "condition"},
		{"/ /china 302 Country=cn,hk,tw", "condition"}, {"/china/* /china/zh-cn/:splat 302 Language=zh", "condition"},
		{"/api/* https://api.example.com/:splat 200", "no redirect"}, {"/* /index.html 200", "no redirect"}, {"/* /404 404", "no redirect"},
		{"http://blog.other.test/* https://www.other.test/blog/:splat 301!", "other host"},
		{"https://www.shop.test/a /b", "/a -> /b"},
		{"/alone", "malformed"}, {"/price$1 /b$2", "/price$1 -> /b%242"}, {"nonsense /b", "malformed"},
	})
}

// Lines from nginx's manual, migration guides and forum answers.
func TestNginx(t *testing.T) {
	try(t, Nginx, []example{
		{"rewrite ^/users/(.*)$ /show/$1 permanent;", "prefix /users/* -> /show over"},
		{"rewrite ^/users/(.*)$ /show?user=$1? redirect;", "/users/** -> /show?user=$1 302 over drop"},
		{"rewrite ^(/download/.*)/media/(.*)\\..*$ $1/mp3/$2.mp3 last;", "no redirect"},
		{"rewrite ^/product/([0-9]+)/?$ /item/$1 permanent;", "/product/* -> /item/$1 over (wider)"},
		{"rewrite ^/([^/]+)/([^/]+)\\.html$ /$2/$1 permanent;", "/*/*.html -> /$2/$1 over"},
		{"rewrite ^/(en|de)/shop$ /$1/store permanent;", "/en/shop -> /en/store over | /de/shop -> /de/store over"},
		{"rewrite ^/index\\.html?$ / permanent;", "/index.htm -> / over | /index.html -> / over"},
		{"rewrite ^/a$ /b$is_args$args permanent;", "/a -> /b over"},
		{"rewrite ^ https://shop.test$request_uri? permanent;", "no redirect"},
		{"rewrite (?<!x)y /z permanent;", "expression"}, {"rewrite /y$ /z permanent;", "expression"}, {"rewrite ^/a{2,3}$ /z permanent;", "expression"},
		{"location = /old { return 301 /new; }", "/old -> /new over drop"},
		{"location = /old { return 301 /new$is_args$args; }", "/old -> /new over"},
		{"location =/old{return 302 https://else.test/;}", "/old -> https://else.test/ 302 over drop"},
		{"location ^~ /blog/ { return 301 https://blog.else.test$request_uri; }", "expression"},
		{"location ^~ /blog/ { return 301 /news/; }", "/blog/** -> /news/ over drop (narrower)"},
		{"location ~ ^/cat/(.*)$ { return 301 /c/$1; }", "prefix /cat/* -> /c over drop"},
		{"server { server_name old.test; return 301 https://new.example$request_uri; }", "prefix /* -> https://new.example over"},
		{"location / { return 301 $scheme://new.example$request_uri; }", "prefix /* -> https://new.example over"},
		{"location = /i { if ($arg_id = 5) { return 301 /five; } }", "/i -> /five over ?id=5 drop"},
		{"if ($request_uri ~ \"^/x/(.*)$\") { return 301 /y/$1; }", "prefix /x/* -> /y over drop"},
		{"if ($http_user_agent ~ Mobile) { return 302 /m; }", "condition"},
		{"location / { return 404; } location /x { return 200 ok; }", ""},
		{"map $request_uri $new {\n default \"\";\n /a /b;\n \"/c?id=5\" /five; # why\n ~^/d/(.*)$ /e/$1;\n ~*\\.php$ /gone;\n}\nserver { if ($new) { return 302 $new; } }",
			"/a -> /b 302 over\n/c -> /five 302 over ?id=5\nprefix /d/* -> /e 302 over\nexpression"},
		{"map $http_host $x { a b; }", ""},
		{"location /a { location = /a/b { return 301 /c; } }", "/a/b -> /c over drop"},
		{strings.Repeat("x {", 1000), ""}, {"rewrite ^/a", "malformed"}, {"}}}; ;{", ""}, {"'", ""},
	})
}

// Lines from Apache's manual and from WordPress and Magento guides.
func TestApache(t *testing.T) {
	try(t, Apache, []example{
		{"# c\nRewriteEngine On\n<IfModule mod_rewrite.c>\n</IfModule>\nOptions -Indexes\nErrorDocument 404 /404", ""},
		{"Redirect 301 /service http://foo2.example.com/service", "prefix /service/* -> http://foo2.example.com/service over"},
		{"Redirect permanent \"/one\" \"/two\"", "prefix /one/* -> /two over"},
		{"Redirect /one https://www.shop.test/two", "prefix /one/* -> /two 302 over"},
		{"RedirectPermanent /a.php /a", "prefix /a.php/* -> /a over"},
		{"Redirect gone /x", "no redirect"}, {"Redirect 410 /x", "no redirect"}, {"Redirect 301 /x", "malformed"},
		{"RedirectMatch 301 ^/blog/(.*)$ /news/$1", "prefix /blog/* -> /news over"},
		{"RedirectMatch \"(.*)\\.gif$\" \"http://other.example.com$1.jpg\"", "/*.gif -> http://other.example.com/$1.jpg 302 over (narrower)"},
		{"RewriteRule ^old-page/?$ /new-page [R=301,L]", "/old-page -> /new-page over"},
		{"RewriteBase /shop/\nRewriteRule ^a$ b [R=301,L,NC]", "/shop/a -> /shop/b over"},
		{"RewriteRule ^item/([^/]+)$ /i?n=$1 [R=302,QSA,L]", "/item/* -> /i?n=$1 302 over"},
		{"RewriteRule ^a$ /b? [R=301]", "/a -> /b over drop"}, {"RewriteRule ^a$ /b [R=301,QSD]", "/a -> /b over drop"},
		{"RewriteCond %{QUERY_STRING} ^id=5$\nRewriteRule ^index\\.php$ /five? [R=301,L]\nRewriteRule ^x$ /y [R]", "/index.php -> /five over ?id=5 drop\n/x -> /y 302 over"},
		{"RewriteCond %{QUERY_STRING} (^|&)route=product/product(&|$)\nRewriteRule ^index\\.php$ /p [R=301]", "/index.php -> /p over ?route=product/product"},
		{"RewriteCond %{QUERY_STRING} ^id=([0-9]+)$\nRewriteRule ^index\\.php$ /p/%1 [R=301]", "condition"},
		{"RewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule ^gone/(.*)$ /new/$1 [R=301,L]", "prefix /gone/* -> /new"},
		{"RewriteCond %{HTTP_HOST} ^(www\\.)?shop\\.test$ [NC]\nRewriteRule ^a$ /b [R=301]", "/a -> /b over"},
		{"RewriteCond %{HTTP_HOST} ^old\\.test$\nRewriteRule ^(.*)$ https://shop.test/$1 [R=301]", "condition"},
		{"RewriteCond %{HTTPS} off\nRewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301]", "condition"},
		{"RewriteCond %{REQUEST_URI} ^/a/(.*)$\nRewriteRule .* /b/%1 [R=301]", "prefix /a/* -> /b over"},
		{"RewriteRule . /index.php [L]", ""}, {"RewriteRule ^x$ /y [L]", "no redirect"}, {"RewriteRule ^x$ /y [R=301,P]", "no redirect"}, {"RewriteRule ^x$ - [F]", "no redirect"},
		{"RewriteRule ^long\\\n$ /y \\\n[R=301]", "/long -> /y over"}, {"RewriteRule !^x$ /y [R=301]", "expression"}, {"RewriteMap m txt:/x", "expression"},
		{"RewriteRule ^caf%C3%A9$ /c [R=301]", "/caf%25c3%25a9 -> /c over"}, {"RewriteRule ^a$ //evil.test [R=301]", "refused"},
	})
}

func TestFilesAsAWhole(t *testing.T) {
	if _, err := Parse("caddy", "", site); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	if _, err := Parse(Netlify, strings.Repeat("x", MaxText+1), site); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	rows, err := Parse(Netlify, "\uFEFF/a /b\r/c /d\r\n/e\xff /f", site)
	if err != nil || len(rows) != 3 || rows[1].Line != 2 || rows[0].Rules[0].From != "/a" || !rows[0].Rules[0].Enabled {
		t.Error(rows, err)
	}
}

// For any file, every row has valid rules or a reason, and normalizing the rules again changes
// nothing.
func fuzz(f *testing.F, format Format, seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := Parse(format, text, site)
		if err != nil {
			return
		}
		for _, row := range rows {
			if (len(row.Rules) == 0) != (row.Reason != "") || row.Line < 1 {
				t.Fatalf("%+v", row)
			}
			for _, r := range row.Rules {
				if again, err := redirect.Normalize(r); err != nil || again != r || !r.Enabled {
					t.Fatalf("%+v: %v", r, err)
				}
			}
		}
	})
}

func FuzzNetlify(f *testing.F) {
	fuzz(f, Netlify, "/a/:b/* /c/:splat 301!", "/a x=1 /b 302", "/* /x 200 Country=de", "https://shop.test/a /$1")
}

func FuzzNginx(f *testing.F) {
	fuzz(f, Nginx, "rewrite ^/a/(b|c)/(.*)$ /d/$2/$1 permanent;", "location = /a { return 301 /b$is_args$args; }",
		"map $uri $n { ~^/x(.*) /y$1; \"/a?b=c\" /d; }", "if ($arg_a = 5) { return 301 /x; }")
}

func FuzzApache(f *testing.F) {
	fuzz(
		f, Apache, "RewriteCond %{QUERY_STRING} ^a=b$\nRewriteRule ^x/(.*)\\.php$ /y/$1? [R=301]", "Redirect 301 /a /b",
		"RedirectMatch ^/(a|b){2}$ /c", "RewriteCond %{REQUEST_URI} ^/a(.*)$\nRewriteRule .* /b%1 [R]",
	)
}
