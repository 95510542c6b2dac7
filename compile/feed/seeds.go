package feed

import _ "embed"

var (
	//go:embed seeds/yandex.yml
	yandex string
	//go:embed seeds/google.xml
	google string
	//go:embed seeds/acp.jsonl
	acp string
)

// Seed is a template for owners to start from (document 3, 4.3: GET
// /site-files/templates).
type Seed struct {
	Key  string
	Name string
	Path string // the usual address of the file
	Body string
}

// Seeds returns the templates to start from: Yandex, Google, the Agentic
// Commerce Protocol, an empty file.
func Seeds() []Seed {
	return []Seed{
		{Key: "yandex_yml", Name: "Yandex Market feed (YML)", Path: "/yandex-feed.yml", Body: yandex},
		{Key: "google_xml", Name: "Google Merchant feed (RSS)", Path: "/google-feed.xml", Body: google},
		{Key: "acp_jsonl", Name: "Assistants: product feed (ACP)", Path: "/acp-feed.jsonl", Body: acp},
		{Key: "empty", Name: "Empty file", Path: "/file.txt"},
	}
}
