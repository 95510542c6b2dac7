package docs_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/await"
	"vitrine/internal/hook"
)

// console collects the output of a program.
type console struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

func (c *console) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// The receivers in the guide are complete programs: each accepts signed requests, does its work
// once, and refuses everything else. Go is always available; other languages are tested if
// installed.
func TestTheReceiversOfTheGuide(t *testing.T) {
	t.Parallel()
	h := over(t, apitest.New(t).Admin.Table())
	programs := map[string]string{}
	for _, block := range blocks(h.get("/docs/webhooks").body) {
		language, program, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(block), "```"), "\n")
		programs[language] = strings.TrimSuffix(program, "```")
	}
	for language, run := range map[string]struct {
		file string
		with []string
	}{
		"go": {"main.go", []string{"go", "run", "main.go"}}, "python": {"receiver.py", []string{"python3", "-u", "receiver.py"}},
		"js": {"receiver.js", []string{"node", "receiver.js"}}, "php": {"receiver.php", []string{"php", "-S", "127.0.0.1:$PORT", "receiver.php"}},
	} {
		program := programs[language]
		if program == "" {
			t.Errorf("the guide has no receiver in %s", language)
			continue
		}
		if _, err := exec.LookPath(run.with[0]); err != nil && language != "go" {
			t.Logf("%s is not installed", language)
			continue
		}
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			tryReceiver(t, run.file, program, run.with)
		})
	}
}

func tryReceiver(t *testing.T, file, program string, with []string) {
	t.Helper()
	const secret = "sixteen letters!"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	out := &console{}
	for i := range with {
		with[i] = strings.ReplaceAll(with[i], "$PORT", port)
	}
	binary := filepath.Join(dir, "receiver")
	if with[0] == "go" { // built first, so that the process killed later is the program itself
		if text, err := exec.CommandContext(await.Context(t), "go", "build", "-o", binary, filepath.Join(dir, file)).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		with = []string{binary}
	}
	cmd := exec.CommandContext(t.Context(), with[0], with[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.Env = append(os.Environ(), "WEBHOOK_SECRET="+secret, "PORT="+port, "TMPDIR="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	send := func(body []byte, signature string) int {
		t.Helper()
		request, err := http.NewRequestWithContext(await.Context(t), http.MethodPost, "http://127.0.0.1:"+port+"/", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		if signature != "" {
			request.Header.Set("X-Service-Signature", signature)
		}
		var answer *http.Response
		if !await.Until(func() bool {
			request.Body, _ = request.GetBody()
			answer, err = http.DefaultClient.Do(request)
			return err == nil
		}) {
			t.Fatalf("%v: %s", err, out)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	body := func(n int) []byte {
		return hook.Envelope("lead.created", fmt.Sprintf("6f0a-%d", n), time.Now(), []byte(fmt.Sprintf(`{"form_name": "Чай", "lead_id": "lead-%d"}`, n)))
	}
	one, two := body(1), body(2)
	for _, c := range []struct {
		what      string
		body      []byte
		signature string
		status    int
	}{
		{"signature missing", one, "", 401},
		{"a signature of another secret", one, hook.Sign("another secret!!", one), 401},
		{"a changed body", append(bytes.Clone(one), ' '), hook.Sign(secret, one), 401},
		{"truncated signature", one, hook.Sign(secret, one)[:40], 401},
		{"the first", one, hook.Sign(secret, one), 200},
		{"the first again", one, hook.Sign(secret, one), 200},
		{"the second", two, hook.Sign(secret, two), 200},
	} {
		if got := send(c.body, c.signature); got != c.status {
			t.Errorf("%s: %d, not %d; %s", c.what, got, c.status, out)
		}
	}
	await.Until(func() bool { return strings.Contains(out.String(), "lead-2") })
	if text := out.String(); strings.Count(text, "lead-1") != 1 || strings.Count(text, "lead-2") != 1 {
		t.Errorf("the work was not done once: %s", text)
	}
}
