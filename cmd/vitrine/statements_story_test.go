package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// An operator who sees a call answer INTERNAL finds the statement that failed, the function
// that issued it and the request in one log line, and the failure in the metrics.
func TestAFailingStatementIsFoundInTheLogAndTheMetrics(t *testing.T) {
	t.Parallel()
	p := newMachine(t)
	url := storetest.URL(t, store.Migrate)
	p.env = append(p.env, "VITRINE_DATABASE_URL="+url)
	key := p.shop("tea")
	r := p.start()
	if err := storetest.FailInserts(t.Context(), url, "product", "XX000"); err != nil {
		t.Fatal(err)
	}
	const name = "Oolong of Anna"
	status, answer := p.call(key, "POST", "/products", map[string]any{"item": map[string]any{"name": name}})
	if status != http.StatusInternalServerError {
		t.Fatalf("%d %v", status, answer)
	}
	request := regexp.MustCompile(`request ([0-9a-f]{24})`).FindStringSubmatch(fmt.Sprint(answer["error"]))
	if request == nil {
		t.Fatalf("no request id in %v", answer)
	}
	for message, more := range map[string]string{`msg="request failed"`: "path=/products", `msg="a statement failed"`: `from="admin/catalog.`} {
		line := ""
		wait(t, message, func() bool {
			for l := range strings.Lines(r.stderr.String()) {
				if strings.Contains(l, message) && strings.HasSuffix(l, "\n") {
					line = l
				}
			}
			return line != ""
		})
		for _, want := range []string{"request_id=" + request[1], `statement="copy product"`, `caller="internal/store`, ".go:", more} {
			if !strings.Contains(line, want) {
				t.Errorf("no %s in %q", want, line)
			}
		}
		if strings.Contains(line, name) {
			t.Errorf("an argument is logged: %s", line)
		}
	}
	response, err := http.Get("http://" + p.ops + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	metrics, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	counted := regexp.MustCompile(`(?m)^vitrine_database_failed_statements_total\{caller="internal/store[^":]*",reason="error",statement="copy product"\} [1-9]`)
	if !counted.Match(metrics) {
		t.Errorf("the failure is not counted:\n%s", strings.Join(regexp.MustCompile(`(?m)^vitrine_database_.*statements.*$`).FindAllString(string(metrics), -1), "\n"))
	}
}
