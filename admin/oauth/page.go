package oauth

import (
	"bytes"
	"html/template"
	"net/url"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// field is a hidden field of a form.
type field struct{ Name, Value string }

func (r *request) hidden() (list []field) {
	for i, value := range r.fields() {
		list = append(list, field{names[i], *value})
	}
	return list
}

// signInPage asks for email and password. problem says why the last attempt failed.
func signInPage(a asked, email, problem string) api.Response {
	status := 200
	if problem != "" {
		status = 400
	}
	return show(status, "", "sign-in", map[string]any{"Client": a.client.Name, "Host": hostOf(a.Redirect), "Fields": a.hidden(), "Email": email, "Problem": problem})
}

// choicePage asks for shop, contour and decision.
func choicePage(a asked, person people.Person, shops []people.Membership, sealed string) api.Response {
	var rights []shop.ScopeInfo
	for _, s := range shop.Scopes {
		for _, asked := range a.scopes {
			if s.Scope == asked {
				rights = append(rights, s)
			}
		}
	}
	return show(200, a.Redirect, "choice", map[string]any{
		"Client": a.client.Name, "Host": hostOf(a.Redirect), "Email": person.Email, "Shops": shops, "Rights": rights, "Consent": sealed,
	})
}

func errorPage(f *fault) api.Response {
	return show(f.status, "", "error", map[string]any{"Problem": f.description, "Code": f.code})
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// show renders a page. Browsers apply form-action also to the redirect after a form, so the address
// of the client is allowed there.
func show(status int, redirect, name string, data map[string]any) api.Response {
	var body bytes.Buffer
	if err := pages.ExecuteTemplate(&body, name, data); err != nil {
		return fail("server_error", "the page cannot be shown").response()
	}
	target := ""
	if u, err := url.Parse(redirect); err == nil && u.Host != "" {
		target = " " + u.Scheme + "://" + u.Host
		if strings.Contains(u.Host, "[") { // CSP has no IPv6 addresses
			target = " " + u.Scheme + ":"
		}
	}
	return api.Response{Status: status, ContentType: "text/html; charset=utf-8", Body: body.Bytes(), Header: map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'" + target,
		"X-Frame-Options":         "DENY", "Referrer-Policy": "same-origin",
	}}
}

// pages are plain HTML without scripts. Names of clients and shops are what somebody typed.
var pages = template.Must(template.New("pages").Parse(`
{{define "top"}}<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{{.}} · vitrine</title>
<style>
:root { color-scheme: light dark; --text: light-dark(#1c2024, #e6e8eb); --mute: light-dark(#5b6570, #9aa4af); --back: light-dark(#fff, #14171a);
  --line: light-dark(#c4cbd3, #434c56); --link: light-dark(#0b5cad, #7db7f2); --bad: light-dark(#b3261e, #f2b8b5); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 32rem; padding: 2rem 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
label, legend { font-weight: 600; }
fieldset { border: 0; padding: 0; margin: 1rem 0; }
fieldset label { font-weight: 400; display: block; margin: .5rem 0; }
input[type=email], input[type=password], input[type=text], select { display: block; width: 100%; margin: .25rem 0 1rem; padding: .625rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 6px; }
select option { color: #1c2024; background: #fff; }
button { min-height: 44px; padding: .5rem 1.25rem; margin: .5rem .75rem 0 0; font: inherit; font-weight: 600; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
button.main { color: light-dark(#fff, #14171a); background: var(--link); border-color: var(--link); }
.mute { color: var(--mute); }
.bad { color: var(--bad); font-weight: 600; }
li { margin: .25rem 0; }
</style>
</head>
<body>
<main>{{end}}
{{define "bottom"}}</main>
</body>
</html>
{{end}}
{{define "sign-in"}}{{template "top" "Sign in"}}
<h1>{{.Client}} asks for access to your shop</h1>
<p>Sign in to see what it asks for. Your password stays here; the program does not get it.</p>
{{with .Problem}}<p class="bad" role="alert">{{.}}</p>{{end}}
<form method="post" action="/oauth/authorize">
{{range .Fields}}<input type="hidden" name="{{.Name}}" value="{{.Value}}">
{{end}}<label for="email">Email</label>
<input id="email" type="email" name="email" value="{{.Email}}" autocomplete="username" maxlength="254" required>
<label for="password">Password</label>
<input id="password" type="password" name="password" autocomplete="current-password" maxlength="256" required>
<label for="code">Code of your authenticator app, if you have one</label>
<input id="code" type="text" name="code" autocomplete="one-time-code" maxlength="64">
<button class="main">Sign in</button>
</form>
<p class="mute">Afterwards you return to {{.Host}}.</p>
{{template "bottom"}}{{end}}
{{define "choice"}}{{template "top" "Access"}}
<h1>Let {{.Client}} act for you?</h1>
<p>You are signed in as {{.Email}}. The program calls itself “{{.Client}}”; nobody has checked this name. Afterwards you return to <strong>{{.Host}}</strong>.</p>
{{if .Shops}}<form method="post" action="/oauth/authorize">
<input type="hidden" name="consent" value="{{.Consent}}">
<label for="company">Shop</label>
<select id="company" name="company_id">
{{range .Shops}}<option value="{{.Company}}">{{.Name}} ({{.Slug}}, {{.Role}})</option>
{{end}}</select>
<fieldset>
<legend>Where it may write</legend>
<label><input type="radio" name="contour" value="dev" checked> The draft: visitors see nothing until it is published</label>
<label><input type="radio" name="contour" value="prod"> The live shop: visitors see every change at once</label>
</fieldset>
<p><strong>What it may do</strong></p>
<ul>
{{range .Rights}}<li>{{.Opens}}{{if .Sensitive}} <span class="bad">(sensitive)</span>{{end}} <span class="mute">{{.Scope}}</span></li>
{{end}}</ul>
<p class="mute">Rights that your role in the shop does not have are left out. You can end this access at any time among the grants of your account.</p>
<button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Refuse</button>
</form>
{{else}}<p class="bad" role="alert">You are not a member of any shop, so there is nothing to allow.</p>
<form method="post" action="/oauth/authorize"><input type="hidden" name="consent" value="{{.Consent}}"><button name="decision" value="deny">Back to the program</button></form>
{{end}}{{template "bottom"}}{{end}}
{{define "error"}}{{template "top" "Access"}}
<h1>This cannot go on</h1>
<p>{{.Problem}}</p>
<p class="mute">{{.Code}}</p>
{{template "bottom"}}{{end}}
`))
