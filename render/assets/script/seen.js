// The products recently viewed in this browser. They are stored only here, by id and with the
// attributes of their picture; the shop is asked which of them still exist.
const mostSeen = 12
const drawnBy = ['src', 'srcset', 'width', 'height', 'style']

function lastSeen() {
  try {
    const list = JSON.parse(remembered('seen'))
    return list.filter(([id]) => /^\d+$/.test(id)).slice(0, mostSeen)
  } catch {
    return []
  }
}

async function enhanceSeen() {
  const place = document.querySelector('[data-v-seen]')
  if (!place || place.closest('dialog')) return
  const id = place.dataset.vSeen
  const before = lastSeen().filter(([other]) => other !== id)
  const picture = document.querySelector('.v-product .v-gallery__img')
  remember('seen', JSON.stringify([[id, drawnBy.map((name) => picture?.getAttribute(name))], ...before]))
  if (!before.length) return
  const ids = before.map(([other]) => other)
  const answer = await send('GET', `/products?page.number=1&page.limit=${mostSeen}&` + ids.map((n) => 'filter.ids=' + n).join('&')).catch(() => null)
  const items = answer?.ok ? (await answer.json()).result.items : []
  const there = ids.map((n) => items.find((item) => String(item.id) === n)).filter(Boolean)
  if (!there.length || !place.isConnected) return
  const blank = place.querySelector('template').content
  place.querySelector('.v-seen').replaceChildren(...there.map((item) => seenCard(item, before[ids.indexOf(String(item.id))][1], blank)))
  place.hidden = false
}

function seenCard({ id, name, preview }, drawn, blank) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = '/product/' + id
  if (preview?.url) {
    const url = preview.url.replace(/^\/files\/(?!.*\.(svg|gif)$)/, '/w/320/webp/')
    const img = thumbOf({ getAttribute: () => url })
    if (String(drawn?.[0]).split('/').at(-1) === url.split('/').at(-1)) { // the picture is the same
      img.sizes = '300px' // of a wide picture only a part is visible
      drawnBy.forEach((name, i) => drawn[i] && name !== 'src' && img.setAttribute(name, drawn[i]))
    }
    link.append(img)
  } else link.append(blank.cloneNode(true))
  link.append(name)
  item.append(link)
  return item
}
