package main

import (
	"regexp"
	"strings"
	"testing"
)

// An invited person joins with the code passed on by the operator: it is printed in the log
// and by "vitrine letters", and nowhere else.
func TestInvitationCodeIsShownOnlyToTheOperator(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.shop("tea")
	r := p.start()
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"].(string)
	p.must(owner, "POST", "/v1/orgs/current/members", map[string]any{"email": "ann@example.test", "role": "editor"})
	letter := p.verb("letters")["letters"].([]any)[0].(map[string]any)
	code := regexp.MustCompile(`vi_\w{36}`).FindString(letter["text"].(string))
	if letter["kind"] != "invitation" || letter["to"] != "ann@example.test" || letter["subject"] != "Invitation to Shop tea" || code == "" {
		t.Errorf("letter %v", letter)
	}
	joined := p.must("", "POST", "/v1/auth/invitations/accept", map[string]any{"code": code, "password": "my own password"})
	ann := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "ann@example.test", "password": "my own password"})
	if user := ann["user"].(map[string]any); user["role"] != "editor" || user["id"] != joined["user_id"] {
		t.Errorf("user %v, joined %v", user, joined)
	}
	r.stop()
	if log := r.stderr.String(); strings.Count(log, code) != 1 ||
		!strings.Contains(log, "level=INFO msg=letter kind=invitation to=ann@example.test") {
		t.Errorf("the log has the code %d times", strings.Count(log, code))
	}
	if _, stderr, err := p.run("letters", "--limit", "0"); err == nil || !strings.HasPrefix(stderr, "vitrine: ") {
		t.Errorf("%v %q", err, stderr)
	}
}
