// Fetches pages, and prefetches the page of a link that the visitor points at. A prefetched page
// is used for one click within a few seconds, about the time from pointing to clicking;
// intermediate caches are used as for any page.
const aheadMost = 4
const aheadFor = 10000 // ms
const pointedFor = 80 // ms
const ahead = new Map() // address to {answer, until}

// Only content rendered by the edge for this shop may be inserted into the page, where it has
// access to the visitor's session. The edge marks it with a header that uploaded content never
// has; a website or a file of the shop that looks like a page is sandboxed (document 3, 4.2). The
// address after redirects is the one checked.
async function fetchDrawn(address, leads, options) {
  const response = await fetch(address, { credentials: 'same-origin', headers: { Accept: 'text/html' }, ...options })
  const says = (name, what) => what.test(response.headers.get(name) || '')
  const drawn = says('X-Vitrine-Page', /^drawn$/) && !says('Content-Security-Policy', /\bsandbox\b/i) && says('Content-Type', /^text\/html\b/i)
  if (drawn && response.status < 500 && leads(new URL(response.url))) return response
  response.body?.cancel()
  return null
}

async function fetchPage(address, options) {
  const response = await fetchDrawn(address, inSite, options)
  if (!response) return null
  const keep = !/no-store/.test(response.headers.get('Cache-Control') || '')
  return { text: await response.text(), url: new URL(response.url), keep }
}

// take returns the page of an address, prefetched or fetched now.
async function take(url, signal) {
  const address = withoutHash(url)
  const held = ahead.get(address)
  ahead.clear()
  if (held && held.until > Date.now()) {
    const answer = await held.answer
    if (answer?.keep) {
      fetchDrawn(address, () => false, { priority: 'low', cache: 'no-cache' }).catch(() => null) // so that it counts as a view
      return answer
    }
  }
  return fetchPage(address, { signal })
}

function withoutHash(url) {
  return url.origin + url.pathname + url.search
}

function savesData() {
  const c = navigator.connection
  return c && (c.saveData || /2g/.test(c.effectiveType || ''))
}

function fetchAhead(url) {
  const address = withoutHash(url)
  if (savesData() || samePage(url) || ahead.get(address)?.until > Date.now()) return
  while (ahead.size >= aheadMost) ahead.delete(ahead.keys().next().value)
  ahead.set(address, { answer: fetchPage(address, { priority: 'low', headers: { Accept: 'text/html', Purpose: 'prefetch' } }).catch(() => null), until: Date.now() + aheadFor })
}

let pointing = 0

function onPoint(event) {
  clearTimeout(pointing)
  const url = linkOf(event)
  if (url) pointing = setTimeout(() => fetchAhead(url), event.type === 'touchstart' ? 0 : pointedFor)
}
