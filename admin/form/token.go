package form

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"vitrine/admin/api"
)

// A token consists of the time a page was shown (8 bytes, milliseconds), 8 random bytes, and a
// MAC of both, of the shop and of the form, in base64url.
const (
	tokenBytes = 32
	tokenBody  = 16
	tokenValid = 24 * time.Hour
)

// tokenSecret names the installation's secret that signs tokens.
const tokenSecret = "lead"

type tokenView struct {
	Token string    `json:"token"`
	Until time.Time `json:"until"`
}

// token issues a token for a page shown now. It reads only the signing key from the database,
// once.
func (fs *Forms) token(ctx context.Context, c *api.Call, in publicFormRequest) (out api.Result[tokenView], err error) {
	company, err := c.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return out, err
	}
	body := make([]byte, tokenBody)
	if _, err := rand.Read(body[8:]); err != nil {
		return out, err
	}
	now := fs.Now()
	binary.BigEndian.PutUint64(body, uint64(now.UnixMilli()))
	mark, err := fs.mark(ctx, formKey{company, in.ID}, body)
	out.Result = tokenView{base64.RawURLEncoding.EncodeToString(append(body, mark...)), now.Add(tokenValid).UTC().Truncate(time.Second)}
	return out, err
}

// readToken returns when the page of a token was shown. ok is false for a token that was not
// issued for this form.
func (fs *Forms) readToken(ctx context.Context, of formKey, token string) (at time.Time, ok bool, err error) {
	raw, bad := base64.RawURLEncoding.Strict().DecodeString(token)
	if bad != nil || len(raw) != tokenBytes || base64.RawURLEncoding.EncodedLen(tokenBytes) != len(token) { // the decoder ignores line breaks
		return at, false, nil
	}
	mark, err := fs.mark(ctx, of, raw[:tokenBody])
	at = time.UnixMilli(int64(binary.BigEndian.Uint64(raw)))
	return at, err == nil && hmac.Equal(mark, raw[tokenBody:]), err
}

func (fs *Forms) mark(ctx context.Context, of formKey, body []byte) ([]byte, error) {
	fs.key.Lock()
	defer fs.key.Unlock()
	if fs.key.value == nil {
		key, err := fs.Store.Secret(ctx, tokenSecret)
		if err != nil {
			return nil, err
		}
		fs.key.value = key
	}
	mac := hmac.New(sha256.New, fs.key.value)
	mac.Write([]byte("lead " + of.company.String() + " " + of.form.String() + " ")) // never fails (hash.Hash)
	mac.Write(body)
	return mac.Sum(nil)[:tokenBytes-tokenBody], nil
}
