package assist

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Route is an address of a face.
type Route struct {
	Row    *api.Endpoint
	Answer func(ctx context.Context, c *api.Call) (api.Response, error)
}

// NewRoute returns an address on the hosts of shops.
func NewRoute(method, path string, answer func(context.Context, *api.Call) (api.Response, error)) Route {
	return Route{&api.Endpoint{Method: method, Path: path, Auth: api.Link, Storefront: true}, answer}
}

// callLimits are the calls of one platform in one shop per minute, and those from one network, whatever
// platforms it claims to be. They are those of a buyer.
var callLimits = map[api.Class]int{api.Read: 600, api.Write: 120}

// Calls counts the calls of a face.
type Calls map[api.Class]counted

type counted struct {
	platforms *budget.Budgets[calling]
	networks  *budget.Budgets[calledFrom]
}

type calling struct {
	shop     shop.CompanyID
	platform string
}

type calledFrom struct {
	shop    shop.CompanyID
	network netip.Prefix
}

func (c calling) String() string    { return fmt.Sprint(c.shop, c.platform) }
func (c calledFrom) String() string { return fmt.Sprint(c.shop, c.network) }

// NewCalls returns Calls.
func NewCalls(protocol string, now func() time.Time, count budget.Count) Calls {
	calls := Calls{}
	for class, limit := range callLimits {
		calls[class] = counted{
			budget.Shared[calling](fmt.Sprint(protocol, " calls of platform", class), limit, time.Minute, now, count),
			budget.Shared[calledFrom](fmt.Sprint(protocol, " calls of network", class), limit, time.Minute, now, count),
		}
	}
	return calls
}

// Take counts a call. wait is how long the platform has to wait, 0 if it may call.
func (c Calls) Take(class api.Class, call *api.Call, platform string) (wait time.Duration) {
	by := c[class]
	from, wait := by.networks.Take(calledFrom{call.Storefront, call.Network()})
	if wait > 0 {
		return wait
	}
	if _, wait = by.platforms.Take(calling{call.Storefront, platform}); wait > 0 {
		from.GiveBack()
	}
	return wait
}

// Repeatable is a call that is carried out once for its key.
type Repeatable struct {
	Caller   *Caller
	By       string // the platform, whom it acts for, and the operation: the key is theirs
	Key      string
	Path     string // what it is about
	Body     []byte // JSON; empty: none
	Separate bool   // its writes are not undone together: others are asked in between
}

// Reply is what a call is answered.
type Reply struct {
	Status int
	Body   []byte
}

// freeTime limits how long it takes to free the key of a call that failed.
const freeTime = 5 * time.Second

// Once carries out a call whose key was not used before, and otherwise answers as then (again). What
// counts as the same call is its path and the meaning of its body. do returns the answer, or an error
// that leaves the key free.
func (a *Assist) Once(ctx context.Context, r Repeatable, do func(context.Context) (Reply, error)) (out Reply, again bool, err error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n", r.By, r.Path)
	text, err := canonical(r.Body)
	if err != nil {
		return out, false, shop.ErrInvalidRequest.With("the body is not JSON")
	}
	sum.Write(text)
	claim := &store.Claim{
		Company: r.Caller.Shop, Credential: []byte(r.By), Key: r.Key, Fingerprint: sum.Sum(nil), SeparateCommit: r.Separate, Keep: store.KeyOfAssistant,
	}
	of := fmt.Sprintf("answer %d %s %s", r.Caller.Shop, r.By, r.Key)
	before, err := a.Store.Claim(ctx, claim, a.Now())
	if err != nil {
		return out, false, err
	}
	if before != nil {
		out.Status = before.Status
		out.Body, err = a.Sealer.Open(before.Body, of)
		return out, true, err
	}
	r.Caller.repeats = claim.TakenOver
	inner, work := a.Store.Begin(ctx, nil, claim)
	if out, err = do(inner); err == nil {
		err = work.Finish(inner, store.StoredAnswer{Status: out.Status, ContentType: "application/json", Body: a.Sealer.Seal(out.Body, of)})
	}
	if err != nil {
		free, cancel := context.WithTimeout(context.WithoutCancel(ctx), freeTime)
		defer cancel()
		if failed := work.Abandon(free); failed != nil {
			err = errors.Join(err, fmt.Errorf("release the idempotency key: %w", failed))
		}
	}
	return out, false, err
}

// canonical returns JSON that is equal for equal values.
func canonical(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}
