package access

import (
	"context"
	"strings"
	"unicode"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// ErrSessionNotFound does not tell whether another person has such a session.
var ErrSessionNotFound = shop.Refuse(shop.NotFound, "SESSION_NOT_FOUND").When("you have no session with this id")

// sessions lists the person's sessions: on the admin origin all of them, on a shop's host those of
// that host, because scripts of its owner can read the response. It flushes first, so that the
// list includes their last use.
func (a *Access) sessions(ctx context.Context, c *api.Call, _ api.None) (api.Result[[]people.OwnSession], error) {
	if err := a.Flush(ctx); err != nil {
		return api.Result[[]people.OwnSession]{}, err
	}
	list, err := people.Sessions(ctx, a.store, c.Person, c.Storefront, secret.Hash(c.Token()), a.now())
	return api.Wrap(list), err
}

type sessionPath struct {
	ID shop.SessionID `path:"id" json:"-"`
}

func (a *Access) endSession(ctx context.Context, c *api.Call, in sessionPath) (api.None, error) {
	found, err := people.EndOwnSession(ctx, a.store, c.Person, c.Storefront, in.ID)
	if err == nil && !found {
		err = ErrSessionNotFound
	}
	return api.None{}, err
}

// maxAgent is how many characters of a User-Agent are stored.
const maxAgent = 255

// agentOf returns the caller's User-Agent as one line of text.
func agentOf(c *api.Call) string {
	agent := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(c.Header("User-Agent"), ""))
	if runes := []rune(agent); len(runes) > maxAgent {
		agent = string(runes[:maxAgent])
	}
	return agent
}

// networkOf returns the caller's network as people know it: an IPv4 address without its length.
func networkOf(c *api.Call) string {
	switch network := c.Network(); {
	case !network.IsValid():
		return ""
	case network.IsSingleIP():
		return network.Addr().String()
	default:
		return network.String()
	}
}
