// Package sales stores what buyers do: carts, wishlists, orders with their history and
// messages, payments and refunds, delivery options, and the promotions, codes and pricing
// rules that shape a price.
//
// An order is frozen: its lines, sums and promotions never change. Prices are computed in
// compile/price; this package stores what was agreed and enforces the limits of promotions
// under their row locks.
package sales
