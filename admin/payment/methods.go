package payment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/pay"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/sales"
)

// Refusals of payment methods.
var (
	errMethod     = shop.Refuse(shop.InvalidArgument, "PAYMENT_METHOD_INVALID").When("the method does not exist or its settings are invalid; the detail contains the reason")
	errNoSandbox  = shop.Refuse(shop.FailedPrecondition, "SANDBOX_OFF").When("an open shop needs the setting sandbox to simulate payments")
	errNoProvider = shop.Refuse(shop.FailedPrecondition, "PAYMENT_METHOD_INACTIVE").When("the shop does not offer this payment method").At("method")
)

// requiredSecrets lists the secrets that each known method requires.
var requiredSecrets = map[string][]string{"manual": nil, "sandbox": nil, "stripe": {"secret_key", "webhook_secret"}, "yookassa": {"shop_id", "secret_key"}}

const (
	maxTitle  = 255 // characters
	maxSecret = 500 // characters of each secret

	maxInstructions = 4000 // characters
	maxPublic       = 255  // characters of each setting that is no secret

	maxTaxSystem, maxVATCode = 6, 12 // codes of YooKassa
)

// methodView is a method as shown to visitors; members of the shop see the other fields as well.
type methodView struct {
	Method   string `json:"method"`
	Title    string `json:"title"`
	IsActive *bool  `json:"is_active,omitempty"`
	IsSet    *bool  `json:"is_set,omitempty" doc:"whether its secrets are set; they are never returned"`

	Instructions string `json:"instructions,omitempty" doc:"for manual: the shop's payment instructions for buyers"`
}

// ownMethod is a method as members of the shop see it.
type ownMethod struct {
	methodView
	Settings  *sales.PublicSettings `json:"settings,omitempty" doc:"for stripe: the settings that are no secrets"`
	UpdatedAt time.Time             `json:"updated_at"`
}

func viewOwn(m sales.PaymentMethod) ownMethod {
	set := len(requiredSecrets[m.Method]) == 0 || len(m.Sealed) > 0
	view := ownMethod{methodView: methodView{m.Method, m.Title, &m.IsActive, &set, m.Instructions}, UpdatedAt: m.UpdatedAt.UTC()}
	if m.Method == chargeMethod {
		view.Settings = &m.Public
	}
	return view
}

type methodsRequest struct {
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers outside a storefront"`
}

// list returns the active methods, and all methods to members of the shop.
func (ps *Payments) list(ctx context.Context, c *api.Call, in methodsRequest) (out api.Result[[]methodView], err error) {
	company, err := c.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return out, err
	}
	set, err := ps.Methods(ctx, company)
	out.Result = []methodView{}
	for _, m := range set {
		switch visitor := c.Visitor(company); {
		case !visitor:
			out.Result = append(out.Result, viewOwn(m).methodView)
		case m.IsActive:
			out.Result = append(out.Result, methodView{Method: m.Method, Title: m.Title, Instructions: m.Instructions})
		}
	}
	return out, err
}

type methodPath struct {
	Method string `path:"method" json:"-"`
}

// method returns one method; version 1970 and no title if the shop has not set it.
func (ps *Payments) method(ctx context.Context, c *api.Call, in methodPath) (out api.Result[ownMethod], err error) {
	if _, known := requiredSecrets[in.Method]; !known {
		return out, errMethod.With("unknown method " + in.Method)
	}
	list, err := ps.Methods(ctx, c.Company)
	return api.Wrap(viewOwn(methodIn(list, in.Method))), err
}

// methodIn returns a method of a list; one that was never set has the version 1970.
func methodIn(list []sales.PaymentMethod, name string) sales.PaymentMethod {
	for _, m := range list {
		if m.Method == name {
			return m
		}
	}
	return sales.PaymentMethod{Method: name, UpdatedAt: time.Unix(0, 0)}
}

// Methods returns the payment methods of a shop. The sandbox is inactive where it is not allowed.
func (ps *Payments) Methods(ctx context.Context, company shop.CompanyID) ([]sales.PaymentMethod, error) {
	r := ps.Store.Shop(company)
	list, err := sales.PaymentMethods(ctx, r)
	at := slices.IndexFunc(list, func(m sales.PaymentMethod) bool { return m.Method == "sandbox" && m.IsActive })
	if err != nil || at < 0 {
		return list, err
	}
	info, err := companydb.Info(ctx, r)
	if err != nil {
		return nil, err
	}
	settings, err := companydb.GetSettings(ctx, r)
	list[at].IsActive = sandboxAllowed(info, settings)
	return list, err
}

// sandboxAllowed reports whether a shop may use the sandbox: an open shop needs the setting for it.
func sandboxAllowed(info companydb.Company, settings companydb.Settings) bool {
	return settings.Sandbox || info.Closed
}

