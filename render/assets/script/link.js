// Decides which links are replaced in place and which the browser follows itself.

// The guarded zones (document 3, 4.6.6), and paths that the platform answers with files rather
// than pages.
const loadedInFull = new Set([
  'cart', 'checkout', 'account', 'wishlist', 'orders', 'deals', 'dashboard',
  'api', 'files', 'w', '_file', '_html', '_next', '_vitrine', '.well-known',
])

function inSite(url) {
  if (url.origin !== location.origin || !/^https?:$/.test(url.protocol)) return false
  let path = url.pathname
  try {
    path = decodeURIComponent(path)
  } catch {
    return false
  }
  const segments = path.toLowerCase().split(/[/\\]+/).filter(Boolean)
  const name = segments.at(-1) || ''
  return !loadedInFull.has(segments[0]) && (!name.includes('.') || /\.html?$/.test(name))
}

// linkOf returns the address of the link of an event, or null if the browser should handle it: a
// download, another window, another host, or an anchor on this page.
function linkOf(event) {
  const a = within(event, 'a[href]')
  if (!a || a.namespaceURI !== 'http://www.w3.org/1999/xhtml') return null
  const target = a.getAttribute('target')
  if (a.hasAttribute('download') || (target && target !== '_self') || /\bexternal\b/i.test(a.rel)) return null
  if (a.isContentEditable) return null
  if (a.origin !== location.origin) return null // also if the address is invalid
  const url = new URL(a.href)
  return inSite(url) && !(url.href.includes('#') && samePage(url)) ? url : null // href="#" is the top of this page
}

function samePage(url) {
  return url.pathname + url.search === location.pathname + location.search
}
