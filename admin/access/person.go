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
	if err := a.verify(ctx, who, person.PasswordHash, in.Password); err != nil {
		return err
	}
	a.guesses.known.Set(who)
	return nil
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
	Name  *string `json:"name" len:"body"`
	Phone *string `json:"phone" len:"body"`
	Email *string `json:"email" len:"body"`

	Language *string `json:"language" enum:"en,ru" len:"8" doc:"of the cabinet; empty: as the browser says"`
	reauthentication
}

// saveMe changes the profile of the person.
func (a *Access) saveMe(ctx context.Context, c *api.Call, in profileRequest) (out api.Result[meView], err error) {
	person, err := people.GetPerson(ctx, a.store, c.Person)
	if err != nil {
		return out, err
	}
	if in.Name != nil {
		if person.Name, err = checkName(*in.Name); err != nil {
			return out, err
		}
	}
	if in.Phone != nil {
		if person.Phone = strings.TrimSpace(*in.Phone); utf8.RuneCountInString(person.Phone) > maxPhone {
			return out, body.ErrTextTooLong.At("phone").With("at most 64 characters")
		}
	}
	if in.Language != nil {
		if person.Language = *in.Language; !slices.Contains([]string{"", "en", "ru"}, person.Language) {
			return out, shop.ErrInvalidRequest.At("language").With("en, ru or empty")
		}
	}
	if in.Email != nil {
		if err := a.requestEmail(ctx, c, &person, *in.Email, in.reauthentication); err != nil {
			return out, err
		}
	}
	if err := people.SaveProfile(ctx, a.store, person); err != nil {
		return out, err
	}
	out.Result, err = a.meOf(ctx, c, person)
	return out, err
}

// requestEmail stores a requested new address of a person and sends a code there. Requesting
// the current address cancels the change. A guest has no address to change: the code creates
// the account (confirmCode).
func (a *Access) requestEmail(ctx context.Context, c *api.Call, person *people.Person, email string, by reauthentication) error {
	email, err := checkEmail(email)
	if err != nil {
		return err
	}
	next := email
	if strings.EqualFold(email, person.Email) {
		next = ""
	}
	if next == person.NextEmail && next == "" {
		return nil
	}
	if err := a.reauthenticate(ctx, c, by); err != nil {
		return err
	}
	if !person.Guest() {
		if err := privacy.RequestEmail(ctx, a.store, person.ID, next); err != nil {
			return err
		}
		person.NextEmail = next
	}
	if next == "" {
		return nil
	}
	_, err = a.sendCode(ctx, c, codeRequest{Email: next})
	return err
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
