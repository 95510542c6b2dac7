package access

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/admin/api/body"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
)

// reauthentication proves that a call comes from the person, not from a script in an open
// session: with the password, or with a code that was just sent to the address.
type reauthentication struct {
	Password string `json:"password" len:"body"`
	Code     string `json:"code" len:"body"` // instead of the password
}

// reauthenticate checks the password or code of a signed-in person; wrong passwords count
// together with those of logins. A guest has neither.
func (a *Access) reauthenticate(ctx context.Context, c *api.Call, in reauthentication) error {
	person, err := people.GetPerson(ctx, a.store, c.Person)
	switch {
	case err != nil:
		return err
	case person.Guest():
		return nil
	case in.Code != "":
		return a.useCode(ctx, person.Email, in.Code)
	case len(in.Password) > maxPassword:
		return errWrong
	}
	who := pairOf(c, person.Email)
	if err := a.verify(ctx, who, func() (string, error) { return person.PasswordHash, nil }, in.Password); err != nil {
		return err
	}
	a.guesses.known.Set(who)
	return nil
}

// Prove is reauthenticate for other packages.
func (a *Access) Prove(ctx context.Context, c *api.Call, password, code string) error {
	return a.reauthenticate(ctx, c, reauthentication{password, code})
}

func (a *Access) useCode(ctx context.Context, email, code string) error {
	proof := people.Proof{Email: email, Now: a.now()}
	if err := a.compare(ctx, &proof, code); err != nil {
		return err
	}
	used, err := people.UseCode(ctx, a.store, email, proof.Hash)
	if err == nil && !used {
		err = ErrCodeWrong
	}
	return err
}

type profileRequest struct {
	api.Basis
	Name  *string `json:"name" len:"body"`
	Phone *string `json:"phone" len:"body"`
	Email *string `json:"email" len:"body"`

	Language *string `json:"language" enum:"en,ru" len:"8" doc:"of the cabinet; empty: as the browser says"`
	reauthentication
}

// saveMe changes the profile of the person.
func (a *Access) saveMe(ctx context.Context, c *api.Call, in profileRequest) (out api.Result[meView], err error) {
	person, err := people.GetPerson(ctx, a.store, c.Person)
	if err == nil {
		err = c.CheckBasis(person.UpdatedAt) // before a code is sent
	}
	if err != nil {
		return out, err
	}
	change := people.Profile{Name: in.Name, Phone: in.Phone, Language: in.Language}
	if in.Name != nil {
		if *change.Name, err = checkName(*in.Name); err != nil {
			return out, err
		}
	}
	if in.Phone != nil {
		if *change.Phone = strings.TrimSpace(*in.Phone); utf8.RuneCountInString(*change.Phone) > maxPhone {
			return out, body.ErrTextTooLong.At("phone").With("at most 64 characters")
		}
	}
	if in.Language != nil && !slices.Contains([]string{"", "en", "ru"}, *in.Language) {
		return out, shop.ErrInvalidRequest.At("language").With("en, ru or empty")
	}
	if in.Email != nil {
		if change.NextEmail, err = a.requestEmail(ctx, c, person, *in.Email, in.reauthentication); err != nil {
			return out, err
		}
	}
	if person, err = people.SaveProfile(ctx, a.store, c.Person, change, c.CheckBasis); err != nil {
		return out, err
	}
	out.Result, err = a.meOf(ctx, c, person)
	return out, err
}

// requestEmail sends a code to a requested new address of a person, and returns the address to
// store; nil stores none. Requesting the current address cancels the change. A guest has no
// address to change: the code creates the account (confirmCode).
func (a *Access) requestEmail(ctx context.Context, c *api.Call, person people.Person, email string, by reauthentication) (store *string, err error) {
	email, err = checkEmail(email)
	if err != nil {
		return nil, err
	}
	next := email
	if strings.EqualFold(email, person.Email) {
		next = ""
	}
	if next == person.NextEmail && next == "" {
		return nil, nil
	}
	if err := a.reauthenticate(ctx, c, by); err != nil {
		return nil, err
	}
	if next != "" {
		if _, err := a.sendCode(ctx, c, codeRequest{Email: next}); err != nil {
			return nil, err
		}
	}
	if person.Guest() {
		return nil, nil
	}
	return &next, nil
}

// exportMe returns all data about the person. A session of a storefront gets only the data of
// that shop, because scripts of its owner run there.
func (a *Access) exportMe(ctx context.Context, c *api.Call, _ api.None) (api.Raw, error) {
	all, err := privacy.ExportPerson(ctx, a.store, c.Person, c.Storefront)
	return api.Raw{ContentType: "application/json", Body: all}, err
}

// removeMe deletes the person. Members of shops must call it at the address of the admin API,
// where no shop's scripts run.
func (a *Access) removeMe(ctx context.Context, c *api.Call, in reauthentication) (none api.None, err error) {
	if c.Buyer {
		in, err := people.ActsInMain(ctx, a.store, c.Person)
		if err != nil {
			return none, err
		}
		if in.Company != 0 {
			return none, api.ErrRole.With("the account of a shop's member is deleted at the address of the admin API")
		}
	}
	if err := a.reauthenticate(ctx, c, in); err != nil {
		return none, err
	}
	if err := privacy.RemovePerson(ctx, a.store, c.Person); err != nil {
		return none, err
	}
	a.dropCookie(c)
	return none, nil
}
