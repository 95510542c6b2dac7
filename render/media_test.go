package render

import (
	"strings"
	"testing"
)

// shelf is a product with a slider of all kinds of media and one for a variant.
func shelf(chosen int) *ProductPage {
	page := fixture()["product"].(*ProductPage)
	picture := Image{Path: "/files/a/cup.webp", Alt: "Cup", Width: 800, Height: 800}
	page.Product.Variants = []Variant{{ID: 5, Name: "Plain", Price: 20}, {ID: 6, Name: "Red", Price: 30, Slider: 1}}
	page.Product.Chosen = chosen
	page.Product.Sliders = []Slider{
		{Items: []Media{
			{Kind: MediaImage, Image: picture},
			{Kind: MediaVideo, File: "/files/a/film.mp4", Image: picture, Caption: "How"},
			{Kind: MediaVideo, File: "/files/a/bare film.mp4"},
			{Kind: MediaAudio, File: "/files/a/tone.mp3", Caption: "Sound"},
			{Kind: MediaHTML, HTML: `<script>alert(1)</script>"></iframe><b id="out">`},
		}},
		{Items: []Media{{Kind: MediaImage, Image: Image{Path: "/files/a/red.webp"}}}},
	}
	return page
}

// Videos and audio have the browser's controls and do not start by themselves; HTML runs in a
// frame without an origin (document 1, 2.6).
func TestEveryItemOfAGalleryIsDrawn(t *testing.T) {
	want(t, draw(t, shelf(0)), map[string]string{
		".v-gallery#": "2", ".v-gallery[data-set='0'] .v-gallery__slide#": "5", ".v-gallery[data-set='0'] .v-gallery__slide[hidden]#": "4",
		"video#": "2", "video[controls]#": "2", "video[autoplay], audio[autoplay]#": "0",
		"#photo-0-1 video@poster": "/w/1024/webp/a/cup.webp", "#photo-0-1 video@preload": "none", "#photo-0-1 video@aria-label": "How",
		"#photo-0-2 video@preload": "metadata", "#photo-0-2 video@src": "/files/a/bare%20film.mp4", "#photo-0-2 video[poster]#": "0",
		"#photo-0-3 audio[controls]@preload": "none", "#photo-0-3 p": "Sound",
		"iframe@sandbox": "allow-scripts allow-popups", "iframe@srcdoc": `<script>alert(1)</script>"></iframe><b id="out">`, "#out#": "0", "main script#": "0",
		"[data-v-photo='photo-0-3']@aria-label": "Audio 4", "[data-v-photo='photo-0-4']@href": "#photo-0-4", "[data-v-photo='photo-0-1'] img#": "1",
	})
}

// The slider follows the variant without a script: the browser shows the one of the checked
// radio button, which the address may have selected.
func TestTheSliderFollowsTheVariant(t *testing.T) {
	for chosen, value := range []string{"5", "6"} {
		page := shelf(chosen)
		want(t, draw(t, page), map[string]string{
			".v-variants input[checked]@value": value, ".v-variants input[checked]#": "1", ".v-variants input[value='6']@data-set": "1",
		})
		text := string(bytesOf(t, page))
		for _, rule := range []string{`[data-set="0"]:checked) .v-gallery:not([data-set="0"]) { display: none }`, `[data-set="1"]:checked) .v-gallery:not([data-set="1"]) { display: none }`} {
			if !strings.Contains(text, rule) {
				t.Errorf("no rule %s", rule)
			}
		}
		first := []string{"#photo-0-0 img@fetchpriority", "#photo-1-0 img@fetchpriority"}
		want(t, draw(t, page), map[string]string{first[chosen]: "high", first[1-chosen]: "<absent>"})
	}
	page := shelf(0)
	page.Product.Sliders = page.Product.Sliders[:1]
	if strings.Contains(string(bytesOf(t, page)), "<style>@layer storefront") {
		t.Error("there is a style for a single slider")
	}
}

func TestArticleShowsVideosAudioAndFrames(t *testing.T) {
	page := fixture()["article"].(*ArticlePage)
	page.Article.Media = []Media{{Kind: MediaVideo, File: "/files/a/film.mp4", Caption: "How"}, {Kind: MediaHTML, HTML: "<p>own</p>"}}
	page.Layout.Body = append(page.Layout.Body, Block{Kind: BlockAlbum})
	want(
		t, draw(t, page),
		map[string]string{"figure.v-player#": "2", "figure video[controls]#": "1", "figcaption": "How", "figure iframe[sandbox]@title": "View 2"},
	)
}

func TestCardShowsThePriceRangeOfItsVariants(t *testing.T) {
	page := fixture()["listing"].(*Listing)
	page.Products[0].Price, page.Products[0].PriceTo = 64, 1299
	want(t, draw(t, page), map[string]string{".v-card:first-child .v-price__now": "€64 – €1,299"})
}
