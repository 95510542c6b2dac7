package admin_test

import (
	"cmp"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

// perProcess are the limits that each process counts alone, with the reason. Others are budget.Shared, or
// rows where they guard a secret (store.Attempt).
var perProcess = map[string]string{
	"form/forms.go spamBudgets":      "bounds what is kept, not what is admitted: people whose lead counts as spam are not told",
	"assist/ucp/profiles.go unknown": "bounds the fetches of a process, which has its own cache of profiles",
}

var newBudget = regexp.MustCompile(`(?:(\w+)(?::=|:|\s=)\s*)?budget\.New\[`)

// A limit that each process counts alone admits more with each process.
func TestLimitsAreOfAllProcesses(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, of fs.DirEntry, err error) error {
		if err != nil || of.IsDir() && of.Name() == "node_modules" {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		for n, line := range strings.Split(string(source), "\n") {
			for _, found := range newBudget.FindAllStringSubmatch(line, -1) {
				name := path + " " + found[1]
				if seen[name] = true; perProcess[name] == "" {
					t.Errorf("admin/%s:%d: each process counts %q alone: use budget.Shared, or list it with the reason", path, n+1, found[1])
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range perProcess {
		if !seen[name] {
			t.Errorf("there is no limit %q", name)
		}
	}
}

// What a caller has used up at one process, every endpoint of another one refuses.
func TestEveryEndpointKnowsWhatOtherProcessesHaveAdmitted(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	twin := a.Twin()
	all := append(callers(a), caller{name: "a visitor", token: func() string { return "" }})
	for n, who := range all {
		if who.name == "an editor" {
			continue // calls of members count for their company
		}
		wholeMinute(a)
		from := "203.0.113." + string(rune('1'+n))
		call := func(at *apitest.API, e api.Endpoint) int {
			r := who.request(a, strings.NewReplacer("{", "", "}", "").Replace(e.Path), "", apitest.Map{})
			r.Method, r.Header["X-Forwarded-For"] = e.Method, from
			delete(r.Header, "Idempotency-Key")
			return at.Send(r).Status
		}
		// spend uses up the limits of the classes, and returns how many calls were admitted.
		spend := func(at *apitest.API) (admitted int) {
			for _, class := range []api.Class{api.Read, api.Write, api.Storage} {
				for _, e := range at.Admin.Table() {
					if e.Class != class || strings.HasPrefix(e.Path, "/v1/auth/") {
						continue
					}
					n := 0
					status := call(at, e)
					for ; status != 401 && status != 403 && status != 429 && n < 700; n++ {
						status = call(at, e)
					}
					if admitted += n; status == 429 {
						break
					}
				}
			}
			return admitted
		}
		if admitted := spend(a); admitted < 600 {
			t.Errorf("%s: only %d calls were admitted", who.name, admitted)
		}
		if admitted := spend(twin); admitted > 3*12 { // a portion of each class
			t.Errorf("%s: the second process admits %d calls", who.name, admitted)
		}
		refused := 0
		for _, e := range a.Admin.Table() {
			first, second := call(a, e), call(twin, e)
			if first == 429 {
				refused++
			}
			if (first == 429) != (second == 429) {
				t.Errorf("%s, %s %s: %d at the first process, %d at the second", who.name, e.Method, e.Path, first, second)
			}
		}
		if t.Logf("%s is refused by %d endpoints", who.name, refused); refused < 50 {
			t.Errorf("%s is refused by only %d endpoints", who.name, refused)
		}
	}
}
