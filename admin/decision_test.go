package admin_test

import (
	"testing"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
)

// decision is what has been decided about an endpoint and does not follow from its row. The tests
// that need a decision fail on an endpoint without one.
type decision struct {
	// draft is showsDraft for a read that shows the draft to calls in the draft contour (others
	// read the live shop), and writesDraft for a write that lands in the draft, as the other tests
	// of the draft contour assume. For another write that accepts the draft contour it is why it
	// changes nothing that visitors of the live shop see.
	draft string

	readsOnly      bool // accepts a body and writes nothing
	anonymousWrite bool // anybody may send it; it has its own tests

	// show and hide are the addresses that a public endpoint is called with: "show" exists for
	// everybody, "hide" only for the owner.
	show, hide string

	// asks are the calls of an endpoint that a visitor, a guest or a buyer may make and that shows
	// parts of the catalogue. Placeholders of paths and bodies are ids. notAsked is why another
	// endpoint of visitors and buyers is not asked.
	asks     []question
	notAsked string
}

const (
	showsDraft  = "shows the draft"
	writesDraft = "writes to the draft"
)

// decisions holds the decision about each endpoint that needs one.
var decisions = map[string]decision{
	"POST /v1/auth/register":                    {draft: "a person", notAsked: "people"},
	"POST /v1/auth/login":                       {draft: "a session", notAsked: "people"},
	"POST /v1/auth/guest":                       {draft: "a session", notAsked: "people"},
	"POST /v1/auth/logout":                      {draft: "a session", notAsked: "people"},
	"POST /v1/auth/code":                        {draft: "a letter", notAsked: "people"},
	"POST /v1/auth/code/confirm":                {draft: "a session", notAsked: "people"},
	"POST /v1/auth/password/forgot":             {draft: "a letter", notAsked: "people"},
	"POST /v1/auth/password/reset":              {draft: "a session", notAsked: "people"},
	"GET /v1/auth/me":                           {notAsked: "people"},
	"PUT /v1/auth/me":                           {draft: "a person", notAsked: "people"},
	"POST /v1/auth/password":                    {draft: "a person", notAsked: "people"},
	"POST /v1/auth/reauth":                      {draft: "a session", notAsked: "people"},
	"GET /v1/auth/sessions":                     {notAsked: "people"},
	"DELETE /v1/auth/sessions/{id}":             {draft: "a session", notAsked: "people"},
	"POST /v1/auth/totp":                        {draft: "a person", notAsked: "people"},
	"POST /v1/auth/totp/confirm":                {draft: "a person", notAsked: "people"},
	"DELETE /v1/auth/totp":                      {draft: "a person", notAsked: "people"},
	"GET /v1/auth/passkeys":                     {notAsked: "people"},
	"POST /v1/auth/passkeys/register/begin":     {draft: "a person", notAsked: "people"},
	"POST /v1/auth/passkeys/register/finish":    {draft: "a person", notAsked: "people"},
	"POST /v1/auth/passkeys/login/begin":        {draft: "a session", notAsked: "people"},
	"POST /v1/auth/passkeys/login/finish":       {draft: "a session", notAsked: "people"},
	"GET /v1/auth/passkeys/{id}":                {notAsked: "people"},
	"PUT /v1/auth/passkeys/{id}":                {draft: "a person", notAsked: "people"},
	"DELETE /v1/auth/passkeys/{id}":             {draft: "a person", notAsked: "people"},
	"GET /v1/account/views/{page}":              {notAsked: "people"},
	"PUT /v1/account/views/{page}":              {draft: "a person", notAsked: "people"},
	"GET /v1/account/export":                    {notAsked: "data of the person, including what they bought"},
	"DELETE /v1/account":                        {draft: "a person", notAsked: "data of the person, including what they bought"},
	"GET /v1/account/tokens":                    {notAsked: "data of the person, including what they bought"},
	"POST /v1/account/tokens":                   {draft: "a key", notAsked: "data of the person, including what they bought"},
	"GET /v1/account/grants":                    {notAsked: "data of the person, including what they bought"},
	"DELETE /v1/account/grants/{id}":            {draft: "a grant", notAsked: "data of the person, including what they bought"},
	"DELETE /v1/account/tokens/{id}":            {draft: "a key", notAsked: "data of the person, including what they bought"},
	"GET /v1/account/companies":                 {notAsked: "data of the person, including what they bought"},
	"PUT /v1/account/main-company":              {draft: "a person's choice", notAsked: "data of the person, including what they bought"},
	"GET /v1/orgs":                              {notAsked: "people"},
	"POST /v1/orgs":                             {draft: "another shop", notAsked: "people"},
	"PUT /v1/shop/state":                        {draft: "the shop itself, which has no draft"},
	"PUT /v1/shop/slug":                         {draft: "the shop itself, which has no draft"},
	"PUT /v1/shop/currency":                     {draft: "the shop itself, which has no draft"},
	"DELETE /v1/shop":                           {draft: "the shop itself, which has no draft"},
	"POST /v1/shop/restore":                     {draft: "the shop itself, which has no draft", notAsked: "people"},
	"POST /v1/orgs/current/members":             {draft: "members, whom no page shows"},
	"DELETE /v1/orgs/current/invitations/{id}":  {draft: "members"},
	"POST /v1/auth/invitations/accept":          {draft: "members", notAsked: "people"},
	"PUT /v1/orgs/current/members/{user_id}":    {draft: "members"},
	"DELETE /v1/orgs/current/members/{user_id}": {draft: "members", notAsked: "people"},
	"GET /tariff/usage":                         {draft: showsDraft}, // counts additions of the draft too
	"GET /products": {draft: showsDraft, show: "/products?", asks: []question{
		{path: "/products?"}, {path: "/products?filter.query=canary"}, {path: "/products?filter.query=canery+brd"}, {path: "/products?filter.ids={was-canary}"},
		{path: "/products?filter.ids={canary-alone}"}, {path: "/products?filter.category_id={canary-cage}&filter.include_subtree=true"},
		{path: "/products?filter.category_id={teas}"}, {path: "/products?filter.is_deleted=true"}, {path: "/products?filter.stock=low"}, {path: "/products?filter.min_price=70000"}, {path: "/products?sort.field=price&sort.order=desc"},
		{path: "/products?sort.field=name&page.number=1&page.limit=100"}, {path: "/products?filter.ids={set}"},
		{path: "/products?attribute_filters[0].attribute_id={finish}&attribute_filters[0].values=odd"},
	}},
	"GET /products/{id}": {draft: showsDraft, show: "/products/{product}?", hide: "/products/{hidden-product}?", asks: []question{
		{path: "/products/{was-canary}?"}, {path: "/products/{canary-alone}?"}, {path: "/products/{set}?"}, {path: "/products/{was-canary}?galleries=cover"},
	}},
	"GET /products/by-slug/{slug}": {draft: showsDraft, show: "/products/by-slug/sencha?", hide: "/products/by-slug/secret-product?", asks: []question{{path: "/products/by-slug/canary-bird?"}, {path: "/products/by-slug/canary-alone?"}, {path: "/products/by-slug/set?"}}},
	"POST /products":               {draft: writesDraft},
	"PUT /products/{id}":           {draft: writesDraft},
	"DELETE /products/{id}":        {draft: writesDraft},
	"POST /products/batch":         {draft: writesDraft},
	"PATCH /products/batch":        {draft: writesDraft},
	"GET /products/export":         {draft: showsDraft},
	"POST /products/import":        {draft: writesDraft},
	"POST /products/import/file":   {draft: writesDraft},
	"PUT /products/{id}/variants":  {draft: writesDraft},
	"GET /attributes":              {draft: showsDraft, show: "/attributes?", notAsked: "definitions of attributes, without values of products"},
	"GET /attributes/{id}":         {draft: showsDraft, show: "/attributes/{attribute}?", notAsked: "definitions of attributes, without values of products"},
	"GET /product-groups":          {draft: showsDraft},
	"GET /product-groups/{id}":     {draft: showsDraft},
	"GET /galleries":               {draft: showsDraft},
	"GET /galleries/{id}":          {draft: showsDraft},
	"GET /galleries/{id}/usage":    {draft: showsDraft},
	"POST /galleries":              {draft: writesDraft},
	"PUT /galleries/{id}":          {draft: writesDraft},
	"DELETE /galleries/{id}":       {draft: writesDraft},
	"GET /categories":              {draft: showsDraft, show: "/categories?", asks: []question{{path: "/categories?"}, {path: "/categories?view=menu"}}},
	"GET /categories/{id}":         {draft: showsDraft, show: "/categories/{section}?", hide: "/categories/{hidden-section}?", asks: []question{{path: "/categories/{canary-cage}?"}, {path: "/categories/{canary-nest}?"}, {path: "/categories/{canary-papers}?"}}},
	"GET /categories/by-slug/{slug}": {draft: showsDraft, show: "/categories/by-slug/teas?", hide: "/categories/by-slug/secret-section?", asks: []question{
		{path: "/categories/by-slug/canary-cage?"}, {path: "/categories/by-slug/canary-nest?"},
	}},
	"POST /categories":        {draft: writesDraft},
	"PUT /categories/{id}":    {draft: writesDraft},
	"DELETE /categories/{id}": {draft: writesDraft},
	"GET /articles": {draft: showsDraft, show: "/articles?", asks: []question{
		{path: "/articles?"}, {path: "/articles?query=canary"}, {path: "/articles?category_id={canary-papers}"}, {path: "/articles?category_id={news}&sort=popular"},
	}},
	"GET /articles/{id}":                                   {draft: showsDraft},
	"GET /articles/by-slug/{slug}":                         {draft: showsDraft, show: "/articles/by-slug/harvest?", hide: "/articles/by-slug/secret-article?", asks: []question{{path: "/articles/by-slug/canary-news?"}, {path: "/articles/by-slug/canary-letter?"}, {path: "/articles/by-slug/harvest?"}}},
	"POST /articles":                                       {draft: writesDraft},
	"PUT /articles/{id}":                                   {draft: writesDraft},
	"PUT /articles/{id}/related":                           {draft: writesDraft},
	"DELETE /articles/{id}":                                {draft: writesDraft},
	"POST /v1/storages/files":                              {draft: "a new file, which no page shows", notAsked: "forms and files"},
	"PUT /v1/storages/uploads/{id}/{token}":                {draft: "bytes that are not served before they are confirmed", notAsked: "forms and files"},
	"POST /v1/storages/files/{id}/done":                    {draft: "only for new files; a replacement is refused", notAsked: "forms and files"},
	"POST /v1/storages/files/from-url":                     {draft: "a new file, which no page shows"},
	"POST /v1/storages/collections":                        {draft: "a new folder of the library, which visitors do not see"},
	"POST /v1/storages/collections/{id}/files":             {draft: "adds a file to a folder; visitors do not see folders"},
	"PUT /v1/storages/collections/{id}":                    {notAsked: "forms and files"},
	"DELETE /v1/storages/collections/{id}":                 {notAsked: "forms and files"},
	"DELETE /v1/storages/collections/{id}/files/{file_id}": {notAsked: "for the shop's people"},
	"POST /v1/storages/collections/{id}/reorder":           {notAsked: "forms and files"},
	"POST /v1/storages/collections/reorder":                {notAsked: "forms and files"},
	"POST /drafts/publish":                                 {draft: "publishes the draft, for people who may publish"},
	"POST /drafts/discard":                                 {draft: "changes the draft only"},
	"POST /drafts/preview":                                 {draft: "a signed address that shows the draft"},
	"GET /content-blocks":                                  {draft: showsDraft},
	"GET /content-blocks/{id}":                             {draft: showsDraft},
	"POST /content-blocks":                                 {draft: writesDraft},
	"PUT /content-blocks/{id}":                             {draft: writesDraft},
	"DELETE /content-blocks/{id}":                          {draft: writesDraft},
	"PUT /categories/{id}/content-blocks":                  {draft: writesDraft},
	"PUT /articles/{id}/content-blocks":                    {draft: writesDraft},
	"GET /design/bindings/{type}/{id}":                     {draft: showsDraft},
	"PUT /design/bindings/{type}/{id}":                     {draft: writesDraft},
	"GET /v1/storefronts/resolve":                          {draft: showsDraft, show: "/v1/storefronts/resolve?slug=tea", notAsked: "only ids of documents"},
	"GET /html-documents":                                  {draft: showsDraft},
	"POST /html-documents":                                 {draft: writesDraft},
	"GET /html-documents/{id}":                             {draft: showsDraft},
	"PUT /html-documents/{id}":                             {draft: writesDraft},
	"POST /html-documents/{id}/rollback":                   {draft: writesDraft},
	"PUT /uploads/{token}":                                 {draft: "bytes of a release that is not published", notAsked: "forms and files"},
	"GET /html-documents/{id}/releases":                    {draft: showsDraft},
	"POST /html-documents/{id}/releases":                   {draft: "a release that is not published"},
	"POST /html-documents/{id}/releases/zip":               {draft: "a release, published in the draft"},
	"GET /html-documents/{id}/releases/{rid}":              {draft: showsDraft},
	"GET /html-documents/{id}/releases/{rid}/file":         {draft: showsDraft},
	"GET /html-documents/{id}/releases/{rid}/diff":         {draft: showsDraft},
	"POST /html-documents/{id}/releases/{rid}/validate":    {draft: "writes nothing"},
	"POST /html-documents/{id}/releases/{rid}/publish":     {draft: writesDraft},
	"GET /themes/{id}/site":                                {draft: showsDraft},
	"POST /themes/{id}/site/rollback":                      {draft: writesDraft},
	"GET /themes/{id}/site/releases":                       {draft: showsDraft},
	"POST /themes/{id}/site/releases":                      {draft: "a release that is not published"},
	"POST /themes/{id}/site/releases/zip":                  {draft: "a release, published in the draft"},
	"GET /themes/{id}/site/releases/{rid}":                 {draft: showsDraft},
	"GET /themes/{id}/site/releases/{rid}/file":            {draft: showsDraft},
	"GET /themes/{id}/site/releases/{rid}/diff":            {draft: showsDraft},
	"POST /themes/{id}/site/releases/{rid}/validate":       {draft: "writes nothing"},
	"POST /themes/{id}/site/releases/{rid}/publish":        {draft: writesDraft},
	"GET /site-folders/{id}":                               {draft: showsDraft},
	"POST /site-folders/{id}/rollback":                     {draft: writesDraft},
	"GET /site-folders/{id}/releases":                      {draft: showsDraft},
	"POST /site-folders/{id}/releases":                     {draft: "a release that is not published"},
	"POST /site-folders/{id}/releases/zip":                 {draft: "a release, published in the draft"},
	"GET /site-folders/{id}/releases/{rid}":                {draft: showsDraft},
	"GET /site-folders/{id}/releases/{rid}/file":           {draft: showsDraft},
	"GET /site-folders/{id}/releases/{rid}/diff":           {draft: showsDraft},
	"POST /site-folders/{id}/releases/{rid}/validate":      {draft: "writes nothing"},
	"POST /site-folders/{id}/releases/{rid}/publish":       {draft: writesDraft},
	"GET /forms/{id}/public":                               {show: "/forms/{form}/public?", notAsked: "forms and files"},
	"GET /forms/{id}/token":                                {show: "/forms/{form}/token?", notAsked: "forms and files"},
	"POST /form-files":                                     {anonymousWrite: true, notAsked: "forms and files"},
	"POST /form-leads":                                     {anonymousWrite: true, notAsked: "forms and files"},
	"GET /v1/account/addresses":                            {notAsked: "data of the person, including what they bought"},
	"POST /v1/account/addresses":                           {draft: "an address book", notAsked: "data of the person, including what they bought"},
	"GET /v1/account/addresses/{id}":                       {notAsked: "data of the person, including what they bought"},
	"PUT /v1/account/addresses/{id}":                       {draft: "an address book", notAsked: "data of the person, including what they bought"},
	"DELETE /v1/account/addresses/{id}":                    {draft: "an address book", notAsked: "data of the person, including what they bought"},
	"GET /v1/account/wishlist":                             {asks: []question{{path: "/v1/account/wishlist?", who: "buyer"}}},
	"PUT /v1/account/wishlist/{product_id}":                {draft: "a wishlist", notAsked: "answers {}, has its own tests"},
	"DELETE /v1/account/wishlist/{product_id}":             {draft: "a wishlist", notAsked: "answers {}, has its own tests"},
	"POST /v1/account/wishlist/merge": {draft: "a wishlist", asks: []question{
		{path: "/v1/account/wishlist/merge", who: "buyer", body: `{"company_id": {shop}, "product_ids": ["{was-canary}"]}`},
	}},
	"GET /cart/items":                       {asks: []question{{path: "/cart/items?explain=1", who: "buyer"}}},
	"POST /cart/items/{product_id}/{key}":   {draft: "a cart", notAsked: "answers {}, has its own tests"},
	"PUT /cart/items/{product_id}/{key}":    {draft: "a cart", notAsked: "answers {}, has its own tests"},
	"DELETE /cart/items/{product_id}/{key}": {draft: "a cart", notAsked: "answers {}, has its own tests"},
	"POST /cart/merge": {draft: "a cart", asks: []question{
		{path: "/cart/merge", who: "buyer", body: `{"company_id": {shop}, "items": [{"product_id": "{was-canary}"}]}`},
	}},
	"POST /cart/promo":   {draft: "a cart", asks: []question{{path: "/cart/promo", who: "buyer", body: `{"company_id": {shop}, "code": "none"}`}}},
	"DELETE /cart/promo": {draft: "a cart", asks: []question{{path: "/cart/promo", who: "buyer", body: `{"company_id": {shop}}`}}},
	"GET /cart/checkout": {notAsked: "the buyer's checkout form"},
	"PUT /cart/checkout": {draft: "a cart", notAsked: "the buyer's checkout form"},
	"PUT /cart/contact":  {draft: "a cart", notAsked: "answers {}"},
	"POST /cart/quote": {draft: "writes nothing", readsOnly: true, asks: []question{
		{path: "/cart/quote?", body: `{"company_id": {shop}, "items": [{"product_id": "{was-canary}"}, {"product_id": "{green-tea}"}], "explain": true}`},
		{path: "/cart/quote?", body: `{"company_id": {shop}, "items": [{"product_id": "{green-tea}"}], "explain": true}`}, // gifts, and why other products are not gifts
		{path: "/cart/quote?", body: `{"company_id": {shop}, "items": [{"product_id": "{set}"}]}`},
	}},
	"POST /cart/confirm":                                     {notAsked: "orders have their own tests"},
	"POST /orders":                                           {draft: "lists orders", readsOnly: true, notAsked: "orders have their own tests"},
	"GET /orders/export":                                     {notAsked: "orders have their own tests"},
	"GET /orders/{id}":                                       {notAsked: "orders have their own tests"},
	"PUT /orders/{id}/status":                                {notAsked: "orders have their own tests"},
	"POST /orders/{id}/refund":                               {notAsked: "orders have their own tests"},
	"POST /orders/{id}/invoice":                              {notAsked: "orders have their own tests"},
	"GET /orders/{id}/papers/{kind}":                         {notAsked: "orders have their own tests"},
	"GET /orders/papers/{kind}":                              {notAsked: "orders have their own tests"},
	"POST /orders/papers/link":                               {draft: "a signed address", notAsked: "orders have their own tests"},
	"GET /v1/papers/{token}":                                 {notAsked: "orders have their own tests"},
	"GET /orders/{id}/shipments":                             {notAsked: "orders have their own tests"},
	"POST /orders/{id}/shipments":                            {notAsked: "orders have their own tests"},
	"PUT /orders/{id}/shipments/{shipment_id}":               {notAsked: "orders have their own tests"},
	"DELETE /orders/{id}/shipments/{shipment_id}":            {notAsked: "orders have their own tests"},
	"GET /orders/counts":                                     {notAsked: "orders have their own tests"},
	"PUT /orders/batch/status":                               {notAsked: "orders have their own tests"},
	"PUT /orders/{id}/note":                                  {notAsked: "orders have their own tests"},
	"PUT /orders/{id}/tags":                                  {notAsked: "orders have their own tests"},
	"POST /orders/{id}/cancel":                               {draft: "orders have no draft", notAsked: "orders have their own tests"},
	"GET /orders/{id}/history":                               {notAsked: "orders have their own tests"},
	"POST /orders/{id}/payment/confirm":                      {notAsked: "delivery and payment"},
	"GET /orders/{id}/messages":                              {notAsked: "orders have their own tests"},
	"POST /orders/{id}/messages":                             {draft: "messages about an order", notAsked: "orders have their own tests"},
	"POST /orders/{id}/messages/seen":                        {draft: "messages about an order", notAsked: "orders have their own tests"},
	"GET /v1/shop/payment-methods":                           {show: "/v1/shop/payment-methods?", notAsked: "delivery and payment"},
	"PUT /v1/shop/payment-methods/{method}":                  {draft: "a payment method"},
	"POST /orders/{id}/payment":                              {draft: "a payment", notAsked: "delivery and payment"},
	"POST /v1/payments/{method}/{company_id}":                {draft: "a payment", notAsked: "delivery and payment"},
	"GET /v1/sandbox/{company_id}/{ref}":                     {notAsked: "one payment"},
	"POST /v1/sandbox/{company_id}/{ref}":                    {draft: "a payment", notAsked: "one payment"},
	"PUT /v1/shop/letters/{name}":                            {draft: "letter texts have no draft"},
	"DELETE /v1/shop/letters/{name}":                         {draft: "letter texts have no draft"},
	"POST /v1/shop/letters/{name}/preview":                   {draft: "writes nothing"},
	"POST /v1/shop/letters/again/{id}":                       {draft: "a letter"},
	"POST /v1/shop/assistants/key/rotate":                    {draft: "a key of the live shop"},
	"POST /v1/shop/letters/domain":                           {draft: "a DKIM key of the live shop"},
	"DELETE /v1/jobs/{id}":                                   {draft: "a job", notAsked: "owners"},
	"PUT /v1/shop/settings":                                  {draft: "settings have no draft"},
	"GET /v1/shop/delivery-options":                          {show: "/v1/shop/delivery-options?", notAsked: "delivery and payment"},
	"POST /v1/shop/delivery-options":                         {draft: "a delivery option"},
	"PUT /v1/shop/delivery-options/{id}":                     {draft: "a delivery option"},
	"DELETE /v1/shop/delivery-options/{id}":                  {draft: "a delivery option"},
	"POST /customer-groups/preview":                          {draft: "writes nothing", readsOnly: true},
	"POST /promotions/preview":                               {draft: "writes nothing", readsOnly: true},
	"GET /v1/account/coupons":                                {notAsked: "data of the person, including what they bought"},
	"PUT /products/{id}/stock":                               {draft: "stock has no draft", notAsked: "for the shop's people"},
	"GET /products/{id}/stock/history":                       {notAsked: "for the shop's people"},
	"GET /products/low-stock":                                {notAsked: "for the shop's people"},
	"PUT /products/batch/stock":                              {draft: "stock has no draft", notAsked: "for the shop's people"},
	"POST /products/{id}/reviews":                            {draft: "a review or question", notAsked: "has its own tests"},
	"POST /products/{id}/questions":                          {draft: "a review or question", notAsked: "has its own tests"},
	"GET /products/{id}/reviews":                             {show: "/products/{product}/reviews?", asks: []question{{path: "/products/{was-canary}/reviews?"}}},
	"GET /products/{id}/questions":                           {show: "/products/{product}/questions?", asks: []question{{path: "/products/{was-canary}/questions?"}}},
	"GET /products/{id}/reviews/own":                         {notAsked: "the caller's own texts and pictures"},
	"GET /reviews/{id}/files/{file_id}":                      {notAsked: "the caller's own texts and pictures"},
	"POST /reviews/{id}/helpful":                             {draft: "a vote", notAsked: "has its own tests"},
	"POST /questions/{id}/helpful":                           {draft: "a vote", notAsked: "has its own tests"},
	"PUT /v1/shop/assistants/platforms":                      {draft: "a switch for an assistant"},
	"POST /v1/shop/assistants/tokens":                        {draft: "a token"},
	"DELETE /v1/shop/assistants/tokens/{id}":                 {draft: "a token"},
	"GET /webhooks":                                          {notAsked: "for the shop's people"},
	"POST /webhooks":                                         {draft: "a subscription", notAsked: "for the shop's people"},
	"GET /webhooks/{id}":                                     {notAsked: "for the shop's people"},
	"PUT /webhooks/{id}":                                     {draft: "a subscription", notAsked: "for the shop's people"},
	"DELETE /webhooks/{id}":                                  {draft: "a subscription", notAsked: "for the shop's people"},
	"POST /webhooks/{id}/test":                               {draft: "a ping", notAsked: "for the shop's people"},
	"GET /webhooks/{id}/deliveries":                          {notAsked: "for the shop's people"},
	"POST /webhooks/{id}/deliveries/{delivery_id}/redeliver": {draft: "a delivery", notAsked: "for the shop's people"},
	"POST /webhooks/{id}/replay":                             {draft: "deliveries", notAsked: "for the shop's people"},
	"GET /events":                                            {notAsked: "for the shop's people"},
	"GET /storefront/redirects":                              {show: "/storefront/redirects?slug=tea", asks: []question{{path: "/storefront/redirects?slug=tea", same: true}}},
	"GET /slug-redirects/resolve":                            {draft: showsDraft, show: "/slug-redirects/resolve?entity_type=product&slug=green-tea", asks: []question{{path: "/slug-redirects/resolve?entity_type=product&slug=was-canary"}}}, // a slug of the draft resolves to nothing yet
	"POST /site-files/preview":                               {draft: "writes nothing", readsOnly: true},
	"GET /llms.txt":                                          {notAsked: "the API itself"},
	"GET /docs/index.json":                                   {notAsked: "the API itself"},
	"GET /docs/events.json":                                  {notAsked: "the API itself"},
	"GET /docs/widgets":                                      {notAsked: "the API itself"},
	"GET /docs/vz-keys.json":                                 {notAsked: "the API itself"},
	"POST /docs/validate":                                    {draft: "writes nothing", notAsked: "the API itself"},
	"GET /docs/quickstart":                                   {notAsked: "the API itself"},
	"GET /docs/open-shop":                                    {notAsked: "the API itself"},
	"GET /v1/jobs/{id}":                                      {notAsked: "owners"},
	"GET /v1/shop/exports/{token}":                           {notAsked: "owners"},
	"POST /v1/shop/import":                                   {draft: "makes a shop", notAsked: "the caller's own shop"},
	"GET /docs/shop":                                         {notAsked: "the API itself"},
	"GET /docs/catalogue":                                    {notAsked: "the API itself"},
	"GET /docs/catalog-import":                               {notAsked: "the API itself"},
	"GET /docs/move-in":                                      {notAsked: "the API itself"},
	"GET /docs/drafts":                                       {notAsked: "the API itself"},
	"GET /docs/file-storage":                                 {notAsked: "the API itself"},
	"GET /docs/news":                                         {notAsked: "the API itself"},
	"GET /docs/customers":                                    {notAsked: "the API itself"},
	"GET /docs/widgets-area":                                 {notAsked: "the API itself"},
	"GET /docs/widget-pages":                                 {notAsked: "the API itself"},
	"GET /docs/webcoding":                                    {notAsked: "the API itself"},
	"GET /docs/vz-keys":                                      {notAsked: "the API itself"},
	"GET /docs/transfer":                                     {notAsked: "the API itself"},
	"GET /docs/redirects":                                    {notAsked: "the API itself"},
	"GET /docs/redirects-reference":                          {notAsked: "the API itself"},
	"GET /docs/feeds":                                        {notAsked: "the API itself"},
	"GET /docs/feeds-reference":                              {notAsked: "the API itself"},
	"GET /docs/orders":                                       {notAsked: "the API itself"},
	"GET /docs/promotions":                                   {notAsked: "the API itself"},
	"GET /docs/payments":                                     {notAsked: "delivery and payment"},
	"GET /docs/letters":                                      {notAsked: "the API itself"},
	"GET /docs/forms":                                        {notAsked: "the API itself"},
	"GET /docs/stock":                                        {notAsked: "the API itself"},
	"GET /docs/signing-in":                                   {notAsked: "the API itself"},
	"GET /docs/closed":                                       {notAsked: "the API itself"},
	"GET /docs/statistics":                                   {notAsked: "the API itself"},
	"GET /docs/finding":                                      {notAsked: "the API itself"},
	"GET /docs/reviews":                                      {notAsked: "the API itself"},
	"GET /docs/assistants":                                   {notAsked: "the API itself"},
	"GET /docs/webhooks":                                     {notAsked: "the API itself"},
	"GET /docs/skills":                                       {notAsked: "the API itself"},
	"GET /docs/agents":                                       {notAsked: "the API itself"},
	"GET /":                                                  {notAsked: "the API itself"},
	"GET /docs":                                              {notAsked: "the API itself"},
	"GET /openapi.json":                                      {notAsked: "the API itself"},
	"GET /v1/openapi.json":                                   {notAsked: "the API itself"},
	"GET /compiled.swagger.json":                             {notAsked: "the API itself"},
	"GET /partner/openapi.json":                              {draft: showsDraft, notAsked: "the API itself"}, // shows the endpoints of the calling key in its contour
	"GET /docs/scopes.json":                                  {notAsked: "the API itself"},
}

// decided returns the name of an endpoint and the decision about it.
func decided(e api.Endpoint) (name string, d decision) {
	name = e.Method + " " + e.Path
	return name, decisions[name]
}

func TestDecisionsAreAboutEndpoints(t *testing.T) {
	t.Parallel()
	left := map[string]bool{}
	for name := range decisions {
		left[name] = true
	}
	for _, e := range apitest.New(t).Admin.Table() {
		name, d := decided(e)
		delete(left, name)
		visitors := e.Auth != api.Private && e.Manage == nil
		if asked := len(d.asks) > 0; asked && d.notAsked != "" || !visitors && (asked || d.notAsked != "") {
			t.Errorf("%s: is it asked for canaries?", name)
		}
	}
	for name := range left {
		t.Errorf("%s is no longer an endpoint", name)
	}
}
