package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

const (
	inDraft = "This changed the draft; visitors see nothing of it yet. GET /drafts lists what waits, POST /drafts/publish publishes it, POST /drafts/discard discards it."
	inLive  = "This changed the live shop at once; visitors see it now wherever it is shown. GET /audit lists the change under its request_id."
	noDraft = "This has no draft: it took effect in the live shop at once. GET /audit lists the change under its request_id."
	nothing = "Nothing was changed."
)

// ofDraft are the calls about the draft as a whole.
var ofDraft = map[string]string{
	"/drafts/publish": "The published changes are in the live shop: visitors see them now.",
	"/drafts/discard": "The discarded changes are gone from the draft; the live shop is as it was.",
}

// done says what a successful write did and where it can be undone.
func done(row *api.Endpoint, c *api.Call, in writeArguments, answer api.InnerAnswer) string {
	switch {
	case answer.Replayed:
		return "This is the stored response of the first call with this idempotency_key; nothing was done again."
	case row.Computes:
		return nothing + " This call only computes its response."
	case dryRun(in):
		return "A dry run: nothing was changed."
	}
	said := inLive
	switch {
	case ofDraft[row.Path] != "":
		said = ofDraft[row.Path]
	case row.Contour == api.CallersContour && c.Contour == shop.Dev && row.Auth != api.Link:
		said = inDraft
	case row.Contour != api.CallersContour:
		said = noDraft
	}
	return strings.TrimSpace(said + " " + row.Undo)
}

// dryRun reports whether a call asked only for a report.
func dryRun(in writeArguments) bool {
	var body struct {
		DryRun bool `json:"dry_run"`
	}
	if in.Body != nil && json.Unmarshal(in.Body, &body) == nil && body.DryRun {
		return true
	}
	text, _ := plain(in.Query["dry_run"])
	dry, err := strconv.ParseBool(text)
	return err == nil && dry
}

// fill puts the body of a response into a result, cut to what fits.
func (m *MCP) fill(out *result, row *api.Endpoint, target string, answer api.InnerAnswer) {
	if len(answer.Body) == 0 {
		return
	}
	const spare = 2 << 10 // for the other fields, which are bounded
	size := answer.Size
	whole := size == len(answer.Body)
	if whole && json.Valid(answer.Body) {
		body := json.RawMessage(bytes.TrimSpace(answer.Body))
		if len(body) <= maxResult-spare {
			out.Body = body
			return
		}
		if shorter, sentence, ok := shorten(body, maxResult-spare, row); ok {
			out.Body, out.Cut = shorter, sentence
			return
		}
	}
	if !isText(answer.ContentType) {
		out.Cut = "The response is a file (" + answer.ContentType + "), which MCP does not carry: GET " + m.URL + target + " with the same key over HTTP."
		return
	}
	text := strings.ToValidUTF8(string(answer.Body), "")
	out.Text = text
	if fits := fitting(text, maxResult-spare); fits < len(text) || !whole {
		out.Text = text[:fits]
		out.Cut = "This is the beginning of the response. The whole is at GET " + m.URL + target + " with the same key over HTTP."
		if row != nil && sections(row) {
			out.Cut += " The parameter section returns one section of it."
		}
	}
}

func sections(row *api.Endpoint) bool {
	for _, name := range row.Query() {
		if name == "section" {
			return true
		}
	}
	return false
}

func isText(contentType string) bool {
	return strings.HasPrefix(contentType, "text/") || strings.HasPrefix(contentType, "application/json")
}

// fitting returns how many bytes of a text fit into a JSON string of the given size.
func fitting(text string, size int) int {
	used := 0
	for i, r := range text {
		switch {
		case r == '"' || r == '\\' || r == '\n' || r == '\t' || r == '\r':
			used += 2
		case r < ' ' || r == '\u2028' || r == '\u2029':
			used += 6
		default:
			used += len(string(r))
		}
		if used > size {
			return i
		}
	}
	return len(text)
}
