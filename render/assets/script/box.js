// spreadOverflow does for wrappers what browsers do for html and body: their overflow applies to
// the window. On a wrapper it would create a scroll container, in which sticky elements do not
// stick. A wrapper lower than its content is meant to scroll and is left alone.
const handed = new WeakSet() // wrappers whose overflow was moved to the window

function spreadOverflow() {
  const main = document.getElementById('v-content')
  let clips = false
  for (const wrapper of main?.querySelectorAll(':scope > .svc-body') || []) {
    if (handed.delete(wrapper)) wrapper.style.removeProperty('overflow')
    const { overflowX: x, overflowY: y } = getComputedStyle(wrapper)
    if ((x === 'visible' && y === 'visible') || wrapper.scrollHeight > wrapper.clientHeight) continue
    clips ||= x === 'hidden' || x === 'clip'
    wrapper.style.overflow = 'visible'
    handed.add(wrapper)
  }
  if (clips) main.dataset.vClip = ''
}

// holdHeight makes percentages of the window's height work for a website that has its page to
// itself: 100% is the part of the window that the shop's header leaves. So is a height of the
// whole window, 100vh, whichever class of html or body sets it: otherwise the part below the
// header would be out of reach. Content that overflows a wrapper as tall as the window still
// pushes the footer down, as it would with a body.
const hanging = new ResizeObserver(() => {
  const main = document.getElementById('v-content')
  const wrapper = main?.querySelector(':scope > .svc-body')
  if (wrapper) main.style.setProperty('--v-tall', wrapper.offsetTop - main.offsetTop + wrapper.scrollHeight + 'px')
})
const heading = new ResizeObserver(() => placeHead(document.getElementById('v-content')))
window.addEventListener('resize', () => holdHeight())

function holdHeight() {
  const main = document.getElementById('v-content')
  if (!main) return
  main.querySelectorAll(':scope > .svc-body').forEach(clearHeight) // so that the website's own values are visible
  const wrapper = soleWrapper(main)
  const own = wrapper?.computedStyleMap?.()
  const styles = { height: own && (own.get('height').unit ? own.get('height') : rootHeight()), 'min-height': own?.get('min-height') }
  const value = (name, unit) => (styles[name]?.unit === unit && styles[name].value) || 0
  const view = ['height', 'min-height'].filter((name) => value(name, 'px') && isWindow(value(name, 'px')))
  const held = value('height', 'percent') > 0 ? 'window' : value('min-height', 'percent') > 0 ? 'content' : undefined
  if (main.dataset.vTall !== held) {
    dropHeight(main)
    if (held) main.dataset.vTall = held
    if (held === 'window') [...wrapper.children].forEach((e) => hanging.observe(e))
  }
  if (!held && !view.length) return
  placeHead(main)
  view.forEach((name) => wrapper.style.setProperty(name, 'var(--v-rest)', 'important'))
  for (let e = main.previousElementSibling; e; e = e.previousElementSibling) heading.observe(e)
}

// rootHeight is the height that rules such as body.deck or html.deck > body set on the page's own
// body; they do not apply to a wrapper. The height of a class that only locks scrolling does not
// count.
function rootHeight() {
  if (roots.some((root) => [...root.classList].some(locks))) return undefined
  return document.body.computedStyleMap().get('height')
}

// clearHeight removes the styles that holdHeight set on a wrapper.
function clearHeight({ style }) {
  for (const name of ['height', 'min-height']) {
    if (style.getPropertyValue(name) === 'var(--v-rest)') style.removeProperty(name)
  }
}

// isWindow reports whether a length is the height of the window, with or without the toolbars of
// a phone's browser.
function isWindow(px) {
  const probe = document.createElement('div')
  const tall = (height) => ((probe.style.cssText = 'position:fixed;visibility:hidden;height:' + height), probe.offsetHeight)
  document.documentElement.append(probe)
  const heights = [innerHeight, ...['100svh', '100lvh', '100dvh'].map(tall)]
  probe.remove()
  return heights.some((height) => Math.abs(height - px) < 1)
}

// placeHead sets the height of the window below the elements above the website. If hardly
// anything is left, it is the whole window.
function placeHead(main) {
  if (!main) return
  const above = main.offsetTop // from body, which may be the scrolling element
  main.style.setProperty('--v-rest', above < innerHeight / 2 ? `calc(100svh - ${above}px)` : '100svh')
}

// soleWrapper is the wrapper of a website that has its page to itself.
function soleWrapper(main) {
  const [wrapper, other] = [...(main?.children || [])].filter((e) => !e.matches('[hidden], script, style'))
  return !other && wrapper?.matches('.svc-body') ? wrapper : undefined
}

function fitHeights() {
  spreadOverflow()
  holdHeight()
}

// paintCanvas paints the window with the background of a wrapper, as browsers do for a body:
// around its margins, and below elements with a negative z-index. While the background is read,
// the wrapper's own one is visible.
function paintCanvas() {
  const main = document.getElementById('v-content')
  const wrapper = soleWrapper(main)
  if (!wrapper) return
  const below = wrapper.matches('[data-svc-below]')
  if (!below && fills(wrapper, main)) return dropCanvas(main)
  main.dataset.vCanvas = 'asked'
  const { background, backgroundColor, backgroundImage } = getComputedStyle(wrapper)
  if (!below && backgroundImage === 'none' && backgroundColor === 'rgba(0, 0, 0, 0)') return dropCanvas(main)
  const { style } = document.documentElement
  if (style.getPropertyValue('--v-canvas') !== background) style.setProperty('--v-canvas', background)
  main.dataset.vCanvas = 'lent'
}

function dropCanvas(main) {
  delete main.dataset.vCanvas
}

function fills(wrapper, main) {
  const [a, b] = [wrapper, main].map((e) => e.getBoundingClientRect())
  return ['left', 'right', 'top', 'bottom'].every((side) => Math.abs(a[side] - b[side]) < 1)
}

function dropHeight(main) {
  hanging.disconnect()
  heading.disconnect()
  for (const name of ['--v-tall', '--v-rest']) main.style.removeProperty(name)
  delete main.dataset.vTall
}
