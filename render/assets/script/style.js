// Style sheets of the next page are loaded before it is shown, as copies that do not apply yet.
// When the page is swapped the copies apply at once, and are removed when the page's own links
// have loaded. So nothing flashes, and the style sheets of the previous page are removed with its
// nodes.
const longestWait = 3000 // ms; a style sheet that hangs does not block the visitor

async function loadStyles(nodes) {
  const links = nodes.flatMap((n) => (n.matches(sheets) ? [n] : [...n.querySelectorAll(sheets)]))
  const copies = links.map(copySheet)
  await Promise.race([Promise.all(copies.map((c) => c.loaded)), pause(longestWait)])
  return copies
}

const sheets = 'link[rel~="stylesheet" i][href]:not([rel~="alternate" i], [disabled])'

function copySheet(link) {
  const copy = document.createElement('link')
  for (const a of link.attributes) {
    if (!/^(on|media$|id$)/i.test(a.name)) copy.setAttribute(a.name, a.value)
  }
  copy.media = 'not all'
  const loaded = settled(copy)
  document.head.append(copy)
  return { link, copy, loaded }
}

function applyStyles(copies) {
  copies.forEach(({ link, copy }) => {
    copy.media = link.getAttribute('media') || 'all'
    settled(link).then(() => copy.remove())
  })
}

function dropStyles(copies) {
  copies.forEach(({ copy }) => copy.remove())
}

// settled waits until a node has loaded or failed.
function settled(node) {
  return new Promise((done) => {
    node.addEventListener('load', done, { once: true })
    node.addEventListener('error', done, { once: true })
  })
}

function pause(ms) {
  return new Promise((done) => setTimeout(done, ms))
}