type methodRequest struct {
	methodPath
	api.Basis
	Title    *string     `json:"title" len:"255" refuse:"PAYMENT_METHOD_INVALID"`
	IsActive *bool       `json:"is_active"`
	Settings shop.Object `json:"settings" doc:"by method; secrets that are not sent stay"`
}

// set changes a method; secrets that are not sent stay unchanged, and secrets are never returned.
func (ps *Payments) set(ctx context.Context, c *api.Call, in methodRequest) (out api.Result[ownMethod], err error) {
	needs, known := requiredSecrets[in.Method]
	if !known {
		return out, errMethod.With("unknown method " + in.Method)
	}
	public, secrets, err := publicSettings(in.Method, json.RawMessage(in.Settings))
	if err != nil {
		return out, err
	}
	sealed, err := ps.seal(c.Company, in.Method, needs, secrets)
	if err != nil {
		return out, err
	}
	if sealed != nil {
		if err := c.RequireFresh(); err != nil {
			return out, err
		}
	}
	told, err := instructions(in.Method, json.RawMessage(in.Settings))
	if err != nil {
		return out, err
	}
	err = ps.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		info, err := companydb.Info(ctx, tx.Reader)
		if err != nil {
			return err
		}
		settings, err := companydb.LockSettings(ctx, tx) // the method may not have a row yet
		if err != nil {
			return err
		}
		list, err := sales.PaymentMethods(ctx, tx.Reader)
		if err != nil {
			return err
		}
		m := methodIn(list, in.Method)
		if err := tx.CheckBasis(m.UpdatedAt); err != nil {
			return err
		}
		if in.Title != nil {
			m.Title = strings.TrimSpace(*in.Title)
		}
		if in.IsActive != nil {
			m.IsActive = *in.IsActive
		}
		if sealed != nil {
			m.Sealed = sealed
		}
		if told != nil {
			m.Instructions = *told
		}
		public.change(&m.Public)
		switch {
		case m.Title == "" || utf8.RuneCountInString(m.Title) > maxTitle:
			return errMethod.At("title").With("1 to 255 characters")
		case len(needs) > 0 && m.Sealed == nil:
			return errMethod.At("settings").With(strings.Join(needs, " and "))
		case m.IsActive && !pay.Charges(in.Method, info.Currency, info.PriceDigits):
			return errMethod.With(in.Method + " does not support " + info.Currency)
		case in.Method == "sandbox" && m.IsActive && !sandboxAllowed(info, settings):
			return errNoSandbox
		}
		if err := sales.SavePaymentMethod(ctx, tx, &m); err != nil {
			return err
		}
		out = api.Wrap(viewOwn(m))
		return nil
	})
	return out, err
}

// SetCurrency changes the currency of a shop (store.Tx.SetCurrency) and deactivates the methods
// that cannot charge the new one; it returns their names.
func SetCurrency(ctx context.Context, tx *store.Tx, currency string) (off []string, err error) {
	if err := companydb.SetCurrency(ctx, tx, currency); err != nil {
		return nil, err
	}
	info, err := companydb.Info(ctx, tx.Reader)
	if err != nil {
		return nil, err
	}
	list, err := sales.PaymentMethods(ctx, tx.Reader)
	for _, m := range list {
		if !m.IsActive || pay.Charges(m.Method, currency, info.PriceDigits) {
			continue
		}
		m.IsActive = false
		if err := sales.SavePaymentMethod(ctx, tx, &m); err != nil {
			return nil, err
		}
		off = append(off, m.Method)
	}
	return off, err
}

