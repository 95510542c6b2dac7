// What this browser has shown of the shop lately, on product pages: only here is it
// remembered, as ids, and the shop is asked what of them there is.
const mostSeen = 12

async function dressSeen() {
  const place = document.querySelector('[data-v-seen]')
  if (!place || place.closest('dialog')) return
  const id = place.dataset.vSeen
  const before = remembered('seen').split(' ').filter((other) => /^\d+$/.test(other) && other !== id)
  remember('seen', [id, ...before].slice(0, mostSeen + 1).join(' '))
  if (!before.length) return
  const ids = before.slice(0, mostSeen)
  const answer = await send('GET', `/products?page.number=1&page.limit=${mostSeen}&` + ids.map((n) => 'filter.ids=' + n).join('&')).catch(() => null)
  const items = answer?.ok ? (await answer.json()).result.items : []
  const there = ids.map((n) => items.find((item) => String(item.id) === n)).filter(Boolean)
  if (!there.length || !place.isConnected) return
  place.querySelector('.v-seen').replaceChildren(...there.map(seenCard))
  place.hidden = false
}

function seenCard({ id, name, preview }) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = '/product/' + id
  if (preview?.url) link.append(thumbOf({ getAttribute: () => preview.url.replace(/^\/files\/(?!.*\.(svg|gif)$)/, '/w/320/webp/') }))
  link.append(name)
  item.append(link)
  return item
}
