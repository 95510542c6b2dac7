package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"
)

// A person registers, proves the address with the code of a letter, adds an authenticator app and a
// passkey, signs out another browser, and sets a new password with a code after forgetting it.
// In a wide and in a narrow window.
func TestPersonRegistersAndSecuresTheAccount(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin))
	p.shop("tea")
	p.start()
	for _, width := range []int64{1280, 390} {
		email := fmt.Sprintf("kim%d@example.com", width)
		shot := func(b *tab, name string) {
			b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
			shoot(b.t, b.ctx, "/cabinet/"+name, width)
		}
		b := cabinet(t, p, width)
		b.pushes("Create an account")
		b.types("[name=name]", "Kim")
		b.types("[name=email]", email)
		b.types("[name=password]", "short")
		b.click("main [type=submit]")
		b.shows("8 to 256 characters.")
		b.is(`document.activeElement.name`, "password")
		shot(b, "register")
		b.types("[name=password]", "a long password")
		b.click("main [type=submit]")
		b.types("[name=letter-code]", "000000")
		b.pushes("Confirm the address")
		b.shows("This code is wrong")
		b.types("[name=letter-code]", sixDigits.FindString(p.letterTo(email)))
		b.pushes("Confirm the address")
		b.shows("You are not a member of any shop yet.")
		if me := b.answers(200, "GET", "/v1/auth/me", nil); me["proven"] != true || me["name"] != "Kim" {
			t.Errorf("%v", me)
		}

		b.pushes("Account")
		b.shows("Authenticator app")
		b.is(`document.body.innerText.includes('not confirmed')`, "false")
		b.pushes("Set up the app")
		b.until(`document.querySelector('main svg[role=img]') && document.querySelector('main code')`)
		shot(b, "app")
		code, err := totp.GenerateCode(b.text(`document.querySelector('main code').textContent`), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		b.types("[name=app-code]", code)
		b.pushes("Set up the app")
		b.shows("They are shown only now")
		recovery := strings.Split(b.text(`[...document.querySelectorAll('main code')].map((e) => e.textContent).join()`), ",")
		if len(recovery) != 10 {
			t.Fatal(recovery)
		}
		shot(b, "recovery")
		b.pushes("I have kept them")
		b.shows("Recovery codes left: 10.")

		b.hasPasskeys()
		b.types("[name=passkey-name]", "Laptop")
		b.pushes("Add a passkey")
		b.shows("Added ")
		b.pushes("Name of the passkey: Laptop")
		b.types("[role=dialog] input", "Desk")
		b.pushes("Save")
		b.pushes("Delete: Desk")
		b.shows("“Desk” will no longer sign you in.")
		b.pushes("Delete")
		b.shows("None yet.")

		other := cabinet(t, p, width)
		other.entersCabinet(email, "a long password")
		other.pushes("Use a recovery code")
		other.types("[name=code]", recovery[0])
		other.click("main [type=submit]")
		other.shows("You are not a member of any shop yet.")
		if err := chromedp.Do(b.ctx, chromedp.Reload()); err != nil {
			t.Fatal(err)
		}
		b.shows("This browser")
		shot(b, "account")
		b.pushes("Sign out everywhere else")
		b.shows("Signed out there")
		other.answers(401, "GET", "/v1/auth/me", nil)
		b.until(`!document.body.innerText.includes('Sign out everywhere else')`)

		b.pushes("Sign out")
		b.pushes("Forgot the password?")
		b.types("[name=email]", email)
		b.click("main [type=submit]")
		b.until(`document.querySelector('[name=letter-code]')`)
		b.types("[name=letter-code]", sixDigits.FindString(p.letterTo(email)))
		b.types("[name=password]", "another long password")
		b.pushes("Set the password")
		b.pushes("Use a recovery code")
		b.types("[name=code]", recovery[1])
		shot(b, "forgot")
		b.pushes("Set the password")
		b.shows("Authenticator app")
		b.pushes("Sign out")
		b.entersCabinet(email, "a long password")
		b.shows("Email or password is wrong.")
		for _, found := range append(b.complaints(), other.complaints()...) {
			if !strings.Contains(found, "401") && !strings.Contains(found, "400") { // the browser reports the refusals above
				t.Error(found)
			}
		}
	}
}