// seal validates and seals the settings of a method; it returns nil if none were sent.
func (ps *Payments) seal(company shop.CompanyID, method string, needs []string, settings json.RawMessage) ([]byte, error) {
	if len(settings) == 0 || string(settings) == "null" || len(needs) == 0 {
		return nil, nil
	}
	var s map[string]json.RawMessage
	if json.Unmarshal(settings, &s) != nil {
		return nil, errMethod.At("settings").With("an object")
	}
	kept := map[string]any{}
	for name, value := range s {
		var text string
		switch {
		case method == "yookassa" && name == "receipt":
			receipt, err := receiptOf(value)
			if err != nil {
				return nil, err
			}
			kept[name] = receipt
		case !slices.Contains(needs, name) || json.Unmarshal(value, &text) != nil || len(text) > maxSecret:
			return nil, errMethod.At("settings").With(strings.Join(needs, " and ") + ", of at most 500 characters")
		default:
			kept[name] = text
		}
	}
	for _, name := range needs {
		if text, _ := kept[name].(string); strings.TrimSpace(text) == "" {
			return nil, errMethod.At("settings").With(name + " is missing")
		}
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	return ps.Sealer.Seal(text, sealContext(company, method)), nil
}

// publicEdits are the settings of Stripe that are no secrets, as sent, by name.
type publicEdits map[string]string

// publicSettings takes the settings that are no secrets out of those that were sent.
func publicSettings(method string, settings json.RawMessage) (public publicEdits, secrets json.RawMessage, err error) {
	var sent map[string]json.RawMessage
	if method != chargeMethod || json.Unmarshal(settings, &sent) != nil {
		return nil, settings, nil // the secrets are checked later
	}
	public = publicEdits{}
	for _, name := range []string{"publishable_key", "google_merchant_id", "merchant_id"} {
		value, ok := sent[name]
		if !ok {
			continue
		}
		delete(sent, name)
		var text string
		if json.Unmarshal(value, &text) != nil || len(text) > maxPublic || strings.ContainsFunc(text, notInIDs) ||
			name == "publishable_key" && text != "" && !strings.HasPrefix(text, "pk_") {
			return nil, nil, errMethod.At("settings." + name).With("not an id of this kind")
		}
		public[name] = text
	}
	if len(sent) == 0 {
		return public, nil, nil
	}
	secrets, err = json.Marshal(sent)
	return public, secrets, err
}

// notInIDs reports characters that ids of Stripe and Google do not contain.
func notInIDs(r rune) bool {
	return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

func (e publicEdits) change(s *sales.PublicSettings) {
	for name, field := range map[string]*string{"publishable_key": &s.PublishableKey, "google_merchant_id": &s.GoogleMerchantID, "merchant_id": &s.MerchantID} {
		if text, sent := e[name]; sent {
			*field = text
		}
	}
}

// receiptOf reads the settings for receipts of YooKassa; nil means no receipts.
func receiptOf(value json.RawMessage) (*pay.Receipt, error) {
	if string(value) == "null" {
		return nil, nil
	}
	var r pay.Receipt
	if json.Unmarshal(value, &r) != nil || r.TaxSystem < 1 || r.TaxSystem > maxTaxSystem || r.VATCode < 1 || r.VATCode > maxVATCode {
		return nil, errMethod.At("settings.receipt").With("tax_system is 1 to 6 and vat_code 1 to 12, as defined by YooKassa")
	}
	return &r, nil
}

// instructions reads the settings of the method manual; it returns nil if none were sent.
func instructions(method string, settings json.RawMessage) (*string, error) {
	if method != sales.ManualMethod || len(settings) == 0 || string(settings) == "null" {
		return nil, nil
	}
	var s map[string]string
	if json.Unmarshal(settings, &s) != nil {
		return nil, errMethod.At("settings").With("an object of strings")
	}
	for name, value := range s {
		if name != "instructions" || utf8.RuneCountInString(strings.TrimSpace(value)) > maxInstructions {
			return nil, errMethod.At("settings").With("instructions, of at most 4000 characters")
		}
	}
	text, sent := s["instructions"]
	if !sent {
		return nil, nil
	}
	text = strings.TrimSpace(text)
	return &text, nil
}

// sealContext returns the context that secrets are sealed with: a row copied to another shop cannot
// be unsealed there.
func sealContext(company shop.CompanyID, method string) string {
	return fmt.Sprintf("shop %d %s", company, method)
}

// Takes reports whether a shop offers a payment method.
func (ps *Payments) Takes(ctx context.Context, company shop.CompanyID, method string) (bool, error) {
	err := ps.active(ctx, company, method)
	if errors.Is(err, errNoProvider) {
		return false, nil
	}
	return err == nil, err
}

// active returns errNoProvider if the shop does not offer a method.
func (ps *Payments) active(ctx context.Context, company shop.CompanyID, method string) error {
	list, err := ps.Methods(ctx, company)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(m sales.PaymentMethod) bool { return m.Method == method && m.IsActive }) {
		return errNoProvider
	}
	return nil
}

// provider returns the provider of a shop's method, even if the method is inactive now: payments
// begun with it are still completed.
func (ps *Payments) provider(ctx context.Context, company shop.CompanyID, method string) (pay.Provider, error) {
	list, err := sales.PaymentMethods(ctx, ps.Store.Shop(company))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(m sales.PaymentMethod) bool { return m.Method == method })
	if at < 0 {
		return nil, errNoProvider
	}
	s, err := ps.secrets(company, list[at])
	if err != nil {
		return nil, err
	}
	switch method {
	case "sandbox":
		return sandbox{ps.Store, company, ps.URLs.Admin, ps.Now}, nil
	case "stripe":
		return pay.Stripe(ps.Do, ps.StripeURL, s), nil
	case "yookassa":
		return pay.YooKassa(ps.Do, ps.YooKassaURL, s), nil
	}
	return nil, errNoProvider
}

// secrets unseals the credentials of a method.
func (ps *Payments) secrets(company shop.CompanyID, m sales.PaymentMethod) (s pay.Secrets, err error) {
	if m.Sealed == nil {
		return s, nil
	}
	text, err := ps.Sealer.Open(m.Sealed, sealContext(company, m.Method))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}
