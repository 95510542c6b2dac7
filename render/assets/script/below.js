// A website's own menu is often fixed at the top of the window, where the shop's
// header is, and its buttons at the bottom, where the footer is. Such a bar stands
// below the header, or above the footer, for as long as that is seen, so that neither
// hides the other. What covers most of the window is a dialog and meant to cover
// the header, too.
const bars = new Map() // elements that were moved, by how much

const shopPart = (name) => document.querySelector('div.svc-body') && document.querySelector('body > .v-' + name)?.getBoundingClientRect()

// edges are how far the header reaches down the window, and where the footer begins.
function edges() {
  return [Math.max(0, shopPart('header')?.bottom || 0), Math.min(innerHeight, shopPart('footer')?.top ?? innerHeight)]
}

// findBars looks at what lies over and under the header and the footer, point by point.
function findBars() {
  const [head, foot] = edges()
  for (let y = 4; y < innerHeight; y += 20) {
    if (y >= head && y < foot) continue
    for (let x = 8; x < innerWidth; x += 32) document.elementsFromPoint(x, y).forEach(noteBar)
  }
  keepBars()
}

function noteBar(e) {
  if (e.closest('body > [class^="v-"]') && !e.closest('.svc-body')) return
  for (; e && e !== document.body; e = e.parentElement) {
    if (isBar(e) && !bars.has(e)) bars.set(e, 0)
  }
}

function isBar(e) {
  return /fixed|sticky/.test(getComputedStyle(e).position) && e.offsetHeight < innerHeight / 2
}

function keepBars() {
  const [head, foot] = edges()
  bars.forEach((moved, e) => {
    const { top, bottom } = e.getBoundingClientRect()
    const now = parseFloat(getComputedStyle(e).translate.split(' ')[1]) || 0 // it may be on its way
    const away = isBar(e) ? Math.min(head, Math.max(0, head - top + now)) || Math.min(0, foot - bottom + now) : 0
    if (!e.isConnected) bars.delete(e)
    else if (away !== moved) {
      e.style.translate = away ? '0 ' + away + 'px' : ''
      bars.set(e, away)
    }
  })
}

function onScrollBars() {
  const [head, foot] = edges()
  if (head || foot < innerHeight) findBars()
  else keepBars()
}

// watchBars looks again when the page has become another one by itself: at once when it
// grows, and a moment after its scripts have put something in.
function watchBars(main) {
  let due = 0
  const soon = () => {
    due ||= setTimeout(() => {
      due = 0
      findBars()
    }, 100)
  }
  new ResizeObserver(findBars).observe(main)
  new MutationObserver(soon).observe(main, { childList: true, subtree: true })
}
