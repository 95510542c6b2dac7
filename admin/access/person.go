package access

import (
	"context"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/store"
)

// assurance shows that a call comes from the person, not from a script in an open
// session: the password, or a code that was sent to the address just now.
type assurance struct {
	Password string `json:"password" len:"body"`
	Code     string `json:"code" len:"body"` // instead of the password
}

// assure asks a signed-in person for the password or a code; wrong passwords count
// together with those of logins. A guest has neither.
func (a *Access) assure(ctx context.Context, c *api.Call, in assurance) error {
	person, err := a.store.Person(ctx, c.Person)
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
	return a.verify(ctx, pairOf(c, person.Email), person.PasswordHash, in.Password)
}

func (a *Access) useCode(ctx context.Context, email, code string) error {
	proof := store.Proof{Email: email, Now: a.now()}
	if err := a.compare(ctx, &proof, code); err != nil {
		return err
	}
	used, err := a.store.UseCode(ctx, email, proof.Hash)
	if err == nil && !used {
		err = ErrCodeWrong
	}
	return err
}

type profileRequest struct {
	Name  *string `json:"name" len:"body"`
	Phone *string `json:"phone" len:"body"`
	Email *string `json:"email" len:"body"`
	assurance
}

// saveMe changes what the person says of themselves.
func (a *Access) saveMe(ctx context.Context, c *api.Call, in profileRequest) (out api.Result[userView], err error) {
	person, err := a.store.Person(ctx, c.Person)
	if err != nil {
		return out, err
	}
	if in.Name != nil {
		if person.Name, err = checkName(*in.Name); err != nil {
			return out, err
		}
	}
	if in.Phone != nil {
		if person.Phone = *in.Phone; utf8.RuneCountInString(person.Phone) > maxPhone {
			return out, api.ErrTextTooLong.At("phone").With("at most 64 characters")
		}
	}
	if in.Email != nil {
		if err := a.wantEmail(ctx, c, &person, *in.Email, in.assurance); err != nil {
			return out, err
		}
	}
	if err := a.store.SaveProfile(ctx, person.ID, person.Name, person.Phone); err != nil {
		return out, err
	}
	user, err := a.view(ctx, c, person)
	return api.Wrap(user), err
}

// wantEmail notes another address of a person and sends a code there. The address
// that they have takes the wish back. A guest has no address to leave: the code
// makes the account (confirmCode).
func (a *Access) wantEmail(ctx context.Context, c *api.Call, person *store.Person, email string, by assurance) error {
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
	if err := a.assure(ctx, c, by); err != nil {
		return err
	}
	if !person.Guest() {
		if err := a.store.WantEmail(ctx, person.ID, next); err != nil {
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

// exportMe is all that is kept about the person. A session of a storefront gets
// what that shop keeps: its owner's scripts run beside it.
func (a *Access) exportMe(ctx context.Context, c *api.Call, _ api.None) (api.Raw, error) {
	all, err := a.store.ExportPerson(ctx, c.Person, c.Storefront)
	return api.Raw{ContentType: "application/json", Body: all}, err
}

// removeMe removes the person. Who works in a shop does it at the address of the
// admin API, where no shop's scripts run.
func (a *Access) removeMe(ctx context.Context, c *api.Call, in assurance) (none api.None, err error) {
	if c.Buyer {
		_, role, err := a.store.MainCompany(ctx, c.Person)
		if err != nil {
			return none, err
		}
		if role != "" {
			return none, api.ErrRole.With("an account that works in a shop is removed at the address of the admin API")
		}
	}
	if err := a.assure(ctx, c, in); err != nil {
		return none, err
	}
	if err := a.store.RemovePerson(ctx, c.Person); err != nil {
		return none, err
	}
	a.dropCookie(c)
	return none, nil
}
