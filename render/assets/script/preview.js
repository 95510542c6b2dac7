// The preview of a draft in a frame of the cabinet. The cabinet sends the blocks as its form has
// them, and the page is drawn with them; a click tells the cabinet which block was meant.
// The browser lets only the cabinet frame a preview; messages of other windows are ignored all the
// same. In a window of its own a preview does nothing of this, and in a frame its links lead on until
// the first message shows that blocks are edited beside it.
const cabinet = (window.parent !== window && document.querySelector('.v-preview')?.dataset.vCabinet) || ''
let wanted = '' // the block that the cabinet shows
let drawing = null
let editing = false

// marked names the places that the nodes of a page come from. The page has them as comments, which
// no style sheet counts.
function marked(doc) {
  const comments = doc.createTreeWalker(doc.body, NodeFilter.SHOW_COMMENT)
  for (let start = comments.nextNode(); start; start = comments.nextNode()) {
    const place = start.data.match(/^v (\d+-\d+)$/)?.[1]
    if (!place) continue
    let open = 1
    for (let node = start.nextSibling; node; node = node.nextSibling) {
      if (node.nodeType === Node.ELEMENT_NODE) node.dataset.vAt = place
      else if (node.nodeType === Node.COMMENT_NODE && node.data.startsWith('v ')) open++
      else if (node.nodeType === Node.COMMENT_NODE && node.data === '/v' && !--open) break
    }
  }
}

function tellCabinet(message) {
  window.parent.postMessage({ vitrine: message }, cabinet)
}

// redraw draws the page with blocks that are not saved. Of several requests the last one counts.
async function redraw(number, blocks) {
  const mine = ++latest
  const still = () => mine === latest
  drawing?.abort()
  drawing = new AbortController()
  const answer = await fetchPage(location.href, { method: 'POST', headers: { Accept: 'text/html', 'Content-Type': 'application/json' }, body: JSON.stringify(blocks), signal: drawing.signal })
  if (!still()) return
  if (!answer) return location.reload()
  const doc = parsed(answer.text)
  const next = pageOf(doc)
  closeNoscript(doc)
  nameForms(doc)
  marked(doc)
  const swapped = await swapPage(live, next, still, () => {})
  if (!swapped) return
  live = swapped.page
  for (const side of ['before', 'after']) next[side].forEach(({ node }, i) => copyPlaces(node, live[side][i].node))
  enhance()
  if (!(await swapped.run()) && still()) return location.reload()
  if (!still()) return
  enhance()
  arrived()
  tellCabinet({ drawn: number })
}

// A part that did not change stayed, but the block may be at another place now.
function copyPlaces(from, to) {
  if (from !== to && from.dataset.vAt) to.dataset.vAt = from.dataset.vAt
}

// point outlines the block that the cabinet shows.
const outline = new CSSStyleSheet()

function point(place, scroll) {
  wanted = /^\d+-\d+$/.test(place) ? place : ''
  outline.replaceSync('[data-v-at]{cursor:pointer}' + (wanted && `[data-v-at="${wanted}"]{outline:3px solid #1c7ed6;outline-offset:-3px}`))
  if (scroll && wanted) document.querySelector(`[data-v-at="${wanted}"]`)?.scrollIntoView({ block: 'center', behavior: 'instant' })
}

function onCabinet(event) {
  if (event.source !== window.parent || event.origin !== cabinet || !event.data?.vitrine) return
  if (!editing) {
    editing = true
    document.querySelector('.v-preview')?.remove() // the cabinet says the same
  }
  const { draw, blocks, show } = event.data.vitrine
  if (typeof show === 'string') point(show, show !== wanted)
  if (draw) redraw(draw, blocks).catch((error) => error.name === 'AbortError' || tellCabinet({ failed: draw }))
}

// What is clicked is opened in the cabinet: links lead nowhere meanwhile.
function onEditedClick(event) {
  if (!editing) return
  event.preventDefault()
  event.stopImmediatePropagation()
  const place = within(event, '[data-v-at]')?.dataset.vAt
  if (place) tellCabinet({ open: place })
}

if (cabinet) {
  marked(document)
  document.adoptedStyleSheets.push(outline)
  if (held) held.paused = true // these listeners stay, as the storefront's own
  window.addEventListener('message', onCabinet)
  window.addEventListener('click', onEditedClick, true)
  window.addEventListener('submit', (event) => editing && event.preventDefault(), true)
  if (held) held.paused = false
  tellCabinet({ ready: location.pathname })
}
