// Buttons that put a product into the cart or on the wishlist: the product
// page's own (data-v-add) and those of html documents (svc-add-to-cart, svc-fav).
const buyButtons = '[data-v-add], [svc-add-to-cart], [svc-fav]'

function ownLine(button) {
  const d = button.dataset
  return withVariant(sound({ product_id: d.vId, name: d.vName, path: d.vPath, price: d.vPrice, image: d.vImage }))
}

// The compiler writes data-svc-* beside an id that comes from a product of the
// shop; an id written by hand knows no more than itself. Prices are whole units.
function boundLine(button, id) {
  const d = button.dataset
  const line = sound({ product_id: id, name: d.svcName || '№ ' + id, path: d.svcUrl, price: wholePrice(d.svcPrice), image: d.svcImage })
  return withVariant(line)
}

function wholePrice(text) {
  return Number((text || '').replace(/\D/g, ''))
}

// press does what a button says. The answer is false when nothing could be
// kept: a link is followed then.
function press(button) {
  const cart = button.getAttribute('svc-add-to-cart')
  const fav = button.getAttribute('svc-fav')
  if (fav !== null) return fav !== '' && toggleFavourite(button, fav)
  const list = cart === null ? button.dataset.vAdd : 'cart'
  const line = cart === null ? ownLine(button) : boundLine(button, cart)
  if (cart === '' || !addLine(list, line)) return false
  showCount()
  showFavourites()
  confirmAdded(button, list)
  return true
}

function toggleFavourite(button, id) {
  const lines = readList('wishlist')
  const rest = lines.filter((l) => l.product_id !== id)
  const kept = rest.length < lines.length ? writeList('wishlist', rest) : addLine('wishlist', boundLine(button, id))
  showFavourites()
  if (kept && rest.length === lines.length) say(words().vSaved)
  return kept
}

// The product page has a place that links to the list; elsewhere the news is
// for screen readers, and the count in the header for eyes.
function confirmAdded(button, list) {
  const text = list === 'cart' ? words().vAdded : words().vSaved
  const place = button.dataset.vAdd && document.querySelector('[data-v-status]')
  if (!place) return say(text)
  const link = document.createElement('a')
  link.href = '/' + list
  link.textContent = text
  place.replaceChildren(link)
}

function modified(event) {
  return event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button > 0
}

function onBuyClick(event) {
  const button = event.target.closest?.(buyButtons)
  if (button && !modified(event) && press(button)) event.preventDefault()
}

// What is no button or link of HTML becomes one for the keyboard.
function dressBuyButtons() {
  document.querySelectorAll('[svc-add-to-cart], [svc-fav]').forEach((e) => {
    if (e.matches('a[href], button, input, summary') || e.hasAttribute('tabindex')) return
    e.tabIndex = 0
    if (!e.hasAttribute('role')) e.setAttribute('role', 'button')
  })
}

function onBuyKey(event) {
  const key = event.key === 'Enter' || event.key === ' '
  if (!key || !event.target.matches?.('[role=button]:is([svc-add-to-cart], [svc-fav])')) return
  event.preventDefault()
  event.target.click()
}
