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
// where a website has its page to itself. What hangs out of a wrapper that is as
// tall as the window, as it does out of a body, pushes the footer down all the same.
const hanging = new ResizeObserver(() => {
  const main = document.getElementById('v-content')
  const wrapper = main?.querySelector(':scope > .svc-body')
  if (wrapper) main.style.setProperty('--v-tall', wrapper.offsetTop - main.offsetTop + wrapper.scrollHeight + 'px')
})

function holdHeight() {
  const main = document.getElementById('v-content')
  const wrapper = soleWrapper(main)
  const styles = wrapper?.computedStyleMap?.()
  const percent = (name) => styles?.get(name)?.unit === 'percent' && styles.get(name).value > 0
  const held = percent('height') ? 'window' : percent('min-height') ? 'content' : undefined
  if (main?.dataset.vTall === held) return
  dropHeight(main)
  if (held) main.dataset.vTall = held
  if (held === 'window') [...wrapper.children].forEach((e) => hanging.observe(e))
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
  main.style.removeProperty('--v-tall')
  delete main.dataset.vTall
}
