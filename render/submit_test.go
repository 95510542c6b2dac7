package render

import (
	"regexp"
	"strings"
	"testing"
)

var (
	definition = regexp.MustCompile(`\{\{define "([^"]+)"\}\}`)
	inclusion  = regexp.MustCompile(`\{\{template "([^"]+)"[^}]*\}\}`)
	anyForm    = regexp.MustCompile(`(?s)<form[^>]*>.*?</form>`)
	submit     = regexp.MustCompile(`<button[^>]*type="submit"[^>]*>`)
)

// Enter in a field presses the first submit button of its form. A button that ignores what the form
// requires, such as the one that asks for a code, is never the first, but for the one of the checkout
// that shows the delivery options: Enter in an address must not order.
func TestEnterSendsTheForm(t *testing.T) {
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, f := range files {
		text, err := templateFiles.ReadFile("templates/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		starts := definition.FindAllStringSubmatchIndex(string(text), -1)
		for i, at := range starts {
			end := len(text)
			if i+1 < len(starts) {
				end = starts[i+1][0]
			}
			bodies[string(text[at[2]:at[3]])] = string(text[at[1]:end])
		}
	}
	var whole func(body string, depth int) string
	whole = func(body string, depth int) string {
		return inclusion.ReplaceAllStringFunc(body, func(call string) string {
			if depth == 0 {
				return ""
			}
			return whole(bodies[inclusion.FindStringSubmatch(call)[1]], depth-1)
		})
	}
	forms := 0
	for name, body := range bodies {
		for _, form := range anyForm.FindAllString(whole(body, 3), -1) {
			forms++
			if first := submit.FindString(form); strings.Contains(first, "formnovalidate") != (name == "zone-checkout" && strings.Contains(first, `value="place"`)) {
				t.Errorf("%s: Enter presses %s", name, first)
			}
		}
	}
	if forms < 20 {
		t.Errorf("only %d forms", forms)
	}
}
