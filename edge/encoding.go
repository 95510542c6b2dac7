package edge

import "vitrine/compile/pack"

// encoding is a content coding of a body.
type encoding uint8

const (
	identity encoding = iota
	gzipped
	brotlied
	encodings
)

var (
	encodingNames = [encodings]string{"", "gzip", "br"}
	encodingTags  = [encodings]string{"", "-gz", "-br"} // suffixes of the entity tag
)

// negotiate chooses the coding by Accept-Encoding among those up to most.
func negotiate(accept []byte, most encoding) encoding {
	switch pack.Accepted(accept, most == brotlied) {
	case pack.Brotli:
		return brotlied
	case pack.Gzip:
		if most >= gzipped {
			return gzipped
		}
	}
	return identity
}

// encode returns the encoded body, nil if it would not be smaller. A page is drawn again
// after each change, and compressed on the first request for the coding.
func encode(body []byte, e encoding, level pack.Level) ([]byte, error) {
	return pack.Encode(body, pack.Coding(encodingNames[e]), level)
}

// decode returns the body of size bytes that was encoded.
func decode(form []byte, e encoding, size int) []byte {
	body, err := pack.Body(form, pack.Coding(encodingNames[e]), size)
	if err != nil {
		panic(err) // encode made it: the memory is damaged
	}
	return body
}
