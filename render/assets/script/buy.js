// Buttons that put a product into the cart or on the wishlist: the form of the product page
// (data-v-buy), which also works without a script, and those of html documents (svc-add-to-cart,
// svc-fav).
const buyButtons = '[svc-add-to-cart], [svc-fav]'

// addToCart adds units of a product and opens the cart drawer.
async function addToCart(id, variant, quantity) {
  const key = variant ? 'v' + variant : 'default'
  const data = variant ? { variant_id: Number(variant) } : {}
  const answer = await ask('POST', `/cart/items/${encodeURIComponent(id)}/${encodeURIComponent(key)}`, { quantity, data })
  if (!answer.ok) return false
  remember('units', (Number(remembered('units')) || 0) + quantity)
  showCount()
  await openDrawer()
  return true
}

async function toggleFavourite(id) {
  const kept = wishes()
  const drop = kept.has(id)
  const answer = await ask(drop ? 'DELETE' : 'PUT', '/v1/account/wishlist/' + encodeURIComponent(id))
  if (!answer.ok) return false
  if (drop) kept.delete(id)
  else kept.add(id)
  remember('wishes', [...kept].join(' '))
  showFavourites()
  if (drop) document.querySelectorAll('[data-v-status]').forEach((e) => e.replaceChildren())
  else confirmAdded('wishlist')
  return true
}

// The product page has a status element that links to the list; elsewhere the message is only for
// screen readers, and the drawer and the count in the header show the change.
function confirmAdded(list) {
  const text = list === 'cart' ? words().vAdded : words().vSaved
  const places = document.querySelectorAll('[data-v-status]')
  say(text)
  if (!places.length) return
  const link = document.createElement('a')
  link.href = '/' + list
  link.textContent = text
  places[places.length - 1].replaceChildren(link) // the last one belongs to an open dialog
}

// The drawer shows the cart beside the page, as drawn by the server. It takes the focus but is
// not modal: the page can be used while it is open.
let drawerOpen = null

async function openDrawer() {
  confirmAdded('cart')
  const inWindow = windowOpen()
  const response = await fetchDrawn('/cart/drawer', (at) => at.origin === location.origin && at.pathname === '/cart/drawer')
  const drawer = response && new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('dialog')
  if (!drawer) return
  storeState(drawer)
  closeDrawer()
  if (inWindow || windowOpen()) return // a dialog has, or had and lost meanwhile, the visitor's attention
  document.body.append(drawer)
  drawer.addEventListener('click', (event) => within(event, '[data-v-close]') && closeDrawer())
  const at = document.activeElement
  drawer.show()
  const place = at.matches(':read-write') ? at : drawer // do not interrupt typing
  place.focus({ preventScroll: true })
  drawerOpen = drawer
}

const windowOpen = () => document.querySelector('dialog[open]:not(.v-drawer)') !== null

function closeDrawer() {
  drawerOpen?.close() // returns the focus to the button
  drawerOpen?.remove()
  drawerOpen = null
}

function onDrawerAway(event) {
  if (drawerOpen && !within(event, '.v-drawer')) closeDrawer()
}

function modified(event) {
  return event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button > 0
}

// A button is busy until its answer arrives; on failure the visitor is sent to a page that shows
// the reason.
async function busy(button, work, otherwise) {
  if (button.ariaBusy === 'true') return
  button.ariaBusy = 'true'
  const done = await work().catch(() => false)
  button.ariaBusy = null
  if (!done) otherwise()
}

function onBuyClick(event) {
  const button = within(event, buyButtons)
  if (!button || modified(event)) return
  const [id, fav] = [button.getAttribute('svc-add-to-cart'), button.getAttribute('svc-fav')]
  if (!(fav ?? id)) return
  event.preventDefault()
  if (fav !== null) return busy(button, () => toggleFavourite(fav), () => location.assign('/wishlist'))
  busy(button, () => addToCart(id, chosen.get(id)?.id, 1), () => location.assign('/cart'))
}

// If this fails, the form of the product page is submitted normally.
function onBuySubmit(event) {
  const form = within(event, 'form[data-v-buy]')
  if (!form || event.defaultPrevented) return
  event.preventDefault()
  const data = new FormData(form)
  const id = data.get('product_id')
  const button = event.submitter || form
  const wish = button.getAttribute('formaction') === '/wishlist'
  const add = () => addToCart(id, data.get('variant'), Math.min(Math.max(Math.floor(Number(data.get('quantity'))) || 1, 1), 9999))
  busy(button, wish ? () => toggleFavourite(id) : add, () => {
    if (wish) form.action = '/wishlist'
    form.submit()
  })
}

// Elements that are not buttons or links in HTML become operable by keyboard.
function enhanceBuyButtons() {
  document.querySelectorAll(buyButtons).forEach((e) => {
    if (e.matches('a[href], button, input, summary') || e.hasAttribute('tabindex')) return
    e.tabIndex = 0
    if (!e.hasAttribute('role')) e.setAttribute('role', 'button')
  })
}

function onBuyKey(event) {
  if (event.key === 'Escape') closeDrawer()
  const key = event.key === 'Enter' || event.key === ' '
  if (!key || within(event, '[role=button]:is([svc-add-to-cart], [svc-fav])') !== event.target) return
  event.preventDefault()
  event.target.click()
}
