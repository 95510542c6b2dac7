// The product page next to its pictures: the pickers of its options, the quantity, the sticky bar
// on phones.
//
// A value to pick is a link to the variant with this value. Here the variant is selected in
// place, as by its radio button.
const placeOf = (radio) => (radio.dataset.vAt || '').split(' ')

function onPick(event) {
  const link = within(event, '[data-v-pick]')
  const page = link?.closest('.v-product')
  const root = page?.querySelector('[svc-variants]')
  if (!root || event.defaultPrevented || modified(event)) return
  event.preventDefault()
  const radio = nearest(choicesOf(root), placeOf(choiceOf(root)), ...link.dataset.vPick.split(' '))[0]
  radio.checked = true
  radio.dispatchEvent(new Event('change', { bubbles: true }))
}

// choicesOf returns the variants with their places, which are parsed once for all values to pick.
const choicesOf = (root) => [...root.querySelectorAll('input')].map((radio) => ({ radio, at: placeOf(radio) }))

// nearest returns the variant with a value of one option that shares the most values with the
// selected place, and whether it shares all of them; like Product.nearest on the server.
function nearest(choices, now, option, value) {
  let best, most = -1
  for (const { radio, at } of choices) {
    if (at[option] !== value) continue
    const same = now.filter((n, k) => k !== +option && n === at[k]).length
    if (same > most) [best, most] = [radio, same]
  }
  return [best, most === now.length - 1]
}

function markPicks(root) {
  const page = root.closest('.v-product')
  const choices = choicesOf(root)
  const now = placeOf(choiceOf(root))
  page?.querySelectorAll('[data-v-pick]').forEach((link) => {
    const [option, value] = link.dataset.vPick.split(' ')
    const [radio, fits] = nearest(choices, now, option, value)
    link.search = '?variant=' + radio.value
    link.classList.toggle('v-pick--amiss', !fits)
    link.querySelector('[data-v-amiss]').hidden = fits
    markSoldOut(link, radio)
    if (now[option] !== value) return link.removeAttribute('aria-current')
    link.setAttribute('aria-current', 'true')
    page.querySelector(`[data-v-picked="${option}"]`).textContent = link.title
  })
}

// markSoldOut marks a value whose variant is sold out, where each variant has its own stock.
function markSoldOut(link, radio) {
  const out = radio.dataset.vLeft === '0'
  link.classList.toggle('v-pick--out', out)
  const said = link.querySelector('[data-v-out]')
  if (said) said.hidden = !out
}

// showStock shows the stock of the selected variant, and lets it be bought if there is any.
function showStock(page, choice) {
  const most = choice.dataset.vLeft
  const row = page?.querySelector('[data-v-row]')
  page?.querySelectorAll('[data-v-stock]').forEach((e) => { e.hidden = e.dataset.vStock !== choice.value })
  if (!row || !most) return
  row.hidden = most === '0'
  document.querySelector('[data-v-bar]')?.classList.toggle('v-bar--out', row.hidden)
  page.querySelector('[data-v-none]').hidden = most !== '0'
  const field = row.querySelector('input')
  field.max = Math.max(most, 1)
  field.value = Math.min(field.value, field.max)
}

function onStep(event) {
  const button = within(event, '[data-v-step]')
  const field = button?.parentElement.querySelector('input')
  if (!field) return
  field.value = Math.min(Math.max((Math.floor(field.value) || 1) + +button.dataset.vStep, 1), field.max)
  say(field.value)
}

// The bar is visible while the button it duplicates is not.
let barWatch = null

function enhanceBar() {
  barWatch?.disconnect()
  const bar = document.querySelector('[data-v-bar]')
  const button = bar && document.querySelector('#v-buyform [data-v-add=cart]')
  if (!button) return
  barWatch = new IntersectionObserver((seen) => {
    bar.hidden = false
    bar.classList.toggle('v-bar--on', !seen.at(-1).isIntersecting)
  })
  barWatch.observe(button)
}

// A link that looks like a button also reacts to the space key.
function onButtonKey(event) {
  if (event.key !== ' ' || modified(event) || within(event, 'a:is(.v-button, .v-pick, .v-iconbutton, .v-chip, .v-quick, .v-gallery__thumb, [role=button])[href]') !== event.target) return
  event.preventDefault()
  event.target.click()
}
