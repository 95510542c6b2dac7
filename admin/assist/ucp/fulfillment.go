package ucp

import (
	"encoding/json"
	"slices"
	"strconv"

	"vitrine/admin/assist"
	"vitrine/internal/shop"
)

// Kinds of methods, which are also their ids.
const (
	shipping = "shipping"
	pickup   = "pickup"
)

// Fulfillment is how the goods can reach the buyer. The chosen method is the first.
type Fulfillment struct {
	Methods []Method `json:"methods"`
}

// Method is a kind of delivery. The chosen one has all lines.
type Method struct {
	ID           string        `json:"id"`
	Type         string        `json:"type" enum:"shipping,pickup"`
	LineIDs      []string      `json:"line_item_ids"`
	Destinations []Destination `json:"destinations,omitempty"`
	Selected     string        `json:"selected_destination_id,omitempty"`
	Groups       []Group       `json:"groups"`
}

// Group is the parcel of a method.
type Group struct {
	ID       string           `json:"id"`
	LineIDs  []string         `json:"line_item_ids"`
	Options  []DeliveryOption `json:"options,omitempty"`
	Selected string           `json:"selected_option_id,omitempty"`
}

// DeliveryOption is one of the shop's ways to deliver.
type DeliveryOption struct {
	ID          string  `json:"id"`
	Title       string  `json:"title"`
	Description string  `json:"description,omitempty"`
	Totals      []Total `json:"totals"`
}

// Destination is an address of the buyer, or a place of the shop where goods are picked up.
type Destination struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Address   *Place `json:"address,omitempty"`
	Street    string `json:"street_address,omitempty"`
	Extended  string `json:"extended_address,omitempty"`
	Locality  string `json:"address_locality,omitempty"`
	Region    string `json:"address_region,omitempty"`
	Country   string `json:"address_country,omitempty"`
	Postcode  string `json:"postal_code,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	Phone     string `json:"phone_number,omitempty"`
}

// Place is where a pick-up point is.
type Place struct {
	Street string `json:"street_address"`
}

var kinds = []shop.DeliveryKind{shop.DeliveryToAddress, shop.DeliveryPickup}

// fulfillmentOf lists the methods of a checkout, the chosen one first.
func fulfillmentOf(s *assist.State) *Fulfillment {
	chosen := s.Way
	if s.Delivery != nil {
		chosen = s.Delivery.Kind
	}
	if chosen == "" {
		chosen = shop.DeliveryToAddress
	}
	f := &Fulfillment{Methods: []Method{}}
	for _, kind := range kinds {
		possible := slices.ContainsFunc(s.Deliveries, func(d assist.Delivery) bool { return d.Kind == kind })
		if !possible && kind != chosen {
			continue
		}
		m := methodOf(s, kind, kind == chosen)
		if kind == chosen {
			f.Methods = slices.Insert(f.Methods, 0, m)
		} else {
			f.Methods = append(f.Methods, m)
		}
	}
	return f
}

func methodOf(s *assist.State, kind shop.DeliveryKind, chosen bool) Method {
	m := Method{ID: shipping, Type: shipping, LineIDs: []string{}}
	if kind == shop.DeliveryPickup {
		m.ID, m.Type = pickup, pickup
	}
	if chosen {
		for _, l := range s.Lines {
			m.LineIDs = append(m.LineIDs, l.ID)
		}
	}
	g := Group{ID: m.ID + "-1", LineIDs: m.LineIDs}
	for i := range s.Deliveries {
		d := &s.Deliveries[i]
		if d.Kind != kind {
			continue
		}
		g.Options = append(g.Options, DeliveryOption{optionID(d.ID, ""), d.Name, describe(d), []Total{{Type: "total", Amount: s.Minor(d.Price)}}})
		if kind == shop.DeliveryPickup {
			m.Destinations = append(m.Destinations, placesOf(d)...)
		}
	}
	if chosen && s.Delivery != nil {
		g.Selected = optionID(s.Delivery.ID, "")
		if kind == shop.DeliveryPickup {
			m.Selected = g.Selected
			if at := s.Chosen(); at != nil {
				m.Selected = optionID(s.Delivery.ID, at.ID)
			}
		}
	}
	if kind == shop.DeliveryToAddress {
		k := keptOf(s)
		m.Destinations, m.Selected = k.Destinations, k.Selected
	}
	m.Groups = []Group{g}
	return m
}

// describe says what a buyer should know of a delivery.
func describe(d *assist.Delivery) string {
	text := d.Description
	if d.Days != nil {
		days := "Within " + strconv.Itoa(*d.Days) + " days"
		if *d.Days == 1 {
			days = "Within a day"
		}
		if text != "" {
			days += ". "
		}
		text = days + text
	}
	return text
}

// placesOf lists the places of a pick-up.
func placesOf(d *assist.Delivery) (list []Destination) {
	for _, p := range d.Points {
		list = append(list, Destination{ID: optionID(d.ID, p.ID), Name: p.Name, Address: &Place{p.Address}})
	}
	if len(list) == 0 {
		list = []Destination{{ID: optionID(d.ID, ""), Name: d.Name}}
	}
	return list
}

// keptOf returns what the platform has said about destinations.
func keptOf(s *assist.State) (k kept) {
	if len(s.Face) > 0 && json.Unmarshal(s.Face, &k) != nil {
		return kept{}
	}
	return k
}
