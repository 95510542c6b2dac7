// A website's own menu is often fixed at the top of the window, where the shop's header is, and
// its buttons at the bottom, where the footer is. Such a bar is moved below the header, or above
// the footer, while that is visible, so that neither hides the other. An element that covers most
// of the window is a dialog and may cover the header, too.
const bars = new Map() // moved elements and their offsets

const shopPart = (name) => document.querySelector('div.svc-body') && document.querySelector('body > .v-' + name)?.getBoundingClientRect()

// edges returns the visible height of the header and the position of the footer in the window.
function edges() {
  return [Math.max(0, shopPart('header')?.bottom || 0), Math.min(innerHeight, shopPart('footer')?.top ?? innerHeight)]
}

// findBars checks the elements above and below the header and the footer, point by point.
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
    const now = parseFloat(getComputedStyle(e).translate.split(' ')[1]) || 0 // a transition may be running
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

// watchBars repeats the search when the page changes: immediately when it grows, and shortly
// after its scripts have added elements.
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
