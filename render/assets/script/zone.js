// The pages of the guarded zones. Their forms work by themselves; here they are
// sent without leaving the page, and the part of it that the shop draws anew takes
// the place of the old one. Zones are always loaded in full, so the page has one
// part or none; nothing of an author is on it, nor can be (document 3, 4.6.6).
async function onZoneSubmit(event) {
  const form = within(event, '[data-v-zone] form')
  const root = form?.closest('[data-v-zone]')
  if (!root || event.defaultPrevented || !window.fetch) return
  event.preventDefault()
  if (root.ariaBusy === 'true') return
  root.ariaBusy = 'true'
  const button = event.submitter
  const body = new URLSearchParams(new FormData(form, button))
  try {
    const response = await sendForm(form, body)
    const away = response.headers.get('X-Location') // a payment provider
    if (away) return location.assign(away)
    const at = new URL(response.url)
    if (at.origin !== location.origin || at.pathname !== location.pathname) return location.assign(at)
    const next = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('[data-v-zone]')
    if (next) showZone(root, next, form, button)
    else failed(root)
  } catch {
    failed(root)
  }
}

function sendForm(form, body) {
  return fetch(form.getAttribute('action').split('#')[0], {
    method: 'POST', body, credentials: 'same-origin', headers: { 'X-Requested-With': 'fetch' },
  })
}

function failed(root) {
  root.ariaBusy = null
  say(words().vFailed)
}

function showZone(root, next, form, button) {
  const again = button?.name && form.id ? `#${CSS.escape(form.id)} [name="${button.name}"]` : ''
  root.replaceWith(next)
  dressZone()
  const focus = next.querySelector('[autofocus]') || (again && next.querySelector(again)) || next.querySelector('[role=alert], [role=status]')
  if (focus && !focus.matches('input, button, textarea, select')) focus.tabIndex = -1
  focus?.focus()
  say(next.querySelector('[role=alert], [role=status]')?.textContent)
}

// A typed quantity counts when it is left; the costs of a delivery when it is
// chosen.
function onZoneChange(event) {
  const field = event.target
  if (!field.closest?.('[data-v-zone]')) return
  if (field.name === 'quantity') field.form.requestSubmit(field.form.querySelector('[name=do]'))
  if (field.name === 'delivery_option_id') showCosts(field)
}

function showCosts(option) {
  const root = option.closest('[data-v-zone]')
  const put = (name, text) => root.querySelectorAll(name).forEach((e) => { e.textContent = text })
  put('[data-v-costs]', option.dataset.vCost)
  put('[data-v-grands]', option.dataset.vGrand)
}

function dressZone() {
  const root = document.querySelector('[data-v-zone]')
  learn(root)
  const option = root?.querySelector('[name=delivery_option_id]:checked')
  if (option) showCosts(option) // what the browser filled in again
}
