package docs

import "vitrine/internal/hook"

// event is one row of document 2, 6.3.
type event struct {
	Name        string   `json:"event"`
	Sensitivity string   `json:"sensitivity"` // public, pii, commercial, financial; empty: no subscriptions possible
	Subscribers string   `json:"subscribers"`
	Data        []string `json:"data"` // fields; a ? follows those that may be absent
	When        string   `json:"when"`
}

// events returns every webhook event.
func events() (list []event) {
	for _, k := range hook.Kinds {
		who := "owner or administrator"
		switch k.Sensitivity {
		case hook.Public:
			who = "any member"
		case hook.Ping:
			who = ""
		}
		list = append(list, event{k.Name, string(k.Sensitivity), who, k.Data, k.When})
	}
	return list
}

// delivery holds the rules of document 2, 6.2 and 6.4.
type delivery struct {
	Method       string            `json:"method"`
	ContentType  string            `json:"content_type"`
	Envelope     map[string]string `json:"envelope"`
	Headers      map[string]string `json:"headers"`
	Signature    string            `json:"signature"`
	Guarantee    string            `json:"guarantee"`
	Success      string            `json:"success"`
	TimeoutS     int               `json:"timeout_seconds"`
	DialS        int               `json:"dial_timeout_seconds"`
	TLSS         int               `json:"tls_timeout_seconds"`
	Redirects    bool              `json:"follows_redirects"`
	Attempts     int               `json:"max_attempts"`
	PausesS      []int             `json:"pauses_seconds"` // before attempts 2 to 8
	ResponseRead int               `json:"response_bytes_read"`
	PollS        int               `json:"poll_seconds"`
	Claim        int               `json:"deliveries_per_claim"`
	Recipients   string            `json:"recipients"`
	Subscription map[string]any    `json:"subscription"`
	RetryAfterS  int               `json:"retry_after_at_most_seconds"` // limit for a Retry-After of a failure, which extends the pause
	Abort        string            `json:"abort"`
	KeptDays     int               `json:"kept_days"` // events and the journal
	Receiver     []string          `json:"receiver"`
}

var delivered = delivery{
	Method: "POST", ContentType: "application/json",
	Envelope: map[string]string{
		"event":      "name of the event",
		"event_id":   "uuid of the event, shared by all subscriptions: use it to drop duplicates",
		"created_at": "time of the event, UTC, RFC 3339: use it for ordering",
		"data":       "ids and a few fields, not a snapshot: read the object by its id",
	},
	Headers: map[string]string{
		"X-Service-Event":       "name of the event",
		"X-Service-Event-Id":    "uuid of the event",
		"X-Service-Delivery-Id": "id of the delivery; absent on webhook.test",
		"X-Service-Attempt":     "number of the attempt, from 1; absent on webhook.test",
		"X-Service-Timestamp":   "when the attempt was sent, UTC, RFC 3339",
		"X-Service-Signature":   "sha256=<hex>, at every attempt with the secret at the time the event was queued",
		"X-Service-Sequence":    "consecutive number of the subscription's deliveries; absent on webhook.test",
		"webhook-id":            "Standard Webhooks: id of the event and subscription, the same at every attempt",
		"webhook-timestamp":     "Standard Webhooks: when the attempt was sent, in seconds",
		"webhook-signature":     "Standard Webhooks: v1,<base64>; two signatures for 24 hours after a change of the secret",
		"User-Agent":            "vitrine/1.0",
	},
	Signature: "sha256= followed by the hex HMAC-SHA256 of the raw bytes of the body with the subscription's secret; compare in constant time, and do not serialise the JSON again first",
	Guarantee: "at least once; duplicates are possible, and the order is not guaranteed",
	Success:   "a status of 200 to 299 within the timeout",
	TimeoutS:  10, DialS: 5, TLSS: 5, Attempts: 8, PausesS: []int{1, 5, 30, 120, 600, 1800, 1800},
	ResponseRead: 4096, PollS: 2, Claim: 32,
	Recipients: "fixed when the event is queued; later edits of subscriptions do not change who receives it",
	Subscription: map[string]any{
		"url": "http or https, a public address, at most 1024 characters", "events": "1 to 32 names",
		"secret": "16 to 64 characters; if none is sent, one of 32 hex digits is generated and returned once",
	},
	RetryAfterS: 1800, Abort: "webhook-delivery: abort-message on a failure prevents further attempts", KeptDays: 90,
	Receiver: []string{
		"check the signature; if it is invalid, respond with 401", "look up event_id; if it was seen before, respond with 200 and stop", "store it",
		"respond with 2xx at once", "do the work afterwards and read the object by its id", "reconcile by updated_at from time to time: a webhook is an optimisation",
	},
}

type eventDocument struct {
	Status   status   `json:"status"` // planned if this server has no subscriptions
	Events   []event  `json:"events"`
	Delivery delivery `json:"delivery"`
}

func (d *Docs) eventStatus() status {
	if d.has("POST /webhooks") {
		return ready
	}
	return planned
}

func (d *Docs) events() eventDocument {
	return eventDocument{Status: d.eventStatus(), Events: events(), Delivery: delivered}
}
