package access

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// guestsPerHour is how many guests one network may create: an office or a mobile carrier is
// many people.
const guestsPerHour = 600

const maxPhone = 64 // characters

// guest opens a session for a buyer without an account (CONTRACT-COMMERCE, "Buyers"). Callers
// with a session keep it: they get their user and no second token.
func (a *Access) guest(ctx context.Context, c *api.Call, _ api.None) (none api.Result[sessionView], err error) {
	if who, err := a.Identify(ctx, c.Credentials()); err == nil && who.Person != 0 && !who.ByKey() {
		person, err := people.GetPerson(ctx, a.store, who.Person)
		if err != nil {
			return none, err
		}
		user, err := a.view(ctx, c, person)
		return api.Wrap(sessionView{User: user}), err
	}
	if _, wait := a.guests.Take(c.Network()); wait > 0 {
		return none, ErrTooManyAttempts.With("too many guests").RetryAfter(budget.Seconds(wait))
	}
	id, err := people.CreateGuest(ctx, a.store)
	if err != nil {
		return none, err
	}
	return a.open(ctx, c, people.Person{ID: id}, keeping{})
}

// guestOf returns the guest in whose session a call was made, or 0.
func (a *Access) guestOf(ctx context.Context, c *api.Call) (shop.UserID, error) {
	who, err := a.Identify(ctx, c.Credentials())
	if err != nil || who.Person == 0 || who.ByKey() {
		return 0, nil // an ended session counts as no session
	}
	person, err := people.GetPerson(ctx, a.store, who.Person)
	if err != nil || !person.Guest() {
		return 0, err
	}
	return person.ID, nil
}

// createPerson creates an account. If the call comes from a guest's session, the guest becomes
// the account and keeps cart, wishlist and orders.
func (a *Access) createPerson(ctx context.Context, c *api.Call, email, name, hash string) (shop.UserID, error) {
	guest, err := a.guestOf(ctx, c)
	if err != nil {
		return 0, err
	}
	if guest != 0 {
		if became, err := people.RegisterGuest(ctx, a.store, guest, email, name, hash); err != nil || became {
			return guest, err
		}
	}
	return people.CreatePerson(ctx, a.store, email, name, hash)
}

// mergeGuest moves the cart, wishlist and orders of the guest of the same session to the
// account that has signed in.
func (a *Access) mergeGuest(ctx context.Context, c *api.Call, account shop.UserID) error {
	guest, err := a.guestOf(ctx, c)
	if err != nil || guest == 0 {
		return err
	}
	_, err = people.JoinGuest(ctx, a.store, guest, account)
	return err
}

// OpenGuestSession gives the cart of a guest to the browser that makes a call: a visitor who is signed
// in gets what is in it, others become the guest, whose other sessions end. It returns shop.ErrNotFound
// for a person who is no guest any more: nobody gets the session of an account in this way.
func (a *Access) OpenGuestSession(ctx context.Context, c *api.Call, guest shop.UserID) error {
	who, err := a.Identify(ctx, c.Credentials())
	if err == nil && who.Person == guest {
		return nil
	}
	if err == nil && who.Person != 0 && !who.ByKey() {
		person, err := people.GetPerson(ctx, a.store, who.Person)
		if err != nil {
			return err
		}
		if !person.Guest() {
			joined, err := people.JoinGuest(ctx, a.store, guest, person.ID)
			if err == nil && !joined {
				err = shop.ErrNotFound
			}
			return err
		}
	}
	_, err = a.openWith(ctx, c, people.Person{ID: guest}, keeping{}, people.NewSession{TakesOver: true})
	return err
}
