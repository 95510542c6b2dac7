#!/usr/bin/env bash
# The work of a shop owner with curl: a tree of sections, 2,000 products, corrections of
# the failed ones, and a change that stays in the draft until it is published.
#
#   VITRINE_ADMIN        address of the admin API
#   VITRINE_KEY          a key of the contour prod, with publish:write
#   VITRINE_DRAFT_KEY    a key of the contour dev
#
# The shop must be empty and limited to exactly 2,000 products, by
# vitrine shop limit --shop SLUG products_max=2000: the script shows that one more is refused.
set -euo pipefail

api() { # METHOD PATH [BODY] [KEY]: prints the response, ends the script on an error
	local answer status
	# curl waits and retries by itself when the shop's rate limit is reached (429).
	answer=$(curl -sS --retry 5 -X "$1" -w '\n%{http_code}' "$VITRINE_ADMIN$2" \
		-H "Authorization: Bearer ${4:-$VITRINE_KEY}" -H 'Content-Type: application/json' ${3:+--data-binary "$3"})
	status=${answer##*$'\n'}
	answer=${answer%$'\n'*}
	if ((status >= 300)); then
		echo "$1 $2: $status $answer" >&2
		exit 1
	fi
	printf '%s\n' "$answer"
}

field() { # NAME: the first field of that name in the JSON on stdin, without quotes
	sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$(tr '{,' '\n\n')" | sed -n 1p
}

page() { # PATH: status and redirect target of an address of the storefront
	curl -sS -o /dev/null -w '%{http_code} %{redirect_url}' "$storefront$1"
}

title() { curl -sS "$storefront$1" | sed -n 's:.*<title>\(.*\)</title>.*:\1:p'; }

expect() { # NAME ACTUAL EXPECTED
	if [[ $2 != "$3" ]]; then
		echo "$1: $2, not $3" >&2
		exit 1
	fi
	echo "$1: $2"
}

# The key's contour and the shop's address.
passport=$(api GET /v1/account/token)
storefront=$(field storefront_url <<<"$passport")
expect 'contour of the key' "$(field contour <<<"$passport")" prod
expect 'storefront' "$(page /)" '200 '

# A tree of sections.
section() { # NAME TYPE PARENT SLUG: prints the id
	api POST /categories "{\"item\":{\"name\":\"$1\",\"type\":\"$2\",\"parent_id\":\"$3\",\"is_published\":true,\"seo\":{\"slug\":\"$4\"}}}" | field id
}
tea=$(section Tea product 0 all-tea)
green=$(section Green product "$tea" green)
black=$(section Black product "$tea" black)
files=$(section Files site 0 files-of-the-shop)
echo "sections: 4"

# Product number N, valid or with the fields of a mistake.
product() { # N [MISTAKE]: sets $item, without starting a process
	local n section=$green name sku slug more=''
	printf -v n '%04d' "$1"
	name="Tea $n" sku="T-$n" slug="tea-$n"
	(($1 % 2)) && section=$black
	case ${2:-} in
	name) name='' ;;
	section) section=2000000000 ;;
	type) section=$files ;;
	slug) slug=tea-0001 ;;
	sku) sku=T-0001 ;;
	file) more=',"gallery":[{"id":"6b1f6a4e-0000-4000-8000-000000000000"}]' ;;
	esac
	printf -v item '{"name":"%s","sku":"%s","price":{"price":%d},"category_id":%s,"is_published":true,"seo":{"slug":"%s"}%s}' \
		"$name" "$sku" "$(($1 % 90 + 10))" "$section" "$slug" "$more"
}

declare -A mistake=([105]=name [311]=section [417]=type [623]=slug [829]=sku [1999]=file)

# failures prints "INDEX CODE" for each result with an error.
failures() { tr '{' '\n' | sed -n 's/^"index":\([0-9]*\),.*"error":"\([^"]*\)".*/\1 \2/p'; }

import() { # prints the numbers of the failed products with their codes
	local first n item items answer index code
	for ((first = 1; first <= 2000; first += 100)); do
		items=''
		for ((n = first; n < first + 100; n++)); do
			product "$n" "${mistake[$n]:-}"
			items+=",$item"
		done
		answer=$(api POST /products/batch "{\"items\":[${items:1}]}")
		while read -r index code; do
			echo "$((first + index)) $code"
		done < <(failures <<<"$answer")
	done
}

failed=$(import)
echo "$failed" | sed 's/^/failed: /'

# Only the failed products are sent again, corrected.
items=''
while read -r n _; do
	product "$n"
	items+=",$item"
done <<<"$failed"
answer=$(api POST /products/batch "{\"items\":[${items:1}]}")
expect 'mended' "$(field created <<<"$answer")" "$(wc -l <<<"$failed")"
expect 'still failing' "$(field failed <<<"$answer")" 0
expect 'products' "$(api GET '/products?page.number=1&page.limit=1' | field total)" 2000

# The limit is reached: one product is deleted, another one created.
product 2001
answer=$(api POST /products/batch "{\"items\":[$item]}")
expect 'one too many' "$(field error <<<"$answer")" PRODUCT_LIMIT_REACHED
last=$(api GET /products/by-slug/tea-2000 | field id)
api DELETE "/products/$last" >/dev/null
expect 'in its place' "$(api POST /products/batch "{\"items\":[$item]}" | field created)" 1

# The pages of visitors.
expect 'a section' "$(page /all-tea/green)" '200 '
expect 'a product' "$(page /all-tea/black/tea-0105)" '200 '
expect 'the last one' "$(page /all-tea/black/tea-2001)" '200 '
expect 'the deleted one leads on' "$(page /all-tea/green/tea-2000)" "308 $storefront/all-tea/green"

# A change in the draft: visitors see it only after it is published.
first=$(api GET /products/by-slug/tea-0001 | field id)
before=$(title /all-tea/black/tea-0001)
api PUT "/products/$first" '{"item":{"name":"Keemun","seo":{"slug":"keemun"}}}' "$VITRINE_DRAFT_KEY" >/dev/null
expect 'title before publishing' "$(title /all-tea/black/tea-0001)" "$before"
expect 'the new address is none yet' "$(page /all-tea/black/keemun)" "308 $storefront/all-tea/black"
expect 'waiting in the draft' "$(api GET /drafts '' "$VITRINE_DRAFT_KEY" | tr '{' '\n' | sed -n 's/.*"total":\([0-9]*\).*/\1/p')" 1
api POST /drafts/publish '{"all":true}' >/dev/null
expect 'published' "$(page /all-tea/black/keemun)" '200 '
expect 'the old address' "$(page /all-tea/black/tea-0001)" "308 $storefront/all-tea/black/keemun"

echo "done: 4 sections, 2000 products, $(wc -l <<<"$failed") mended, 1 published from the draft"
