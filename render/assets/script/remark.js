// Reviews and questions of a product: their pages and orders are loaded in place, further ones
// appended; votes and forms are sent without leaving the page. On any failure the link or the
// form is followed normally.
function onRemarkClick(event) {
  const link = within(event, '[data-v-older], [data-v-turn]')
  const part = link?.closest('[data-v-remarks]')
  if (!part || event.defaultPrevented || modified(event)) return
  event.preventDefault()
  turnRemarks(link, part).catch(() => location.assign(link.href))
}

async function turnRemarks(link, part) {
  const page = await fetchPage(link.href)
  const next = new DOMParser().parseFromString(page.text, 'text/html').querySelector(`[data-v-remarks=${part.dataset.vRemarks}]`)
  const added = [...next.querySelectorAll('.v-remark')]
  if (link.matches('[data-v-older]')) {
    part.querySelector('.v-remarks__list').append(...added)
    link.parentElement.replaceWith(...[next.querySelector('[data-v-older]')?.parentElement].filter(Boolean))
  } else {
    part.replaceWith(next)
    history.replaceState(history.state, '', page.url)
    shown = location.pathname + location.search
  }
  focusOn(added[0])
}

function focusOn(place) {
  if (!place) return
  if (!place.matches('input, textarea, button')) place.tabIndex = -1
  place.focus()
}

function onVote(event) {
  const form = within(event, '[data-v-vote]')
  if (!form || event.defaultPrevented) return
  event.preventDefault()
  const button = form.querySelector('button')
  busy(button, async () => {
    const answer = await ask('POST', `/reviews/${form.dataset.vVote}/helpful`)
    if (!answer.ok) return false
    form.querySelector('[data-v-votes]').textContent = (await answer.json()).result.helpful
    button.setAttribute('aria-pressed', 'true')
    say(form.dataset.vThanks)
    return true
  }, () => form.submit())
}

// The page is the same for all visitors. When a visitor opens a form, it is drawn again for their
// session, with their previous review; input typed meanwhile is kept.
async function onSayOpen({ target }) {
  if (!target.matches('.v-saying[open]') || target.vAsked) return
  target.vAsked = true
  const form = target.querySelector('form[data-v-say]')
  const own = (at) => at.origin === location.origin
  const response = form && (await fetchDrawn(form.getAttribute('action'), own, { headers: { 'X-Requested-With': 'fetch' } }).catch(() => null))
  if (!response?.ok) return
  const next = new DOMParser().parseFromString(await response.text(), 'text/html').body
  const who = next.querySelector('[data-v-who]')
  const begun = form.contains(document.activeElement) || [...new FormData(form).values()].some((v) => v.size ?? v)
  if (!who || !begun) form.replaceWith(...next.children)
  else form.querySelector('[data-v-who]').replaceWith(who)
}

async function onSaySubmit(event) {
  const form = within(event, 'form[data-v-say]')
  if (!form || event.defaultPrevented) return
  event.preventDefault()
  busy(form, async () => {
    const response = await sendForm(form.getAttribute('action'), new FormData(form))
    const next = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('[data-v-say]')
    form.replaceWith(next)
    focusOn(next.querySelector('[autofocus], [aria-invalid]'))
    say(next.querySelector('[role=alert], [role=status]')?.textContent)
    return true
  }, () => form.submit())
}
