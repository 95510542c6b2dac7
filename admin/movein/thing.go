package movein

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"vitrine/compile/movein"
)

// object is the body of a call, or a response to one.
type object = map[string]any

// thing is an object of the other system as calls of ours take it.
type thing struct {
	key   string
	place movein.Place
	item  object // its fields; slug is apart
	slug  string // wanted: another one if it is taken or no slug of ours
	shows shows
}

// label names a thing in a report.
func (t thing) label() string {
	if email := text(t.item["email"]); email != "" {
		return email // its key is a hash
	}
	return t.key
}

// shows says where an object shows pictures, by address.
type shows struct {
	Gallery  []movein.Picture `json:"gallery,omitempty"`
	Variants []variantPicture `json:"variants,omitempty"`
	Cover    string           `json:"cover,omitempty"`
	Text     []textPicture    `json:"text,omitempty"`
}

type variantPicture struct {
	SKU     string            `json:"sku"`
	Options map[string]string `json:"options"`
	Address string            `json:"address"`
}

// textPicture is a picture in a text: as it is written there, and its address.
type textPicture struct {
	Written string `json:"written"`
	Address string `json:"address"`
}

// addresses returns the addresses, each once.
func (s shows) addresses() (list []string) {
	seen := map[string]bool{"": true}
	add := func(address string) {
		if !seen[address] {
			seen[address] = true
			list = append(list, address)
		}
	}
	for _, p := range s.Gallery {
		add(p.Address)
	}
	for _, v := range s.Variants {
		add(v.Address)
	}
	add(s.Cover)
	for _, t := range s.Text {
		add(t.Address)
	}
	return list
}

// pictured is the field under which the hash of an object's pictures is kept. Its value before is
// that of the gallery or the cover.
const pictured = "pictures"

// fields returns a hash of each field. That of pictures leaves out those of texts, which are part
// of the text's.
func (t thing) fields() (map[string]string, error) {
	hashes := make(map[string]string, len(t.item)+1)
	for name, value := range t.item {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		hashes[name] = hash(text)
	}
	shown := t.shows
	shown.Text = nil
	text, err := json.Marshal(shown)
	hashes[pictured] = hash(text)
	return hashes, err
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// maxKey bounds the keys of origins, which are indexed.
const maxKey = 300 // bytes

// keyOf shortens a key that is too long for an index.
func keyOf(key string) string {
	if len(key) <= maxKey {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// id reads an id of a response, which is a number or a text.
func id(value any) int64 {
	var n int64
	switch v := value.(type) {
	case json.Number:
		n, _ = v.Int64()
	case string:
		n, _ = strconv.ParseInt(v, 10, 64)
	}
	return n
}

func pick(from object, names ...string) object {
	out := object{}
	for _, name := range names {
		if value, ok := from[name]; ok {
			out[name] = value
		}
	}
	return out
}

func list(value any) []any {
	l, _ := value.([]any)
	return l
}

func text(value any) string {
	s, _ := value.(string)
	return s
}
