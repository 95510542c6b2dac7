// Fetching pages, ahead of the click where the visitor points at a link. What
// was fetched ahead is for one click and a few seconds, as long as people take
// from pointing to clicking; caches in between are asked as for any page.
const aheadMost = 4
const aheadFor = 10000 // ms
const pointedFor = 80 // ms
const ahead = new Map() // address to {answer, until}

async function fetchPage(address, options) {
  const response = await fetch(address, { credentials: 'same-origin', headers: { Accept: 'text/html' }, ...options })
  const html = /^text\/html\b/i.test(response.headers.get('Content-Type') || '')
  if (!html || response.status >= 500) {
    response.body?.cancel()
    return null
  }
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
    if (answer?.keep) return answer
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
  ahead.set(address, { answer: fetchPage(address, { priority: 'low' }).catch(() => null), until: Date.now() + aheadFor })
}

let pointing = 0

function onPoint(event) {
  clearTimeout(pointing)
  const url = linkOf(event)
  if (url) pointing = setTimeout(() => fetchAhead(url), event.type === 'touchstart' ? 0 : pointedFor)
}
