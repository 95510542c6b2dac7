#!/usr/bin/env bash
# Redirects with curl alone: the seven steps of the address resolution, every error, an
# import with every reason and its rollback, the 404 log, and a section that is moved with its rules
# (document 3, 2.6, 4.4, 4.5 and 7).
#
#   VITRINE_ADMIN        address of the admin API
#   VITRINE_KEY          an owner's key of the shop tea, which has no limits
#   VITRINE_EDITOR_KEY   a key of an editor there; VITRINE_DRAFT_KEY one of the
#   VITRINE_READER_KEY   contour dev; and one that lacks redirects:write
#   VITRINE_SMALL_KEY    an owner's key of the shop small: 3 rules, 1 mask, and a
#                        custom domain
#   VITRINE_FULL_KEY     an owner's key of the shop full, without limits
set -euo pipefail

key=$VITRINE_KEY # for the following calls

call() { # METHOD PATH [BODY]: prints the response, the status in its last line
	# curl waits and retries by itself when the shop's rate limit is reached (429 with
	# Retry-After); other errors with 429 are results.
	curl -sS -X "$1" -w '\n%{http_code}' "$VITRINE_ADMIN$2" \
		-H "Authorization: Bearer $key" -H 'Content-Type: application/json' ${3:+--data-binary "$3"}
}

