package purge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/outbound"
)

// Target is a cache in front of the edges.
type Target struct {
	Name   string // identifies it in the database and in logs; contains no secret
	batch  int    // most keys of a request
	tags   bool   // it reads Cache-Tag instead of Surrogate-Key
	submit func(keys []string) outbound.Request
}

// Do sends a request, as outbound.Client does.
type Do func(context.Context, outbound.Request) (*outbound.Answer, error)

const (
	maxTargets = 10
	maxAnswer  = 16 << 10
)

// ErrTarget is returned for a list that is not as documented.
var ErrTarget = errors.New("a target is varnish:http://host:port, fastly:SERVICE:TOKEN or cloudflare:ZONE:TOKEN")

// Parse reads the comma-separated list of VITRINE_PURGE.
func Parse(list string) (targets []Target, err error) {
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		kind, rest, _ := strings.Cut(text, ":")
		var t Target
		switch kind {
		case "varnish":
			t, err = varnish(rest)
		case "fastly":
			t, err = fastly(rest)
		case "cloudflare":
			t, err = cloudflare(rest)
		default:
			err = ErrTarget
		}
		if err != nil {
			return nil, fmt.Errorf("target %d: %w", len(targets)+1, err)
		}
		if slices.ContainsFunc(targets, func(other Target) bool { return other.Name == t.Name }) {
			return nil, fmt.Errorf("%s is named twice", t.Name)
		}
		if targets = append(targets, t); len(targets) > maxTargets {
			return nil, fmt.Errorf("there are more than %d targets", maxTargets)
		}
	}
	return targets, nil
}

// CacheTags reports whether a target reads the keys of a page in Cache-Tag.
func CacheTags(targets []Target) bool {
	return slices.ContainsFunc(targets, func(t Target) bool { return t.tags })
}

// varnish calls a server whose configuration has the method PURGE of `vitrine deploy varnish`.
func varnish(address string) (Target, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return Target{}, ErrTarget
	}
	// Varnish refuses header lines above 8 KB; a key has at most 40 bytes.
	return Target{Name: "varnish:" + u.Scheme + "://" + u.Host, batch: 150, submit: func(keys []string) outbound.Request {
		return outbound.Request{Method: "PURGE", URL: u.Scheme + "://" + u.Host + "/", Header: map[string]string{"Surrogate-Key": strings.Join(keys, " ")}}
	}}, nil
}

// Addresses of the APIs; tests replace them.
var (
	fastlyAPI     = "https://api.fastly.com"
	cloudflareAPI = "https://api.cloudflare.com/client/v4"
)

// pair splits a name and a secret.
func pair(text string) (name, secret string, err error) {
	name, secret, _ = strings.Cut(text, ":")
	if !isToken(name) || !isToken(secret) {
		err = ErrTarget
	}
	return name, secret, err
}

// isToken reports whether a text can be a part of an address and of a header.
func isToken(text string) bool {
	return text != "" && len(text) <= 200 && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_' && r != '.'
	})
}

// fastly purges for good: a soft purge would show the old page once more.
func fastly(text string) (Target, error) {
	service, token, err := pair(text)
	return Target{Name: "fastly:" + service, batch: 256, submit: func(keys []string) outbound.Request {
		return outbound.Request{Method: "POST", URL: fastlyAPI + "/service/" + service + "/purge", Header: map[string]string{
			"Fastly-Key": token, "Surrogate-Key": strings.Join(keys, " "), "Accept": "application/json",
		}}
	}}, err
}

func cloudflare(text string) (Target, error) {
	zone, token, err := pair(text)
	return Target{Name: "cloudflare:" + zone, batch: 30, tags: true, submit: func(keys []string) outbound.Request {
		body, err := json.Marshal(map[string][]string{"tags": keys})
		if err != nil {
			panic(err) // strings are always encoded
		}
		return outbound.Request{Method: "POST", URL: cloudflareAPI + "/zones/" + zone + "/purge_cache", Body: body, Header: map[string]string{
			"Authorization": "Bearer " + token, "Content-Type": "application/json",
		}}
	}}, err
}

// Purge removes all responses that were built from any of the keys. After an error, some may be
// left.
func (t Target) Purge(ctx context.Context, do Do, keys []string) error {
	for batch := range slices.Chunk(keys, t.batch) {
		request := t.submit(batch)
		request.MaxBody = maxAnswer
		answer, err := do(ctx, request)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil && answer.Status/100 == 2 {
			return err
		}
		if answer.Status/100 != 2 {
			return fmt.Errorf("status %d: %.200q", answer.Status, text)
		}
	}
	return nil
}
