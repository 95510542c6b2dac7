// spreadOverflow does what browsers do: what html and body say of overflow is
// the window's. On a wrapper it would make a box that scrolls by itself, in which
// nothing sticks. One whose height is less than its content's is meant so.
const handed = new WeakSet() // wrappers whose overflow is the window's

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

// holdHeight gives a percentage of the window's height something to hold on to,
// where a website has its page to itself: what the shop's header leaves of the window.
// A height of the whole window, 100vh, is that much too, whichever class of html or
// body brings it: below the header the rest would be out of reach. What hangs out of a
// wrapper that is as tall as the window, as it does out of a body, pushes the footer
// down all the same.
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
  main.querySelectorAll(':scope > .svc-body').forEach(giveHeight) // to see what the website says itself
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

// rootHeight is the height that rules such as body.deck or html.deck > body give to the
// page's own body; they do not reach a wrapper. That of a class which only keeps the page
// from scrolling is none.
function rootHeight() {
  if (roots.some((root) => [...root.classList].some(locks))) return undefined
  return document.body.computedStyleMap().get('height')
}

// giveHeight takes away what holdHeight put in the style of a wrapper.
function giveHeight({ style }) {
  for (const name of ['height', 'min-height']) {
    if (style.getPropertyValue(name) === 'var(--v-rest)') style.removeProperty(name)
  }
}

// isWindow reports whether a length is the height of the window, with the bars of a
// phone's browser or without them.
function isWindow(px) {
  const probe = document.createElement('div')
  const tall = (height) => ((probe.style.cssText = 'position:fixed;visibility:hidden;height:' + height), probe.offsetHeight)
  document.documentElement.append(probe)
  const heights = [innerHeight, ...['100svh', '100lvh', '100dvh'].map(tall)]
  probe.remove()
  return heights.some((height) => Math.abs(height - px) < 1)
}

// placeHead says how much of the window what stands above the website leaves. The whole
// of it counts where hardly anything is left.
function placeHead(main) {
  if (!main) return
  const above = main.offsetTop // from body, which may be what scrolls
  main.style.setProperty('--v-rest', above < innerHeight / 2 ? `calc(100svh - ${above}px)` : '100svh')
}

// soleWrapper is that of a website which has its page to itself.
function soleWrapper(main) {
  const [wrapper, other] = [...(main?.children || [])].filter((e) => !e.matches('[hidden], script, style'))
  return !other && wrapper?.matches('.svc-body') ? wrapper : undefined
}

function fitHeights() {
  spreadOverflow()
  holdHeight()
}

// lendCanvas paints the window with what a wrapper is painted with, as it is for a
// body: around what its margins leave free, and below what lies below by a negative
// z-index. The wrapper's own background shows for as long as it is asked for.
function lendCanvas() {
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
