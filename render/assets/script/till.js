// Input at the checkout survives a reload in the state of its history entry, and the end of the
// session in the visitor's cart on the server. It is not put into browser storage: that is shared
// by the whole origin, where scripts of the shop run.
const keepAfter = 800 // ms without typing
let keepTimer = 0

function onTyped(event) {
  const form = within(event, '.v-checkout')
  if (!form) return
  const typed = [...new FormData(form)].filter(([name]) => name !== 'attempt' && name !== 'expected_total')
  history.replaceState({ ...history.state, vTyped: typed }, '')
  clearTimeout(keepTimer)
  keepTimer = setTimeout(keepTyped, keepAfter, form)
}

function keepTyped(form) {
  if (form.isConnected && !onItsWay) sendForm(form.getAttribute('action'), new URLSearchParams([...new FormData(form), ['do', 'keep']])).catch(() => {})
}

function enhanceTill() {
  const form = document.querySelector('.v-checkout')
  const typed = form && history.state?.vTyped
  if (!typed) return
  for (const [name, value] of typed) {
    const field = form.elements[name]
    if (field?.type === 'checkbox') field.checked = true
    else if (field) field.value = value
  }
  keepTimer = setTimeout(keepTyped, keepAfter, form)
}

// A page of a zone restored from the back/forward cache may be outdated: its cart may have become
// an order.
function onComesBack(event) {
  if (event.persisted && document.querySelector('[data-v-zone]')) location.reload()
}

function forgetTyped() {
  clearTimeout(keepTimer)
  if (history.state?.vTyped) history.replaceState({ ...history.state, vTyped: undefined }, '')
}

// onTabShown reloads the cart when the visitor returns to the tab: another tab may have changed
// it.
async function onTabShown() {
  const root = document.querySelector('[data-v-zone]')
  if (document.hidden || onItsWay || !root || location.pathname !== '/cart') return
  const text = await fetch(location.href, { credentials: 'same-origin' }).then((r) => r.text(), () => '')
  const next = new DOMParser().parseFromString(text, 'text/html').querySelector('[data-v-zone]')
  if (!next || onItsWay || !root.isConnected) return
  if (next.dataset.vUnits !== root.dataset.vUnits || next.textContent !== root.textContent) showZone(root, next, {})
}
