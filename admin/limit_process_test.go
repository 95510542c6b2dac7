package admin_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

// perProcess are the limits that each process counts alone, with the reason. Others are budget.Shared, or
// rows where they guard a secret (store.Attempt).
var perProcess = map[string]string{
	"form/forms.go spamBudgets":      "bounds what is kept, not what is admitted: people whose lead counts as spam are not told",
	"assist/ucp/profiles.go unknown": "bounds the fetches of a process, which has its own cache of profiles",
}

var newBudget = regexp.MustCompile(`(?:(\w+)(?::=|:|\s=)\s*)?budget\.New\[`)

// eachSource passes the sources of the API, without tests.
func eachSource(t *testing.T, visit func(path, source string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, of fs.DirEntry, err error) error {
		if err != nil || of.IsDir() && of.Name() == "node_modules" {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		visit(path, string(source))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A limit that each process counts alone admits more with each process.
func TestLimitsAreOfAllProcesses(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	eachSource(t, func(path, source string) {
		for n, line := range strings.Split(source, "\n") {
			for _, found := range newBudget.FindAllStringSubmatch(line, -1) {
				name := path + " " + found[1]
				if seen[name] = true; perProcess[name] == "" {
					t.Errorf("admin/%s:%d: each process counts %q alone: use budget.Shared, or list it with the reason", path, n+1, found[1])
				}
			}
		}
	})
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

var sharedBudget = regexp.MustCompile(`budget\.Shared\[[\w.]+\]\((fmt\.\w+\([^)]*\)|"[^"]*")`)

// ownLimits are the limits of endpoints beside those of their class, by the name under which processes
// share them: what is refused, and a caller who uses the limit up. A limit without calls is listed with its
// reason.
var ownLimits = map[string]struct {
	limit int
	says  string
	calls func(a *apitest.API) func(n int) apitest.Request
}{
	`"reviews"`: {30, "at most 30 in ten minutes", func(a *apitest.API) func(int) apitest.Request {
		return reviews(a, 2, func(int) string { return "203.0.113.1" }, 0)
	}},
	`"reviews a day"`: {300, "at most 30 in ten minutes", func(a *apitest.API) func(int) apitest.Request {
		return reviews(a, 12, func(int) string { return "203.0.113.1" }, 20*time.Second)
	}},
	`"reviews of person"`: {30, "at most 30 in ten minutes", func(a *apitest.API) func(int) apitest.Request {
		return reviews(a, 1, addresses, 0)
	}},
	`"votes"`: {3, "at most 3 votes a day", func(a *apitest.API) func(int) apitest.Request {
		review := a.Send(reviews(a, 1, addresses, 0)(0)).JSON["result"].(apitest.Map)["id"].(string)
		a.OK("PUT", "/reviews/"+review, a.Owner, apitest.Map{"status": "approved"})
		return func(n int) apitest.Request {
			voter := a.Session(a.Buyer(fmt.Sprintf("voter%d@people.test", n)))
			return apitest.Request{Method: "POST", Path: "/reviews/" + review + "/helpful", Key: voter, Body: apitest.Map{"company_id": a.Shop.ID}}
		}
	}},
	`"leads"`: {10, "leads a minute from one address", func(a *apitest.API) func(int) apitest.Request {
		form := limitedForm(a)
		return func(int) apitest.Request {
			return apitest.Request{Method: "POST", Path: "/form-leads", Header: a.ThroughStorefront(), Body: apitest.Map{"form_id": form, "values": apitest.Map{"name": "Ann"}}}
		}
	}},
	`"proven leads"`: {40, "leads a minute from one address", func(a *apitest.API) func(int) apitest.Request {
		form, tokens := limitedForm(a), []string{}
		for range 60 {
			token := a.Send(apitest.Request{Method: "GET", Path: "/forms/" + form + "/token", Header: a.ThroughStorefront()}).JSON["result"].(apitest.Map)["token"].(string)
			tokens = append(tokens, token)
		}
		a.Clock.Advance(3 * time.Second) // people need as long to fill a form
		return func(n int) apitest.Request {
			token, proof := tokens[n], 0
			for ; ; proof++ {
				if sum := sha256.Sum256([]byte(fmt.Sprint(token, ":", proof))); sum[0] == 0 && sum[1] == 0 {
					break
				}
			}
			return apitest.Request{Method: "POST", Path: "/form-leads", Header: a.ThroughStorefront(),
				Body: apitest.Map{"form_id": form, "values": apitest.Map{"name": fmt.Sprint("Ann ", n)}, "token": token, "proof": fmt.Sprint(proof)}}
		}
	}},
	`"files"`: {30, "at most 30 files an hour", func(a *apitest.API) func(int) apitest.Request {
		return formFiles(a, 1, func(int) string { return "203.0.113.1" })
	}},
	`"megabytes of files"`: {25, "at most 100 MB of files", func(a *apitest.API) func(int) apitest.Request {
		return formFiles(a, 4<<20-8, func(int) string { return "203.0.113.1" })
	}},
	`"files of form"`: {600, "this form receives too many files", func(a *apitest.API) func(int) apitest.Request {
		return formFiles(a, 1, addresses)
	}},
	`fmt.Sprintf("clients of %T", l)`: {20, "at most 20 registrations", func(a *apitest.API) func(int) apitest.Request {
		return func(int) apitest.Request {
			return apitest.Request{Method: "POST", Path: "/oauth/register", Body: apitest.Map{"redirect_uris": []string{"https://agent.test/"}}}
		}
	}},
	`"pings"`: {10, "at most 10 test pings", func(a *apitest.API) func(int) apitest.Request {
		session, receiver := a.Session(a.OwnerID), "http://hooks.example.com:65535/" // where nobody listens
		hook := a.Result("POST", "/webhooks", session, apitest.Map{"url": receiver, "events": []string{"order.paid"}})["id"]
		return func(int) apitest.Request {
			return apitest.Request{Method: "POST", Path: fmt.Sprintf("/webhooks/%v/test", hook), Key: session}
		}
	}},
	`"photos"`: {60, "60 from one address", func(a *apitest.API) func(int) apitest.Request {
		return photos(a, 3, func(int) string { return "203.0.113.1" })
	}},
	`"photos of person"`: {30, "at most 30 pictures an hour", func(a *apitest.API) func(int) apitest.Request { return photos(a, 1, addresses) }},
	`"passkey sign-ins"`: {60, "", func(a *apitest.API) func(int) apitest.Request {
		return func(int) apitest.Request {
			return apitest.Request{Method: "POST", Path: "/v1/auth/passkeys/login/begin"}
		}
	}},
	`"guests"`: {600, "", func(a *apitest.API) func(int) apitest.Request {
		return func(int) apitest.Request {
			a.Clock.Advance(time.Second) // below the limit of the class
			return apitest.Request{Method: "POST", Path: "/v1/auth/guest"}
		}
	}},
	`"quotes"`: {60, "at most 60 quotes", func(a *apitest.API) func(int) apitest.Request {
		return func(int) apitest.Request {
			return apitest.Request{Method: "POST", Path: "/cart/quote", Body: apitest.Map{"company_id": a.Shop.ID, "items": []any{}}}
		}
	}},
	`fmt.Sprint(name, class)`:                           {says: "of classes: TestEveryEndpointKnowsWhatOtherProcessesHaveAdmitted"},
	`fmt.Sprint(protocol, " calls of platform", class)`: {says: "of a protocol for all its operations; the same call of budget.Shared as for others"},
	`fmt.Sprint(protocol, " calls of network", class)`:  {says: "of a protocol for all its operations; the same call of budget.Shared as for others"},
}

func addresses(n int) string { return fmt.Sprintf("198.51.%d.1", n%250) }

func reviews(a *apitest.API, people int, from func(int) string, pause time.Duration) func(int) apitest.Request {
	product := a.Result("POST", "/products", a.Owner, apitest.Map{"item": apitest.Map{"name": "Tea", "is_published": true}})["id"]
	persons := buyers(a, people)
	return func(n int) apitest.Request {
		a.Clock.Advance(pause)
		return apitest.Request{Method: "POST", Path: fmt.Sprintf("/products/%v/reviews", product), Key: a.Session(persons[n%people]), Header: map[string]string{"X-Forwarded-For": from(n)},
			Body: apitest.Map{"company_id": a.Shop.ID, "rating": 5, "text": "Good"}}
	}
}

func photos(a *apitest.API, people int, from func(int) string) func(int) apitest.Request {
	persons := buyers(a, people)
	return func(n int) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/v1/storages/files", Key: a.Session(persons[n%people]), Header: map[string]string{"X-Forwarded-For": from(n)},
			Body: apitest.Map{"company_id": a.Shop.ID, "section": "reviews", "file_type": "image", "original_name": "x.jpg"}}
	}
}

func buyers(a *apitest.API, n int) (list []shop.UserID) {
	for i := range n {
		list = append(list, a.Buyer(fmt.Sprintf("buyer%d@people.test", i)))
	}
	return list
}

func limitedForm(a *apitest.API) string {
	text := apitest.Map{"name": "name", "label": "Name", "type": "text", "required": false, "options": []any{}}
	file := apitest.Map{"name": "cv", "type": "file", "required": false, "rules": apitest.Map{"max_size": 5 << 20}}
	return a.Result("POST", "/forms", a.Owner, apitest.Map{"item": apitest.Map{"name": "Callback", "fields": []any{text, file}}})["id"].(string)
}

func formFiles(a *apitest.API, size int, from func(int) string) func(int) apitest.Request {
	path := "/form-files?field=cv&name=a.pdf&form_id=" + limitedForm(a)
	return func(n int) apitest.Request {
		a.Clock.Advance(100 * time.Millisecond) // below the limit of the class
		header := a.ThroughStorefront()
		header["X-Forwarded-For"], header["Content-Type"] = from(n), "application/octet-stream"
		return apitest.Request{Method: "POST", Path: path, Body: "%PDF-1.7\n" + strings.Repeat("x", size-1), Header: header}
	}
}

// What a caller has used up of an endpoint's own limit at one process, another one refuses.
func TestEveryLimitOfAnEndpointIsOfAllProcesses(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	eachSource(t, func(path, source string) {
		found := sharedBudget.FindAllStringSubmatch(source, -1)
		if all := strings.Count(source, "budget.Shared["); len(found) != all {
			t.Errorf("admin/%s: the names of %d limits of %d are known", path, len(found), all)
		}
		for _, one := range found {
			if of, listed := ownLimits[one[1]]; !listed || of.says == "" && of.limit == 0 {
				t.Errorf("admin/%s: the limit %s is not asked at two processes: list it in ownLimits", path, one[1])
			}
			seen[one[1]] = true
		}
	})
	for name, of := range ownLimits {
		if !seen[name] {
			t.Errorf("there is no limit %s", name)
		}
		if of.calls == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := apitest.New(t, anyPicture, func(cfg *admin.Config) { cfg.URLs.Admin = "https://admin.test" })
			a.Clock.Advance(24*time.Hour - a.Clock.Now().Sub(a.Clock.Now().Truncate(24*time.Hour))) // some count by the day
			twin := a.Twin()
			call, n := of.calls(a), 0
			refused := func(at *apitest.API) bool {
				r := at.Send(call(n))
				n++
				if r.Status == 429 && apitest.Code(r.JSON) == "RATE_LIMITED" && !strings.Contains(string(r.Body), of.says) {
					t.Fatalf("call %d met another limit: %s", n, r.Body)
				}
				return r.Status == 429 && apitest.Code(r.JSON) == "RATE_LIMITED"
			}
			for !refused(a) {
				if n > 2*of.limit {
					t.Fatalf("%d calls were admitted", n)
				}
			}
			if n <= of.limit {
				t.Errorf("call %d of %d was refused", n, of.limit)
			}
			first := n
			for !refused(twin) {
				if n-first > 2+of.limit/50 { // a portion of each limit that counts it
					t.Fatalf("the second process admits %d calls", n-first)
				}
			}
		})
	}
}
