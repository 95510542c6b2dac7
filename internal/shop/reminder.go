package shop

// UnsubscribePrefix is the prefix of the pages that end the reminders of a shop to an address, before
// the key of the address.
const UnsubscribePrefix = "/_vitrine/unsubscribe/"
