package ucp

import (
	"context"
	"errors"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/assist"
	"vitrine/internal/budget"
	"vitrine/internal/load"
	"vitrine/internal/pay"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

const (
	maxBody = 256 << 10 // bytes
	// readTime limits operations that only read, like those of visitors.
	readTime = 5 * time.Second
)

// request is a call of an operation, by REST or MCP.
type request struct {
	ucp      *UCP
	call     *api.Call
	op       *operation
	shop     *load.CachedShop // as a visitor sees it
	reader   store.Reader     // likewise
	platform *Platform
	caller   *assist.Caller // the platform for the engine
	cards    pay.Handler    // what the shop offers to programs that pay with tokens
	shared   []capability   // that the shop and the platform have
	id       string         // in the path
	body     []byte         // JSON; nil: none
	sent     []byte         // what was sent as body of the HTTP request
	key      string         // to be done only once; empty: none
	ignored  string         // fields of the body that nothing read
	messages []Message      // about the body
}

// identified is what a call says about the platform that makes it.
type identified struct {
	profile string // its address
	err     error  // there is none
}

// perform carries out a call. What it returns is an answer; an outcome or a fault as error.
func (u *UCP) perform(ctx context.Context, r *request, by identified) (any, error) {
	r.ucp = u
	if err := r.call.CountForNetworkAs(r.op.Class); err != nil {
		return nil, err
	}
	signed, err := u.identify(ctx, r, by)
	if err != nil {
		return nil, err
	}
	leave, err := r.call.EnterShop(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if r.op.Class == api.Read {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, readTime)
		defer cancel()
	}
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	r.caller = &assist.Caller{Call: r.call, Shop: r.reader.Company, Signed: signed, Seen: r.shop}
	if err := u.Assist.Identify(ctx, r.caller, by.profile, r.id); err != nil {
		return nil, err
	}
	if r.caller.Platform.Blocked {
		return nil, errNotTrusted.with("this shop does not sell through this platform")
	}
	r.caller.Platform.WebhookURL = r.platform.Webhook
	if r.caller.Linked, err = u.linked(ctx, r); err != nil {
		return nil, err
	}
	if r.shared = shared(r.offered(), r.platform.Capabilities); !has(r.shared, r.op.Needs) {
		return nil, fail("capabilities_incompatible", "the profile of the platform and this shop have no version of "+r.op.Needs+" in common")
	}
	if r.op.Needs == checkout {
		if r.cards, err = u.cardsOf(ctx, r); err != nil {
			return nil, err
		}
	}
	do := r.op.do
	if r.key != "" {
		do = u.once
	}
	answer, err := do(ctx, r)
	if errors.Is(err, people.ErrIdentity) {
		err = r.unidentified("the session belongs to a buyer who linked the platform; send their token", "")
	}
	return answer, err
}

// identify reads the profile of the platform, and counts the call for it. Anybody can claim to be a
// platform: calls that are not signed use up nothing of the limit for those that are.
func (u *UCP) identify(ctx context.Context, r *request, by identified) (signed bool, err error) {
	if by.err != nil {
		return false, by.err
	}
	if r.platform, err = u.profiles.Get(ctx, by.profile); err != nil {
		return false, err
	}
	if signed, err = u.verified(ctx, r); err != nil {
		return false, err
	}
	who := by.profile
	if signed {
		who = "signed " + who
	}
	if wait := u.calls.Take(r.op.Class, r.call, who); wait > 0 {
		return false, errLimited.after(budget.Seconds(wait), "too many calls of this platform, or from this network")
	}
	return signed, nil
}

// open reads the shop as a visitor sees it. A shop that nobody can enter has nothing for platforms
// either, nor has one whose owner wants none.
func (r *request) open(ctx context.Context) error {
	reader, cached, err := r.call.Shop(ctx, r.call.Storefront)
	if err != nil {
		return err
	}
	if cached.Company.Closed || cached.Company.Blocked || cached.Site.Shop().Face.Assistants.Or() == shop.AssistantsOff {
		return errNoShop.with("there is nothing for assistants here")
	}
	r.reader, r.shop = reader, &cached
	return nil
}

// offered returns the capabilities of the shop.
func (r *request) offered() []capability {
	if r.shop.Site.Shop().Face.Assistants.Or() == shop.AssistantsCatalog {
		return capabilities[:catalogOnly]
	}
	return capabilities
}

// meta returns the protocol's part of an answer.
func (r *request) meta() Meta {
	return Meta{Version: Version, Status: "success", Capabilities: within(r.shared, r.op.Needs)}
}
