package shop

import (
	"bytes"
	"fmt"
	"strconv"
)

// Number is a 32-bit id. It is encoded as a JSON number and decoded from a number or a
// string (document 1, conventions). K only distinguishes ids of different nouns.
type Number[K any] int32

// Long is a 64-bit id or counter. It is encoded as a JSON string and decoded from a number
// or a string (document 1, conventions).
type Long[K any] int64

type (
	company  struct{}
	user     struct{}
	category struct{}
	product  struct{}
	article  struct{}
	block    struct{}
	document struct{}
	release  struct{}
	rule     struct{}
	key      struct{}
	gallery  struct{}
	form     struct{}
	lead     struct{}
	siteFile struct{}
	counter  struct{}

	variant  struct{}
	order    struct{}
	payment  struct{}
	message  struct{}
	movement struct{}
	delivery struct{}
	shipment struct{}
	address  struct{}

	promotion   struct{}
	pricingRule struct{}

	invitation struct{}
	session    struct{}
	passkey    struct{}
	letter     struct{}

	webhook         struct{}
	webhookDelivery struct{}

	remark struct{}

	policy struct{}
	grant  struct{}

	job struct{}

	customer      struct{}
	customerGroup struct{}
)

// The ids of the nouns. Zero is never a stored id: it means "none".
type (
	CompanyID  = Number[company]
	UserID     = Number[user]
	CategoryID = Number[category]
	ProductID  = Number[product]
	ArticleID  = Number[article]

	BlockID    = Long[block]
	DocumentID = Long[document]
	ReleaseID  = Long[release]
	RuleID     = Long[rule]
	KeyID      = Long[key]
	GalleryID  = Long[gallery]
	FormID     = Long[form]
	LeadID     = Long[lead]
	SiteFileID = Long[siteFile]

	VariantID  = Long[variant]
	OrderID    = Long[order]
	PaymentID  = Long[payment]
	MessageID  = Long[message]
	MovementID = Long[movement]
	DeliveryID = Long[delivery]
	ShipmentID = Long[shipment]
	AddressID  = Long[address]

	PromotionID   = Long[promotion]
	PricingRuleID = Long[pricingRule]

	InvitationID = Long[invitation]
	SessionID    = Long[session]
	PasskeyID    = Long[passkey]
	LetterID     = Long[letter]

	WebhookID         = Long[webhook]
	WebhookDeliveryID = Long[webhookDelivery]

	RemarkID = Long[remark]

	PolicyID = Long[policy]
	GrantID  = Long[grant]

	JobID = Long[job]

	CustomerID      = Long[customer]
	CustomerGroupID = Long[customerGroup]

	// CategoryRef is a category id that the interface represents as a 64-bit string:
	// parent_id and root_id (document 1, 2.3).
	CategoryRef = Long[category]
	// Int64 is a 64-bit count: versions, sizes, hits.
	Int64 = Long[counter]
)

func (n Number[K]) String() string { return strconv.FormatInt(int64(n), 10) }
func (n Long[K]) String() string   { return strconv.FormatInt(int64(n), 10) }

// MarshalJSON encodes a 64-bit value as a string.
func (n Long[K]) MarshalJSON() ([]byte, error) {
	return append(strconv.AppendInt([]byte{'"'}, int64(n), 10), '"'), nil
}

// UnmarshalJSON decodes a number or a string of decimal digits.
func (n *Long[K]) UnmarshalJSON(b []byte) error {
	v, err := readInt(b, 64)
	*n = Long[K](v)
	return err
}

// UnmarshalJSON decodes a number or a string of decimal digits.
func (n *Number[K]) UnmarshalJSON(b []byte) error {
	v, err := readInt(b, 32)
	*n = Number[K](v)
	return err
}

// UnmarshalText parses an id from a path segment or a query parameter.
func (n *Number[K]) UnmarshalText(b []byte) error {
	v, err := parseInt(b, 32)
	*n = Number[K](v)
	return err
}

// UnmarshalText parses an id from a path segment or a query parameter.
func (n *Long[K]) UnmarshalText(b []byte) error {
	v, err := parseInt(b, 64)
	*n = Long[K](v)
	return err
}

// readInt decodes a JSON value; null, and the empty string that some clients send for none,
// are zero.
func readInt(b []byte, bits int) (int64, error) {
	b = bytes.Trim(b, `"`)
	if len(b) == 0 || string(b) == "null" {
		return 0, nil
	}
	return parseInt(b, bits)
}

func parseInt(b []byte, bits int) (int64, error) {
	v, err := strconv.ParseInt(string(b), 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%q is not a %d-bit integer", b, bits)
	}
	return v, nil
}