api() { # METHOD PATH [BODY]: the response of a call that must succeed
	local answer
	answer=$(call "$@")
	if ((${answer##*$'\n'} >= 300)); then
		echo "$1 $2: $answer" >&2
		exit 1
	fi
	printf '%s\n' "${answer%$'\n'*}"
}

field() { # NAME: the first field of that name in the JSON on stdin, without quotes
	sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" <<<"$(tr '{,' '\n\n')" | sed -n 1p
}

refused() { # WHAT METHOD PATH [BODY]: prints status and code of an error
	local answer
	answer=$(call "${@:2}")
	sed -n "1s/.* desc = \([A-Z_]*\).*/refused, $1: ${answer##*$'\n'} \1/p" <<<"$answer"
}

rule() { # ITEM: creates an enabled rule
	api POST /storefront-redirects "{\"item\":{\"enabled\":true,$1}}" | field id
}

no_rule() { refused "$1" POST /storefront-redirects "{\"item\":{\"enabled\":true,$2}}"; } # WHAT ITEM

visit() { # ADDRESS [ORIGIN]: status, Location and X-Redirect-By of a visitor's response
	curl -sS --path-as-is -o /dev/null -w '%{http_code} %header{location} %header{x-redirect-by}\n' "${2:-$storefront}$1" |
		sed 's/rule:[0-9]*/rule/; s/:[0-9]\{4,5\}\//\//; s/ *$//'
}

step() { # NAME ADDRESS: prints a visitor's response, and fails unless the check reports the same
	local seen checked
	seen=$(visit "$2")
	checked=$(api GET "/storefront-redirects/check?url=$(sed 's/%/%25/g; s/?/%3F/g; s/&/%26/g' <<<"$2")")
	if [[ $(awk '{print $1}' <<<"$seen") == 30? && $checked != *"\"sent_code\":$(awk '{print $1}' <<<"$seen")"* ]]; then
		echo "$2: $seen, but the check reports $checked" >&2
		exit 1
	fi
	echo "$1: $2 -> $seen"
}

section() { # SLUG PARENT: prints the id
	api POST /categories "{\"item\":{\"name\":\"$1\",\"type\":\"product\",\"parent_id\":\"$2\",\"is_published\":true,\"seo\":{\"slug\":\"$1\"}}}" | field id
}

product() { # SLUG SECTION: prints the id
	api POST /products "{\"item\":{\"name\":\"$1\",\"category_id\":$2,\"is_published\":true,\"seo\":{\"slug\":\"$1\"}}}" | field id
}

reasons() { # IMPORT: prints status and reason of each line in an import's report, and their sum
	tr '{}' '\n\n' | sed -n 's/^"line":\([0-9]*\),.*"status":"\([a-z]*\)","reason":"\([A-Z_]*\)".*/line \1: \2 \3/p; s/.*"created":\([0-9]*\),"updated":\([0-9]*\),"skipped":\([0-9]*\),"errors":\([0-9]*\).*/sum: created \1, updated \2, skipped \3, errors \4/p' | sed "s/ $//; s/^/$1, /"
}

text() { # prints stdin as a JSON string
	printf '"%s"' "$(sed 's/\\/\\\\/g; s/"/\\"/g; s/\t/\\t/g' | awk '{printf "%s%s", sep, $0; sep = "\\n"}')"
}

numbered() { seq "$2" "$3" | sed "s|.*|$1|"; } # LINE FIRST LAST: lines with & replaced by their number

storefront=$(api GET /v1/account/token | field storefront_url)
tea=$(section tea 0)
green=$(section green "$tea")
gifts=$(section gifts 0)
sencha=$(product sencha "$green")
gone=$(product gone "$green")
api PUT "/products/$sencha" '{"item":{"seo":{"slug":"sencha-uji"}}}' >/dev/null
api DELETE "/products/$gone" >/dev/null

echo '== the seven steps'
rule '"from_path":"/gifts","to_target":"/tea","code":302,"override_live":true' >/dev/null
rule '"from_path":"/page.html","to_target":"/tea","code":302' >/dev/null
old=$(rule '"from_path":"/old","to_target":"/tea?from=old#top"')
rule '"from_path":"/cat-*","to_target":"/tea/$1","code":302' >/dev/null
rule '"from_path":"/goods/*","to_target":"/tea"' >/dev/null
rule '"from_path":"/d","to_target":"/tea","drop_query":true' >/dev/null
step '1 a rule over a live page' '/gifts?a=1'
step '2 .html' '/tea/green.html?a=1'
step '2 a rule for .html' '/page.html'
echo "2 another host of the shop: $(visit /tea "${storefront/tea./small.}")"
step '3 a live page' /tea/green/sencha-uji
step '3 a broken chain' /nowhere/sencha-uji
step '4 a former slug' '/tea/green/sencha?q=1'
step '5 a rule' '/OLD/?b=2'
step '5 a mask' '/cat-green'
step '5 a prefix with its tail' '/goods/a/B%20c'
step '5 only ad tags' '/d?a=1&utm_source=s'
step '6 another case' /TEA
step '6 a deleted product' /tea/green/gone
step '6 the nearest section' /tea/nothing
step '6 not for files' /tea/feed.xml
step '7 nowhere' /no/such/page

echo '== refusals'
key=$VITRINE_EDITOR_KEY no_rule 'an editor' '"from_path":"/a","to_target":"/b"'
key=$VITRINE_READER_KEY no_rule 'a key without the scope' '"from_path":"/a","to_target":"/b"'
key=$VITRINE_DRAFT_KEY no_rule 'a key of the draft' '"from_path":"/a","to_target":"/b"'
no_rule 'a loop' '"from_path":"/x","to_target":"/X/"'
for hop in 0 1 2 3 4 5 6 7 8 9; do rule "\"from_path\":\"/h$hop\",\"to_target\":\"/h$((hop + 1))\"" >/dev/null; done
no_rule 'a long chain' '"from_path":"/h10","to_target":"/h11"'
no_rule 'a path of the platform' '"from_path":"/CART/","to_target":"/b"'
no_rule 'a query in the source' '"from_path":"/a?b=1","to_target":"/b"'
no_rule 'a mask without its second star' '"from_path":"/a/*","to_target":"/b/$2"'
no_rule 'a target without a scheme' '"from_path":"/a","to_target":"//evil.test"'
no_rule 'another site' '"from_path":"/a","to_target":"https://elsewhere.test/"'
no_rule 'a condition without a value' '"from_path":"/a","to_target":"/b","query_match":"id"'
no_rule 'a second rule of the address' '"from_path":"/Old/","to_target":"/b"'
refused 'deleting an unknown rule' DELETE /storefront-redirects '{"ids":["999999"]}'
refused 'an order of some rules' PUT /storefront-redirects/order "{\"ids\":[\"$old\"]}"
refused 'a slug nobody had' GET '/slug-redirects/resolve?entity_type=product&slug=never'
refused '1001 lines' POST /storefront-redirects/import "{\"text\":$(numbered '/n&;/m&' 1 1001 | text)}"

echo '== limits of the plan, and of the platform'
key=$VITRINE_SMALL_KEY
rule '"from_path":"/m-*","to_target":"/m"' >/dev/null
no_rule 'a mask more than the plan has' '"from_path":"/n-*","to_target":"/n"'
rule '"from_path":"/one","to_target":"/two"' >/dev/null
printf '/m/*/x;/b\n/a;/b\n/c;/b\n' | text | sed 's/.*/{"text":&}/' >"$TMPDIR/import.json"
api POST /storefront-redirects/import "@$TMPDIR/import.json" | reasons small
no_rule 'a rule more than the plan has' '"from_path":"/two","to_target":"/three"'
key=$VITRINE_FULL_KEY
fill() { # LINE FIRST LAST: imports numbered rules
	numbered "$@" | text | sed 's/.*/{"text":&}/' >"$TMPDIR/import.json"
	api POST /storefront-redirects/import "@$TMPDIR/import.json" | reasons "lines $2 to $3" | tail -n 1
}
fill '/mask-&/*/x;/to-&' 1 200
no_rule 'mask 201' '"from_path":"/one-*-more","to_target":"/x"'
for ((first = 1; first <= 19000; first += 1000)); do fill '/rule-&;/to-&' $first $((first + 999)) >/dev/null; done
fill '/rule-&;/to-&' 19001 19800
no_rule 'rule 20001' '"from_path":"/one-more","to_target":"/x"'

echo '== an import with every reason'
key=$VITRINE_KEY
before=$(api GET /storefront-redirects | field version)
cat <<'CSV' | text | sed 's/.*/{"text":&}/' >"$TMPDIR/import.json"
from;to
# the first line is a header, this one a comment
/i/new;/tea
/old;/tea/green
/cat-*;/tea/$1;302
/i/lonely
/i/code;/tea;418
/I/NEW/;/gifts
/cart;/tea
/i/loop;/i/loop/
/i/chain;/h0
/i/away;https://elsewhere.test/
i/source;/tea
/i/target;//evil.test
/i/kind;/tea;301;regex
/i/params;/tea;301;;sometimes
/i/condition;/tea;301;;;novalue
CSV
printf '/i/note;/tea;301;;;;;%s\n' "$(printf 'n%.0s' {1..501})" | text | sed 's/^"//' >"$TMPDIR/note"
sed -i "s|\"}\$|\\\\n$(sed 's/\\/\\\\/g; s/"$//' "$TMPDIR/note")\"}|" "$TMPDIR/import.json"
api POST /storefront-redirects/import "@$TMPDIR/import.json" | reasons all
api POST /storefront-redirects/import "@$TMPDIR/import.json" | reasons again | tail -n 1

echo '== the import is taken back'
edits() { sed 's/.*"added":\([0-9]*\),"removed":\([0-9]*\),"changed":\([0-9]*\).*/added \1, removed \2, changed \3/'; }
step 'imported' /i/new
echo "the version of the import: $(api GET "/storefront-redirects/versions/$((before + 1))" | edits)"
back="{\"version\":$before"
echo "a dry run: $(api POST /storefront-redirects/rollback "$back,\"dry_run\":true}" | edits), the set stays at $(($(api GET /storefront-redirects | field version) - before)) more"
echo "the rollback: $(api POST /storefront-redirects/rollback "$back}" | edits)"
step 'taken back' /i/new
step 'as it was' /old
echo "again: $(api POST /storefront-redirects/rollback "$back}" | edits)"
refused 'an unknown version' POST /storefront-redirects/rollback '{"version":999999}'

