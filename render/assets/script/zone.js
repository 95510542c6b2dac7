// The pages of the guarded zones. Their forms work without script; here they are sent without
// leaving the page, and the part of the page that the server redraws is replaced. Zones are
// always loaded in full, so the page has one such part or none, and never content of an author
// (document 3, 4.6.6).
//
// Forms are sent one after another, since each answer redraws the part. Of submissions made
// meanwhile the last one of each form is queued, unless it repeats the one before: a double click,
// or a field that changes and submits at the same key.
let onItsWay = null
let released = null // resolves when the pressed button or finger is up
const waiting = new Map()

function onZoneSubmit(event) {
  const form = within(event, '[data-v-zone] form')
  if (!form || event.defaultPrevented || !window.fetch) return
  event.preventDefault()
  const button = event.submitter
  const body = bodyOf(form, button)
  const sent = { key: form.id || String(body), id: form.id, at: form.getAttribute('action'), button: button?.name, body, keeps: button?.value === 'place' }
  const before = waiting.get(sent.key) || onItsWay
  if (!onItsWay) sendZone(sent)
  else if (before.key !== sent.key || String(before.body) !== String(body)) waiting.set(sent.key, sent)
}

// A button that is redrawn between press and release gets no click, so a redraw waits for the
// release, though no longer than a second.
function onZonePress(event) {
  if (!within(event, '[data-v-zone]')) return
  released = new Promise((resolve) => {
    setTimeout(resolve, 1000)
    for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, () => setTimeout(resolve), { once: true })
  })
}

// The buttons beside a quantity step from the visible value, which may not be saved yet.
function bodyOf(form, button) {
  const field = form.querySelector('[name=quantity]')
  const step = field && { less: -1, more: 1 }[button?.name]
  if (!step) return new URLSearchParams(new FormData(form, button))
  field.value = Math.min(Math.max((Math.floor(field.value) || 1) + step, 1), 9999)
  return new URLSearchParams([...new FormData(form), ['do', 'set']])
}

async function sendZone(sent) {
  onItsWay = sent
  const root = document.querySelector('[data-v-zone]')
  root.ariaBusy = 'true'
  try {
    const response = await sendForm(sent.at, sent.body)
    const away = response.headers.get('X-Location') // a payment provider
    const at = new URL(away || response.url)
    if (at.origin !== location.origin || at.pathname !== location.pathname) {
      forgetTyped()
      return location.assign(at) // and nothing more is sent
    }
    const next = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('[data-v-zone]')
    if (!next) throw new TypeError('no zone')
    await released
    showZone(root, next, sent)
  } catch {
    waiting.clear()
    root.ariaBusy = null
    lost(root)
  }
  onItsWay = null
  for (const [key, later] of waiting) {
    waiting.delete(key)
    return sendZone(later)
  }
}

// lost reports the failure and restores the quantities known to the server.
function lost(root) {
  root.querySelectorAll('[name=quantity]').forEach((e) => { e.value = e.defaultValue })
  root.querySelector('[data-v-lost]')?.remove()
  const note = Object.assign(document.createElement('p'), { className: 'v-error', role: 'alert', textContent: words().vFailed })
  note.dataset.vLost = ''
  root.prepend(note)
}

function sendForm(action, body) {
  return fetch(action.split('#')[0], { method: 'POST', body, credentials: 'same-origin', headers: { 'X-Requested-With': 'fetch' } })
}

function showZone(root, next, sent) {
  const typed = typedIn(root, sent)
  const again = sent.button && sent.id ? `#${CSS.escape(sent.id)} [name="${sent.button}"]` : ''
  root.replaceWith(next)
  enhanceZone()
  let held = null
  for (const { place, changes, focused } of typed) {
    const field = next.querySelector(place)
    if (!field) continue
    Object.assign(field, changes)
    if (changes.checked && field.name === 'delivery_option_id') showCosts(field)
    if (focused) held = field
  }
  const focus = held || next.querySelector('[autofocus]') || (again && next.querySelector(again)) || next.querySelector('[role=alert], [role=status]')
  if (focus && !focus.matches('input, button, textarea, select')) focus.tabIndex = -1
  focus?.focus()
  say(next.querySelector('[role=alert], [role=status]')?.textContent)
}

// typedIn lists the input made meanwhile in other named forms, or in one that the answer does not
// end, and the field with the focus.
function typedIn(root, sent) {
  return [...root.querySelectorAll('form[id] :is(input:not([type=hidden]), select, textarea)')]
    .filter((e) => e.form.id !== sent.id || waiting.has(sent.id) || sent.keeps)
    .map((e) => ({ place: selectorOf(e), changes: changesOf(e, sent), focused: e === document.activeElement }))
    .filter((e) => e.changes || e.focused)
}

const isChoice = (e) => e.type === 'radio' || e.type === 'checkbox'
const selectorOf = (e) => `#${CSS.escape(e.form.id)} [name="${e.name}"]${isChoice(e) ? `[value="${CSS.escape(e.value)}"]` : ''}`

// changesOf returns what differs from when the form was sent, or the server drew it. Of radio
// buttons only the chosen one counts.
function changesOf(e, sent) {
  const known = sent.keeps && e.form.id === sent.id && sent.body
  if (!isChoice(e)) return e.value === (known ? known.get(e.name) : e.defaultValue ?? e.value) ? null : { value: e.value }
  const was = known ? known.getAll(e.name).includes(e.value) : e.defaultChecked
  return e.checked === was || (e.type === 'radio' && !e.checked) ? null : { checked: e.checked }
}

// A typed quantity applies when the field loses the focus; delivery costs when the option is
// selected.
function onZoneChange(event) {
  const field = event.target
  if (!field.closest?.('[data-v-zone]')) return
  if (field.name === 'quantity') field.form.requestSubmit(field.form.querySelector('[name=do]'))
  if (field.name === 'delivery_option_id') showCosts(field)
  if (field.matches('[data-v-place]')) field.form.requestSubmit(field.form.querySelector('[value=place]'))
}

function showCosts(option) {
  const root = option.closest('[data-v-zone]')
  const put = (name, text) => root.querySelectorAll(name).forEach((e) => { e.textContent = text })
  put('[data-v-costs]', option.dataset.vCost)
  put('[data-v-grands]', option.dataset.vGrand)
  put('[data-v-taxes]', option.dataset.vTax)
}

function enhanceZone() {
  const root = document.querySelector('[data-v-zone]')
  storeState(root)
  const option = root?.querySelector('[name=delivery_option_id]:checked')
  if (option) showCosts(option) // the browser restored the choice
}
