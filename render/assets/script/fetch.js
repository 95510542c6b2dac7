// Fetching pages, ahead of the click where the visitor points at a link. What
// was fetched ahead is for one click and a few seconds, as long as people take
// from pointing to clicking; caches in between are asked as for any page.
const aheadMost = 4
const aheadFor = 10000 // ms
const pointedFor = 80 // ms
const ahead = new Map() // address to {answer, until}

// Only what the edge itself drew for this shop may come into the page, where it
// has the visitor's session. The edge says so in a header that nothing uploaded
// has; a website or a file of the shop that looks like a page is in a sandbox
// (document 3, 4.2). What counts is where redirects have led to.
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

// take is the page of an address, fetched ahead or now.
async function take(url, signal) {
  const address = withoutHash(url)
  const held = ahead.get(address)
  ahead.clear()
  if (held && held.until > Date.now()) {
    const answer = await held.answer
    if (answer?.keep) {
      fetchDrawn(address, () => false, { priority: 'low', cache: 'no-cache' }).catch(() => null) // so that it counts as seen
      return answer
    }
  }
  return fetchPage(address, { signal })
}

function withoutHash(url) {
  return url.origin + url.pathname + url.search
}

function thrifty() {
  const c = navigator.connection
  return c && (c.saveData || /2g/.test(c.effectiveType || ''))
}

function fetchAhead(url) {
  const address = withoutHash(url)
  if (thrifty() || samePage(url) || ahead.get(address)?.until > Date.now()) return
  while (ahead.size >= aheadMost) ahead.delete(ahead.keys().next().value)
  ahead.set(address, { answer: fetchPage(address, { priority: 'low', headers: { Accept: 'text/html', Purpose: 'prefetch' } }).catch(() => null), until: Date.now() + aheadFor })
}

let pointing = 0

function onPoint(event) {
  clearTimeout(pointing)
  const url = linkOf(event)
  if (url) pointing = setTimeout(() => fetchAhead(url), event.type === 'touchstart' ? 0 : pointedFor)
}
