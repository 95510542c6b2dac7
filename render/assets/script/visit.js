// Navigation within the shop: the page is fetched, put in place of the live one and announced. On
// any failure the page is loaded in full.
let live = null // the page being shown
let shown = '' // its path and query
let latest = 0 // number of the latest navigation; earlier ones give up
let fetching = null

async function visit(url, back) {
  const number = ++latest
  const still = () => number === latest
  fetching?.abort()
  fetching = new AbortController()
  const bar = setTimeout(() => still() && showProgress(), slowAfter)
  try {
    const answer = await take(url, fetching.signal)
    if (still() && !(await show(url, answer, back, still))) fullLoad(url, back)
  } catch {
    if (still()) fullLoad(url, back)
  } finally {
    clearTimeout(bar)
    if (still()) document.querySelector('.v-progress')?.remove()
  }
}

// A slow navigation shows a progress bar.
const slowAfter = 300 // ms

function showProgress() {
  if (document.querySelector('.v-progress')) return
  const bar = document.createElement('div')
  bar.className = 'v-progress'
  document.body.append(bar)
}

function fullLoad(url, back) {
  if (back) location.reload()
  else location.assign(url)
}

// show returns false if the page has to be loaded in full.
async function show(url, answer, back, still) {
  if (!answer) return false
  const next = parsePage(answer.text)
  if (!next.version || next.version !== live.version) return false
  if (!answer.url.hash) answer.url.hash = url.hash
  const swapped = await swapPage(live, next, still, () => move(answer.url, back))
  if (!swapped) return true
  live = swapped.page
  shown = location.pathname + location.search
  enhance()
  const again = settle(back)
  const whole = await swapped.run()
  if (!still()) return true
  if (!whole) {
    location.reload()
    return true
  }
  if (again) again()
  enhance() // for elements added by scripts
  arrived()
  return true
}

function move(url, back) {
  keepPlace()
  keeping = false
  if (back) {
    if (withoutHash(url) !== withoutHash(location)) history.replaceState(history.state, '', url)
    return
  }
  entry = newEntry()
  const same = url.href === location.href
  history[same ? 'replaceState' : 'pushState']({ vitrine: entry }, '', url)
}

// settle scrolls, moves the focus to the new content and announces the page.
function settle(back) {
  const at = anchor()
  const same = stayed()
  const again = back && restorePlace()
  if (!back && at) at.scrollIntoView({ behavior: 'instant' })
  else if (!back && !same) scrollToPlace([0, 0])
  keeping = true
  const place = same || (!back && (at || live.main.querySelector('[autofocus]'))) || live.main
  if (!place.matches('a[href], button, input, select, textarea, [tabindex]')) place.tabIndex = -1
  place.focus({ preventScroll: true })
  say((same && document.querySelector('.v-heading__count')?.textContent) || document.title)
  return again
}

function onLinkClick(event) {
  if (event.defaultPrevented || modified(event) || !live?.version) return
  const url = linkOf(event)
  if (!url) return
  event.preventDefault()
  visit(url, false)
}

// Entries for another place on the same page need no fetch. Entries created by a script of a
// document are left to that script while its page is shown.
function onHistory(event) {
  const known = event.state?.vitrine
  if (!known && event.state && !latest) return
  keepPlace() // of the entry that is left
  keeping = false
  enterEntry()
  if (location.pathname + location.search === shown) {
    latest++ // cancels a navigation in progress
    const at = anchor()
    if (known && places.has(entry)) scrollToPlace(places.get(entry))
    else if (at) at.scrollIntoView({ behavior: 'instant' })
    keeping = true
    return
  }
  if (live?.version) visit(new URL(location.href), true)
  else location.reload()
}

// Uploaded documents are notified of every page change, on document or on window (document 3,
// 4.6.5).
function arrived() {
  saveScrollableState()
  document.dispatchEvent(new CustomEvent('svc:navigate', { bubbles: true, detail: { path: location.pathname } }))
}
