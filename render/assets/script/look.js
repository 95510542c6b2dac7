// Opens a product of a listing in a dialog over the page, if the listing is set so: by the card's
// link or by a button on the card. The dialog shows the product part of the product's page; if
// the shop draws that page with its own document, the link is followed.
let lookComing = false

function onLookClick(event) {
  if (event.defaultPrevented || modified(event)) return
  const grid = within(event, '[data-v-look]')
  const link = grid && within(event, '.v-card')?.querySelector('a[href]')
  const button = within(event, '[data-v-quick]')
  if (!link || !(button || (grid.dataset.vLook === 'modal' && within(event, 'a') === link))) return
  event.preventDefault()
  openLook(grid, link, button || link)
}

async function openLook(grid, link, opener) {
  if (lookComing) return
  lookComing = true
  try {
    const page = await fetchPage(link.href)
    const product = new DOMParser().parseFromString(page.text, 'text/html').querySelector('main .v-product')
    if (!product) throw link.href
    const dialog = openDialog('v-look v-look--' + grid.dataset.vSize, product, opener)
    dialog.setAttribute('aria-label', link.textContent)
    dialog.append(...lookLinks(grid, link, dialog))
    enhanceBuyButtons()
    enhanceVariants()
    showFavourites()
  } catch {
    location.assign(link.href)
  } finally {
    lookComing = false
  }
}

// Links to the page itself and to the neighbours in the listing.
function lookLinks(grid, link, dialog) {
  const more = document.createElement('a')
  more.className = 'v-look__more'
  more.href = link.href
  more.textContent = words().vWhole
  const links = [...grid.querySelectorAll('.v-card')].map((card) => card.querySelector('a[href]'))
  const at = links.indexOf(link)
  if (!('vTurn' in grid.dataset) || links.length < 2) return [more]
  const nav = document.createElement('div')
  nav.className = 'v-look__nav'
  const turn = (step, text) => {
    const next = links[at + step]
    const button = sliderButton('v-slider__turn', words()[step < 0 ? 'vPrevious' : 'vNext'], () => {
      dialog.close()
      openLook(grid, next, next)
    }, text)
    button.disabled = !next
    return button
  }
  nav.append(turn(-1, '‹'), turn(1, '›'))
  return [more, nav]
}

// openDialog shows content in a modal dialog; the browser traps the focus and closes it with
// Escape.
function openDialog(name, content, opener) {
  const dialog = document.createElement('dialog')
  dialog.className = 'v-wrap v-dialog ' + name
  dialog.tabIndex = -1
  dialog.append(sliderButton('v-dialog__close', words().vClose, () => dialog.close(), '×'), content)
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
  dialog.addEventListener('close', () => {
    dialog.remove()
    opener.focus({ preventScroll: true })
  })
  document.body.append(dialog)
  holdPage()
  dialog.showModal()
  dialog.focus() // not the button: the key that opened the dialog would press it
  return dialog
}

// holdPage keeps the space of the scrollbar, which disappears while a dialog is open, so that the
// page behind it does not move.
function holdPage() {
  const root = document.documentElement
  root.style.setProperty('--v-gutter', innerWidth > root.clientWidth ? 'stable' : 'auto')
}

function closeDialogs() {
  document.querySelectorAll('dialog.v-dialog[open]').forEach((dialog) => dialog.close())
}
