// Package payment is how shops take money (CONTRACT-COMMERCE, "Payments"): the
// methods that a shop has set, attempts to pay an order at their providers, and money
// that goes back.
//
// What a provider tells is a hint; money counts when the provider, asked, says that
// it has as much of the right currency for this very payment. Attempts and refunds are
// written before a provider is called.
package payment