echo '== from the 404 log to a rule'
visit /shop/sencha-ujji
until misses=$(api GET '/storefront-redirects/misses?q=ujji') && [[ $misses == *ujji* ]]; do sleep 0.2; done
target=$(field to <<<"$misses")
echo "suggested: $target, because $(field reason <<<"$misses")"
rule "\"from_path\":\"/shop/sencha-ujji\",\"to_target\":\"$target\"" >/dev/null
step 'the rule' /shop/sencha-ujji
echo "hidden: $(api POST /storefront-redirects/misses/hide '{"paths":["/shop/sencha-ujji"]}' | field changed), shown: $(api GET '/storefront-redirects/misses?q=ujji' | field total)"

echo '== a section moves, with rules'
move="{\"from_id\":$green,\"to_id\":$gifts,\"type\":\"inside\",\"pin_rules\":true"
changes() { tr '{' '\n' | sed -n 's/^"old_path":"\([^"]*\)","new_path":"\([^"]*\)","kind":"\([a-z]*\)","covered_by":"\([a-z]*\)".*/\3 \1 -> \2, \4/p; s/^"categories_affected":\([0-9]*\),"products_affected":\([0-9]*\),"rules_created":\([0-9]*\).*/\1 section, \2 product, \3 rules/p'; }
dry=$(api POST /categories/move "$move,\"dry_run\":true}")
changes <<<"$dry"
visit /tea/green/sencha-uji
[[ $(api POST /categories/move "$move}") == "$dry" ]] && echo 'the move did what its dry run said'
step 'the old address' /tea/green/sencha-uji
step 'the first address' /tea/green/sencha
echo "rules of the move: $(api GET /storefront-redirects | grep -o '"note":"category move"' | wc -l)"
refused 'into itself' POST /categories/move "{\"from_id\":$gifts,\"to_id\":$green}"
key=$VITRINE_DRAFT_KEY refused 'moving with a key of the draft' POST /categories/move "$move}"
key=$VITRINE_EDITOR_KEY refused 'moving as an editor' POST /categories/move "$move}"
key=$VITRINE_READER_KEY refused 'moving without the scope' POST /categories/move "$move}"

echo '== the compiled set'
set=$(curl -sS -D - -o /dev/null "$VITRINE_ADMIN/storefront/redirects?slug=tea" | tr -d '\r' | sed -n 's/^[Ee][Tt]ag: //p')
echo "what I have: $(curl -sS -o /dev/null -w '%{http_code}' -H "If-None-Match: $set" "$VITRINE_ADMIN/storefront/redirects?slug=tea")"
api PUT /storefront-redirects/settings '{"miss_fallback":false}' >/dev/null
echo "after a setting: $(curl -sS -o /dev/null -w '%{http_code}' -H "If-None-Match: $set" "$VITRINE_ADMIN/storefront/redirects?slug=tea")"
api DELETE /storefront-redirects "{\"ids\":[\"$old\"]}" >/dev/null
echo "after a rule: $(curl -sS -o /dev/null -w '%{http_code}' -H "If-None-Match: $set" "$VITRINE_ADMIN/storefront/redirects?slug=tea")"
step '6 switched off' /tea/nothing
