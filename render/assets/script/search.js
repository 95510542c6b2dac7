// The search of the shop. While a visitor types, suggestions are shown below the box, a list of
// options for the keyboard (ARIA: combobox). The filters of a list are a form whose changes load
// the same page with other filters: the address contains their whole state.
const hintAfter = 150 // ms without typing
let hintTimer = 0
let hinting = null

function boxOf(event) {
  return within(event, '[data-v-search] input[type="search"]')
}

function enhanceSearch() {
  document.querySelectorAll('[data-v-search] input[type="search"]').forEach((box) => {
    box.role = 'combobox'
    box.ariaAutoComplete = 'list'
    box.ariaExpanded ||= 'false'
  })
}

function onSearchInput(event) {
  const box = boxOf(event)
  if (!box) return
  clearTimeout(hintTimer)
  hintTimer = setTimeout(hint, hintAfter, box)
}

async function hint(box) {
  const typed = box.value.trim()
  hinting?.abort()
  if (typed.length < 2) return closeHints()
  const asked = hinting = new AbortController()
  try {
    const response = await fetch('/_vitrine/suggest?q=' + encodeURIComponent(typed), { signal: asked.signal })
    const { items } = await response.json()
    if (asked !== hinting || box !== document.activeElement) return
    if (items.length) items.push({ name: words().vSeeAll, url: box.form.action + '?q=' + encodeURIComponent(typed) })
    showHints(box, items)
  } catch {
    // show no suggestions
  }
}

function showHints(box, items) {
  closeHints()
  if (!items.length) return
  const list = document.createElement('ul')
  list.id = 'v-hints'
  list.className = 'v-hints'
  list.role = 'listbox'
  list.ariaLabel = box.ariaLabel
  list.append(...items.map(hintOf))
  box.form.append(list)
  box.setAttribute('aria-controls', list.id)
  box.ariaExpanded = 'true'
}

function hintOf(item, n) {
  const option = document.createElement('li')
  option.id = 'v-hint-' + n
  option.role = 'option'
  option.ariaSelected = 'false'
  option.dataset.vHref = item.url
  if (item.image) option.append(Object.assign(document.createElement('img'), { src: item.image, alt: '' }))
  for (const text of [item.name, item.price || item.label]) {
    if (text) option.append(Object.assign(document.createElement('span'), { textContent: text, className: text === item.label ? 'v-muted' : '' }))
  }
  return option
}

function closeHints() {
  const list = document.getElementById('v-hints')
  if (!list) return
  const box = list.parentElement.querySelector('input[type="search"]')
  list.remove()
  box.ariaExpanded = 'false'
  box.removeAttribute('aria-activedescendant')
}

function onSearchKey(event) {
  const list = boxOf(event) && document.getElementById('v-hints')
  if (!list || event.isComposing) return
  const options = [...list.children]
  const at = options.findIndex((o) => o.ariaSelected === 'true')
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (event.key === 'Escape') closeHints()
  else if (!step) return
  else {
    const next = options[(at < 0 && step < 0 ? options.length : at + step + options.length) % options.length] || options.at(-1)
    options.forEach((o) => { o.ariaSelected = String(o === next) })
    event.target.setAttribute('aria-activedescendant', next.id)
    next.scrollIntoView({ block: 'nearest' })
  }
  event.preventDefault()
}

function onHintPress(event) {
  const option = within(event, '[data-v-href]')
  if (option) event.preventDefault() // the box keeps the focus
}

function onHintClick(event) {
  const option = within(event, '[data-v-href]')
  if (option) goTo(option.dataset.vHref)
  else if (!within(event, '[data-v-search]')) closeHints()
}

function goTo(address) {
  const url = new URL(address, location)
  hinting?.abort()
  clearTimeout(hintTimer)
  closeHints()
  if (live?.version && inSite(url)) visit(url, false)
  else location.assign(url)
}

// Empty fields are left out of the address.
function addressOf(form) {
  const url = new URL(form.action)
  for (const [name, value] of new FormData(form)) {
    if (value) url.searchParams.append(name, value)
  }
  return url
}

function onSearchSubmit(event) {
  const form = within(event, '[data-v-search], [data-v-find]')
  if (!form || event.defaultPrevented) return
  event.preventDefault()
  goTo(form.querySelector('[aria-selected="true"]')?.dataset.vHref || addressOf(form)) // Enter on a suggestion
}

// A change applies the filter at once, except in the drawer, where a button does.
let staying = '' // selector of the control on the next page

function onFindChange(event) {
  const form = within(event, '[data-v-find]')
  if (!form || !live?.version || form.matches(':popover-open')) return
  const { name, type, value } = event.target
  staying = `[data-v-find] [name="${name}"]` + (type === 'checkbox' ? `[value="${value}"]` : '')
  visit(addressOf(form), false)
}

// stayed returns the control that was changed, on the page with the new filters.
function stayed() {
  const control = staying && document.querySelector(staying)
  staying = ''
  return control
}
