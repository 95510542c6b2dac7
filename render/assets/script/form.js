// Links to a form of the shop open it in place: the server draws the form as a dialog, which
// traps the focus and closes with Escape natively. That form, and forms in widgets, are sent
// without leaving the page. On any failure the visitor is sent to the form's page. Fields named
// by a shop can shadow properties of the form element, so none of its properties is read.
let formDialog = null
let formComing = false

// Addresses from shop data may still have the form form:<id>.
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
  const link = within(event, 'a')
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
    dialog.addEventListener('click', (event) => within(event, '[data-v-close]') && closeForm())
    dialog.addEventListener('close', () => {
      dialog.remove()
      opener.focus({ preventScroll: true })
    })
    formDialog = dialog
    holdPage()
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

// A form in a page requests its token when the visitor focuses it: pages are cached, and a token
// is valid once.
async function onFormFocus(event) {
  const dialog = within(event, '[data-v-form]')
  const token = dialog?.querySelector('[name=_token]')
  if (!token || token.value || dialog.vAsked) return
  dialog.vAsked = true
  const response = await fetch('/api/forms/' + dialog.dataset.vForm + '/token').catch(() => null)
  if (response?.ok) token.value = (await response.json()).result.token
}

// Files that are too large are rejected before they are sent.
function onFileChange(event) {
  const { vMost, vLarge } = event.target.dataset ?? {}
  if (vMost) event.target.setCustomValidity([...event.target.files].some((f) => f.size > vMost) ? vLarge : '')
}

async function onFormSubmit(event) {
  const dialog = within(event, '[data-v-form]')
  if (!dialog || event.defaultPrevented) return
  event.preventDefault()
  if (dialog.ariaBusy === 'true') return
  dialog.ariaBusy = 'true'
  dialog.querySelector('[data-v-problem]').textContent = ''
  await sendAnswers(dialog).catch(() => {
    dialog.querySelector('[data-v-problem]').textContent = dialog.dataset.vFailed
  })
  dialog.ariaBusy = 'false'
}

// sendAnswers posts the values to the form's own page. If the shop refuses them, the response
// contains the form with the errors at its fields. While many forms are sent, the server first
// requires a proof of work.
async function sendAnswers(dialog, proof = '') {
  const form = dialog.querySelector('form')
  const data = new FormData(form)
  data.set('_proof', proof)
  data.set('_from', (location.pathname + location.search).slice(0, 2000))
  const url = new URL(form.getAttribute('action'), location.origin)
  const headers = { Accept: 'text/html', 'X-Requested-With': dialog.matches('dialog') ? 'f' : 'w' }
  const response = await fetchDrawn(url, (at) => at.origin === location.origin, { method: 'POST', body: data, headers })
  if (!response) throw url
  if (response.ok) {
    const to = response.headers.get('X-Location')
    return to ? location.assign(to) : showThanks(dialog)
  }
  const drawn = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('form')
  if (!drawn) throw url
  drawn.querySelector('[type=submit]').textContent = form.querySelector('[type=submit]').textContent
  const { vWork } = drawn.dataset
  form.replaceWith(drawn)
  if (vWork && !proof) return sendAnswers(dialog, await prove(dialog.dataset.vProof, drawn.querySelector('[name=_token]').value, Number(vWork)))
  const wrong = drawn.querySelector('[aria-invalid]')
  if (wrong) (wrong.matches('fieldset') ? wrong.querySelector('input') : wrong).focus()
}

function prove(address, token, bits) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(address)
    const end = (then) => (event) => {
      worker.terminate()
      then(event.data)
    }
    worker.onmessage = end(resolve)
    worker.onerror = end(reject)
    worker.postMessage({ token, bits })
  })
}

function showThanks(dialog) {
  const thanks = dialog.querySelector('[data-v-thanks]')
  thanks.previousElementSibling.hidden = true
  thanks.hidden = false
  thanks.querySelector('h2').focus()
}
