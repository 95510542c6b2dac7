package assist_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"vitrine/admin/api/apitest"
)

// A key is that of one platform, face, operation and proof of identity: what another caller does with the
// same key and body is a call of its own, and no answer to the first one. Over REST and MCP it is the same
// call.
func TestAKeyIsThatOfOneCaller(t *testing.T) {
	t.Parallel()
	b := openBazaar(t)
	s := b.stall(0)
	raw := func(body m) string {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	body := raw(s.ucp(m{"buyer": m{"first_name": "Ann", "last_name": "Lee", "email": "ann@people.test", "phone_number": "+4930123456"}}))
	other := raw(s.ucp(nil))
	const path = "/ucp/checkout-sessions"
	plain := func(path, body string) apitest.Answer { return s.Send(s.request("POST", path, "the key", body)) }
	signed := func(path, body string) apitest.Answer {
		r := s.request("POST", path, "the key", body)
		sent := r.Header
		r.Header = map[string]string{"Content-Type": "application/json", "Idempotency-Key": "the key", "UCP-Agent": sent["UCP-Agent"]}
		for name, value := range s.signed(r).Header {
			sent[name] = value
		}
		r.Header = sent
		return s.Send(r)
	}
	ids := map[string]string{}
	own := func(who string, out apitest.Answer) string {
		t.Helper()
		id := fmt.Sprint(out.JSON["id"])
		if out.Status != 201 || ids[id] != "" {
			t.Errorf("%s gets the session of %q: %d %s", who, ids[id], out.Status, out.Body)
		}
		ids[id] = who
		return id
	}
	id := own("a signed call", signed(path, body))
	if again := signed(path, body); again.Status != 201 || again.JSON["id"] != id {
		t.Errorf("repeated: %d %s", again.Status, again.Body)
	}
	if out := signed(path, other); out.Status != 409 {
		t.Errorf("with another body: %d %s", out.Status, out.Body)
	}
	unsigned := own("an unsigned call", plain(path, body))
	if out := plain(path, other); out.Status != 409 {
		t.Errorf("unsigned with another body: %d %s", out.Status, out.Body)
	}
	status, tool := s.tool("create_checkout", m{"meta": m{"ucp-agent": m{"profile": s.profile}, "idempotency-key": "the key"}, "checkout": json.RawMessage(body)}, nil)
	if status != 200 || tool["id"] != unsigned {
		t.Errorf("over MCP: %d %v", status, tool)
	}
	if out := s.Send(s.request("GET", path+"/"+id, "", nil)); out.Status != 401 {
		t.Errorf("the session of the signed call, unsigned: %d %s", out.Status, out.Body)
	}
	pay := raw(m{"payment": m{"instruments": l{m{"id": "i", "handler_id": "manual", "type": "offline", "selected": true}}}})
	if out := signed(path+"/"+id+"/complete", pay); out.Status != 200 || out.JSON["order"] == nil {
		t.Fatalf("complete: %d %s", out.Status, out.Body)
	}
	if out := plain(path+"/"+id+"/complete", pay); out.Status != 401 {
		t.Errorf("the order of the signed call, unsigned: %d %s", out.Status, out.Body)
	}
	own("ACP", plain("/acp/checkout_sessions", raw(s.acp(nil))))
	if out := plain("/acp/checkout_sessions", raw(s.acp(m{"buyer": m{"first_name": "Bo"}}))); out.Status != 422 {
		t.Errorf("ACP with another body: %d %s", out.Status, out.Body)
	}
	s.profile += "/other"
	own("another platform", plain(path, body))
}
