package shop

import (
	"net/url"
	"strings"
)

// Carrier is a delivery company that shows on its website where a parcel is.
type Carrier struct {
	Code     string // as in the API
	Name     string // for people
	tracking string // URL with {} in place of the number of the parcel
}

// Carriers lists the carriers whose tracking pages are known, by their codes. The addresses are those
// that other public software used in November 2026: carriers document few of them, and replace one
// now and then.
var Carriers = []Carrier{
	{"an_post", "An Post", "https://www.anpost.com/Post-Parcels/Track/History?item={}"},
	{"australia_post", "Australia Post", "https://auspost.com.au/mypost/track/details/{}"},
	{"austrian_post", "Österreichische Post", "https://www.post.at/sv/sendungsdetails?snr={}"},
	{"boxberry", "Boxberry", "https://boxberry.ru/tracking-page?id={}"},
	{"bpost", "bpost", "https://track.bpost.cloud/btr/web/#/search?itemCode={}"},
	{"canada_post", "Canada Post", "https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor={}"},
	{"cdek", "CDEK", "https://www.cdek.ru/ru/tracking?order_id={}"},
	{"chronopost", "Chronopost", "https://www.chronopost.fr/tracking-no-cms/suivi-page?listeNumerosLT={}"},
	{"colissimo", "Colissimo", "https://www.laposte.fr/outils/suivre-vos-envois?code={}"},
	{"correos", "Correos", "https://www.correos.es/es/es/herramientas/localizador/envios/detalle?tracking-number={}"},
	{"dhl", "DHL", "https://www.dhl.com/global-en/home/tracking.html?tracking-id={}"},
	{"dpd", "DPD", "https://tracking.dpd.de/status/en_US/parcel/{}"},
	{"dpd_uk", "DPD UK", "https://track.dpd.co.uk/search?reference={}"},
	{"evri", "Evri", "https://www.evri.com/track/parcel/{}"},
	{"fedex", "FedEx", "https://www.fedex.com/fedextrack/?trknbr={}"},
	{"gls", "GLS", "https://gls-group.com/track/{}"},
	{"hermes", "Hermes", "https://www.myhermes.de/empfangen/sendungsverfolgung/sendungsinformation/#{}"},
	{"inpost", "InPost", "https://inpost.pl/sledzenie-przesylek?number={}"},
	{"la_poste", "La Poste", "https://www.laposte.fr/outils/suivre-vos-envois?code={}"},
	{"poczta_polska", "Poczta Polska", "https://emonitoring.poczta-polska.pl/?numer={}"},
	{"poste_italiane", "Poste Italiane", "https://www.poste.it/cerca/index.html#/risultati-spedizioni/{}"},
	{"postnl", "PostNL", "https://postnl.nl/tracktrace/?B={}"},
	{"postnord", "PostNord", "https://tracking.postnord.com/en/tracking?id={}"},
	{"royal_mail", "Royal Mail", "https://www.royalmail.com/track-your-item#/tracking-results/{}"},
	{"russian_post", "Почта России", "https://www.pochta.ru/tracking?barcode={}"},
	{"swiss_post", "Swiss Post", "https://service.post.ch/ekp-web/ui/entry/search/{}"},
	{"ups", "UPS", "https://www.ups.com/track?tracknum={}"},
	{"usps", "USPS", "https://tools.usps.com/go/TrackConfirmAction?tLabels={}"},
}

// CarrierOf returns the carrier with a code or name, in any case: royal_mail, Royal Mail. Any
// other name is a carrier without a website.
func CarrierOf(name string) Carrier {
	code := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(name))
	for _, c := range Carriers {
		if c.Code == code || strings.EqualFold(c.Name, name) {
			return c
		}
	}
	return Carrier{Name: name}
}

// Tracking returns the address of the page about a parcel, and "" for a carrier without one.
func (c Carrier) Tracking(number string) string {
	if c.tracking == "" || number == "" {
		return ""
	}
	// %20 is a space in a path as well as in a query.
	return strings.Replace(c.tracking, "{}", strings.ReplaceAll(url.QueryEscape(number), "+", "%20"), 1)
}
