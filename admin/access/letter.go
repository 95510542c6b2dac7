package access

import (
	"context"
	"fmt"

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

var invitationWords = map[string]words{
	"en": {"Invitation to %s", "You are invited to the shop \"%s\" (%s) as %s.\n\nAccept here, once, until %s:\n\n    %s\n\nIf you do not know this shop, ignore this letter: nobody joins without the link.\n"},
	"ru": {"Приглашение в магазин %s", "Вас приглашают в магазин «%s» (%s). Роль: %s.\n\nПринять приглашение можно здесь, один раз, до %s:\n\n    %s\n\nЕсли вы не знаете этот магазин, ничего не делайте: без ссылки никто не присоединится.\n"},
}

var roleWords = map[string]map[shop.Role]string{
	"en": {shop.Owner: "owner", shop.Admin: "administrator", shop.Editor: "editor"},
	"ru": {shop.Owner: "владелец", shop.Admin: "администратор", shop.Editor: "редактор"},
}

// invitationLetter leads to the page of the cabinet that accepts the invitation. The code is behind
// the "#", which browsers do not send. The name of the shop is on one line, so that it cannot pose as
// text of the platform.
func (a *Access) invitationLetter(company companydb.Company, in people.Invitation, code string) store.PlatformLetter {
	lang, name := shop.Language(company.Language, company.Currency), shop.OneLine(company.Name)
	return store.PlatformLetter{
		Kind: store.LetterInvitation, To: in.Email, CreatedAt: in.CreatedAt, ExpiresAt: in.ExpiresAt,
		Subject: fmt.Sprintf(invitationWords[lang].subject, name),
		Text: fmt.Sprintf(invitationWords[lang].text,
			name, a.urls.Storefront(company), roleWords[lang][in.Role], in.ExpiresAt.Format("2006-01-02 15:04 UTC"), a.urls.Admin+"/cabinet/invitation#"+code),
	}
}
