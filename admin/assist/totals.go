package assist

import (
	"vitrine/internal/shop"
)

// TotalKind is what an amount of an order is for.
type TotalKind string

// The kinds, in the order in which they are listed.
const (
	TotalSubtotal      TotalKind = "subtotal"       // of the goods before discounts
	TotalItemsDiscount TotalKind = "items_discount" // of single lines
	TotalDiscount      TotalKind = "discount"       // of the sum
	TotalFulfillment   TotalKind = "fulfillment"
	TotalTax           TotalKind = "tax" // added to the prices
	TotalAll           TotalKind = "total"
)

// Total is an amount in minor units of the currency. Discounts are below 0. All that come before the
// last one, which is to be paid, add up to it.
type Total struct {
	Kind   TotalKind
	Title  string // of a promotion, a delivery or a tax; else empty
	Amount int64
}

// Minor converts a sum to minor units of the currency.
func (s *State) Minor(amount int64) int64 {
	if amount < 0 {
		return -shop.MinorUnits(-amount, s.Currency, s.Digits)
	}
	return shop.MinorUnits(amount, s.Currency, s.Digits)
}

// Totals lists the amounts of the session. Where the currency has fewer decimal places than the
// shop's prices, what rounding leaves is part of the subtotal.
func (s *State) Totals() []Total {
	list := []Total{{Kind: TotalSubtotal}}
	var ofLines int64
	for i := range s.Lines {
		ofLines += s.LineMoney(i).Discount
	}
	if ofLines != 0 {
		list = append(list, Total{Kind: TotalItemsDiscount, Amount: -ofLines})
	}
	for _, d := range s.Applied {
		if amount := s.Minor(d.Amount); len(d.Shares) == 0 && amount != 0 {
			list = append(list, Total{Kind: TotalDiscount, Title: d.Title, Amount: -amount})
		}
	}
	if s.Delivery != nil {
		list = append(list, Total{Kind: TotalFulfillment, Title: s.Delivery.Name, Amount: s.Minor(s.Delivery.Price)})
	}
	for _, t := range s.Taxes {
		if !s.Included {
			list = append(list, Total{Kind: TotalTax, Title: t.Name, Amount: s.Minor(t.Amount)})
		}
	}
	all := s.Minor(s.Total)
	list[0].Amount = all
	for _, t := range list[1:] {
		list[0].Amount -= t.Amount
	}
	return append(list, Total{Kind: TotalAll, Amount: all})
}

// LineMoney is what a line costs, in minor units of the currency.
type LineMoney struct {
	Unit     int64 // before discounts
	Subtotal int64 // Unit for all units
	Discount int64 // at least 0
	Total    int64 // Subtotal without Discount
}

// LineMoney returns what a line costs.
func (s *State) LineMoney(i int) LineMoney {
	l := &s.Lines[i]
	m := LineMoney{Unit: s.Minor(l.Base), Subtotal: s.Minor(l.Before), Total: s.Minor(l.After)}
	m.Discount = m.Subtotal - m.Total
	return m
}
