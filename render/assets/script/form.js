// Links that lead to a form of the shop open it in place: the storefront draws
// the form as a dialog, which keeps the focus and closes with Escape by itself.
// That form, and those that stand on the page, are sent without leaving it.
// Whatever goes wrong ends on the form's page. The names that a shop gives to
// fields hide properties of the form element, so none of those is read.
let formDialog = null
let formComing = false

// Addresses from the data of a shop may still read form:<id>.
function formOf(link) {
  if (!link) return null
  const written = link.getAttribute('href') ?? link.getAttribute('xlink:href') ?? ''
  try {
    const url = new URL(written.trim().replace(/^form:/i, '/_vitrine/form/'), location.origin)
    return url.origin === location.origin && /^\/_vitrine\/form\/\d+$/.test(url.pathname) ? url : null
  } catch {
    return null
  }
}

function onFormClick(event) {
  if (event.defaultPrevented || modified(event)) return
  const link = event.target.closest?.('a')
  const url = formOf(link)
  if (!url) return
  event.preventDefault()
  openForm(url, link)
}

async function openForm(url, opener) {
  if (formComing) return
  formComing = true
  try {
    const response = await fetchDrawn(url.pathname + '/dialog' + url.search, (at) => at.origin === url.origin)
    if (!response?.ok) throw url
    const dialog = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('dialog')
    closeForm()
    document.body.append(dialog)
    dialog.addEventListener('click', (event) => event.target.closest('[data-v-close]') && closeForm())
    dialog.addEventListener('close', () => {
      dialog.remove()
      opener.focus({ preventScroll: true })
    })
    formDialog = dialog
    dialog.showModal()
  } catch {
    location.assign(url)
  } finally {
    formComing = false
  }
}

function closeForm() {
  formDialog?.close()
  formDialog = null
}

async function onFormSubmit(event) {
  const dialog = Element.prototype.closest.call(event.target, '[data-v-form]')
  if (!dialog || event.defaultPrevented) return
  event.preventDefault()
  if (dialog.ariaBusy === 'true') return
  dialog.ariaBusy = 'true'
  showProblem(dialog, '')
  const data = new FormData(event.target)
  const problem = data.get('_more') ? null : await sendLead(dialog, data).catch(() => ({ text: dialog.dataset.vFailed }))
  dialog.ariaBusy = 'false'
  if (problem) showProblem(dialog, problem.text, problem.field)
  else showThanks(dialog)
}

// sendLead answers with what is wrong, null when the shop has it.
async function sendLead(dialog, data) {
  const values = Object.fromEntries([...data].filter(([name]) => name[0] !== '_'))
  const utm = [...new URLSearchParams(location.search)].filter(([name]) => /^utm_./.test(name))
  const response = await fetch('/api/form-leads', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      form_id: dialog.dataset.vForm,
      values,
      page_url: (location.pathname + location.search).slice(0, 2000),
      utm: Object.fromEntries(utm.slice(0, 10).map(([name, value]) => [name.slice(4, 64), value.slice(0, 60)])),
    }),
  })
  if (response.ok) return null
  const { vCheck, vBusy, vFailed } = dialog.dataset
  const { field } = await response.json()
  const input = field && dialog.querySelector(`[name="${CSS.escape(field)}"]`)
  if (input) return { text: vCheck + ' ' + (input.closest('label')?.querySelector('span').firstChild.textContent || field), field: input }
  return { text: response.status === 429 ? vBusy : vFailed }
}

function showProblem(dialog, text, field) {
  dialog.querySelectorAll('[aria-invalid]').forEach((e) => e.removeAttribute('aria-invalid'))
  dialog.querySelector('[data-v-problem]').textContent = text
  field?.setAttribute('aria-invalid', 'true')
  field?.focus()
}

function showThanks(dialog) {
  const thanks = dialog.querySelector('[data-v-thanks]')
  thanks.previousElementSibling.hidden = true
  thanks.hidden = false
  thanks.querySelector('h2').focus()
}
