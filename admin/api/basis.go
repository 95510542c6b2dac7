package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/condition"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// An edit can say which version of an object it was made from, so that it does not overwrite
// the edit of someone else (CONTRACT, "Hands and agents", Edits). The version of an object is its
// updated_at. The endpoint that reads the object is named by Edits in the rows of all endpoints
// that edit it or a part of it; its responses have the version in their ETag.

// Basis is the part of a request that says which version an edit was made from. It is embedded
// in the requests of all rows with Edits.
type Basis struct {
	ExpectedUpdatedAt *time.Time `json:"expected_updated_at,omitempty" doc:"the updated_at of the object that the edit was made from; if the object has changed since, the edit is refused with EDIT_CONFLICT"`
}

func (b Basis) expected() *time.Time { return b.ExpectedUpdatedAt }

// HeaderBasis is the Basis of a request whose body is the object itself, so that only If-Match can
// name a version.
type HeaderBasis struct{}

func (HeaderBasis) expected() *time.Time { return nil }

type based interface{ expected() *time.Time }

// LinkEdits lets each row with Edits find the row that reads its object.
func LinkEdits(table []Endpoint) error {
	reads := map[string]*Endpoint{}
	for i := range table {
		if table[i].Method == fasthttp.MethodGet {
			reads[table[i].Path] = &table[i]
		}
	}
	for i := range table {
		e := &table[i]
		_, isBased := reflect.Zero(e.Do.In).Interface().(based)
		if isBased != (e.Edits != "") {
			return fmt.Errorf("%s %s: a request has a Basis if and only if its row has Edits", e.Method, e.Path)
		}
		if e.Edits == "" {
			continue
		}
		read := reads[e.Edits]
		if read == nil {
			return fmt.Errorf("%s %s edits %s, which no endpoint reads", e.Method, e.Path, e.Edits)
		}
		if read.version = versionIn(read.Do.Out); read.version == nil {
			return fmt.Errorf("GET %s has no updated_at", e.Edits)
		}
		e.read = read
		e.version = versionIn(e.Do.Out)
	}
	return nil
}

// versionIn returns the index of the field updated_at of a response, at its top or in result;
// nil without one.
func versionIn(t reflect.Type) []int {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name {
		case "updated_at":
			return f.Index
		case "result":
			if inner := versionIn(f.Type); inner != nil {
				return slices.Concat(f.Index, inner)
			}
		}
	}
	return nil
}

// HasVersion reports whether the responses of the endpoint have the ETag of an object that can
// be edited. It is known after LinkEdits.
func (e *Endpoint) HasVersion() bool { return e.version != nil }

// versionOf returns the version in a response of the endpoint, zero without one.
func (e *Endpoint) versionOf(out any) time.Time {
	if e.version == nil {
		return time.Time{}
	}
	field, err := reflect.ValueOf(out).FieldByIndexErr(e.version)
	if err != nil {
		return time.Time{}
	}
	switch at := field.Interface().(type) {
	case time.Time:
		return at
	case *time.Time:
		if at != nil {
			return *at
		}
	}
	return time.Time{}
}

// etagOf returns the ETag of a response with a version: the version for If-Match, and a hash of
// the body for caches, because stock and ratings change without an edit.
func etagOf(version time.Time, body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + versionTag(version) + "." + hex.EncodeToString(sum[:8]) + `"`
}

func versionTag(version time.Time) string { return strconv.FormatInt(version.UnixMicro(), 36) }

// setBasis reads what the edit was made from and lets its transaction compare it.
func (c *Call) setBasis(ctx context.Context, in any) error {
	c.basis = nil
	if c.endpoint.read == nil {
		return nil
	}
	versions, sent, err := c.ifMatch()
	if err != nil {
		return err
	}
	if at := in.(based).expected(); at != nil {
		if sent {
			versions = slices.DeleteFunc(versions, func(v time.Time) bool { return !v.Equal(*at) })
		} else {
			versions = []time.Time{*at}
		}
		sent = true
	}
	if sent {
		c.basis = &store.Basis{Versions: versions}
	}
	store.SetBasis(ctx, c.basis)
	return nil
}

// ifMatch returns the versions that the header If-Match names. Weak tags name none: the
// comparison of If-Match is the strong one (RFC 9110, 13.1.1). "*" asks for any version.
func (c *Call) ifMatch() (versions []time.Time, sent bool, err error) {
	if c.http == nil {
		return nil, false, nil
	}
	tags, any, ok := condition.IfMatch(&c.http.Request.Header)
	if !ok {
		return nil, false, shop.ErrInvalidRequest.At("If-Match").With("must be the ETag of a response, in its quotes")
	}
	for _, tag := range tags {
		version, _, _ := strings.Cut(strings.Trim(tag, `"`), ".")
		if micro, err := strconv.ParseInt(version, 36, 64); err == nil && !strings.HasPrefix(tag, "W/") {
			versions = append(versions, time.UnixMicro(micro))
		}
	}
	return versions, len(tags) > 0 && !any, nil
}

// CheckBasis refuses an edit that was not made from this version of the object, for edits that
// may be a dry run. The writes of others call store.Tx.CheckBasis.
func (c *Call) CheckBasis(updatedAt time.Time) error { return c.basis.Check(updatedAt) }

// afterEdit checks that the basis of an edit was compared, and adds to a conflict what the
// object is now and who changed it.
func (c *Call) afterEdit(ctx context.Context, err error) error {
	if err == nil {
		return c.basis.Checked()
	}
	refusal, ok := shop.AsRefusal(err)
	if !ok || c.endpoint.read == nil || !errors.Is(err, store.ErrEditConflict) {
		return err
	}
	refusal = refusal.With("read the object again, and make the change to what it is now").
		WithField("current", nil).WithField("updated_by", nil)
	read := *c
	read.endpoint, read.basis = c.endpoint.read, nil
	if read.endpoint.Admit(c.Identity) != nil {
		return refusal // the caller may write the object but not read it
	}
	out, err := read.endpoint.Do.run(ctx, &read)
	if _, refused := shop.AsRefusal(err); refused {
		return refusal // deleted in the meantime
	}
	if err != nil {
		return err
	}
	body, err := encode(out)
	if err != nil {
		return err
	}
	editor, err := c.editorAt(ctx, read.endpoint, out)
	if err != nil {
		return err
	}
	return refusal.WithField("current", object(body)).WithField("updated_by", editor)
}

// editorAt returns who edited the object that an endpoint has read.
func (c *Call) editorAt(ctx context.Context, read *Endpoint, out any) (*store.Editor, error) {
	if read.Own {
		return c.server.Store.EditorOf(ctx, c.Person)
	}
	return store.EditorAt(ctx, c.server.Store.Shop(c.Company), read.versionOf(out))
}

// object returns the object of a response: its result, or all of it.
func object(body []byte) json.RawMessage {
	var wrapped struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal(body, &wrapped) == nil && wrapped.Result != nil {
		return wrapped.Result
	}
	return body
}
