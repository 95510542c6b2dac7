package access

import (
	"context"
	"fmt"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

// post queues a letter of the platform. Without a mail server the operator reads it in the log
// and with "vitrine letters" (CONTRACT-COMMERCE, "Letters").
func (a *Access) post(ctx context.Context, tx *store.Tx, l store.PlatformLetter) error {
	tx.AfterCommit(func(ctx context.Context) { a.logLetter(ctx, l) })
	return tx.QueuePlatformLetter(ctx, l)
}

// language returns the language of the shop on whose host the call was made.
func (a *Access) language(ctx context.Context, storefront shop.CompanyID) (string, error) {
	if storefront == 0 {
		return "en", nil
	}
	company, err := companydb.Info(ctx, a.store.Shop(storefront))
	return shop.Language(company.Language, company.Currency), err
}

// words are the texts of a letter in one language, with a placeholder for the code or the link.
type words struct{ subject, text string }

var codeWords = map[string]words{
	"en": {"Your code is %s", "Your code is\n\n    %s\n\nIt is valid once, for 10 minutes. If you did not request it, ignore this letter.\n"},
	"ru": {"Ваш код: %s", "Ваш код:\n\n    %s\n\nОн действует один раз и 10 минут. Если вы его не запрашивали, ничего не делайте.\n"},
}

var resetWords = map[string]words{
	"en": {"A new password", "Set a new password here, once, within an hour:\n\n    %s\n\nThis ends all your sessions. If you did not request it, ignore this letter.\n"},
	"ru": {"Новый пароль", "Новый пароль можно задать здесь, один раз, в течение часа:\n\n    %s\n\nВсе открытые сеансы закончатся. Если вы этого не просили, ничего не делайте.\n"},
}

func (a *Access) logLetter(ctx context.Context, l store.PlatformLetter) {
	if a.log == nil {
		return // codes must not be in the log if a mail server delivers them
	}
	a.log.InfoContext(ctx, "letter", "kind", l.Kind, "to", l.To, "subject", l.Subject, "text", l.Text)
}

// invitationLetter has the name of the shop on one line, so that it cannot pose as text of the
// platform.
func (a *Access) invitationLetter(company companydb.Company, in people.Invitation, code string) store.PlatformLetter {
	return store.PlatformLetter{
		Kind: store.LetterInvitation, To: in.Email, CreatedAt: in.CreatedAt, ExpiresAt: in.ExpiresAt,
		Subject: "Invitation to " + shop.OneLine(company.Name),
		Text: fmt.Sprintf(`You are invited to the shop "%s" (%s) as %s.

Your code, for one use until %s:

    %s

Send it as {"code": "…"} to POST %s, signed in as %s. Without an account, send {"code": "…", "password": "…", "name": "…"} with a password of your choice.

If you do not know this shop, ignore this letter: joining requires the code.
`, shop.OneLine(company.Name), a.urls.Storefront(company), in.Role, in.ExpiresAt.Format(time.RFC1123), code, a.urls.Admin+acceptPath, in.Email),
	}
}
