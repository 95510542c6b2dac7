// spreadOverflow does what browsers do: what html and body say of overflow is
// the window's. On a wrapper it would make a box that scrolls by itself, in which
// nothing sticks. One whose height is less than its content's is meant so.
function spreadOverflow() {
  const main = document.getElementById('v-content')
  let clips = false
  for (const wrapper of main?.querySelectorAll(':scope > .svc-body') || []) {
    const { overflowX: x, overflowY: y } = getComputedStyle(wrapper)
    if ((x === 'visible' && y === 'visible') || wrapper.scrollHeight > wrapper.clientHeight) continue
    clips ||= x === 'hidden' || x === 'clip'
    wrapper.style.overflow = 'visible'
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
  const [wrapper, other] = [...(main?.children || [])].filter((e) => !e.matches('[hidden], script, style'))
  if (other || !wrapper?.matches('.svc-body') || !wrapper.computedStyleMap || 'vTall' in main.dataset) return
  const styles = wrapper.computedStyleMap()
  const percent = (name) => styles.get(name)?.unit === 'percent' && styles.get(name).value > 0
  if (!percent('height') && !percent('min-height')) return
  main.dataset.vTall = percent('height') ? 'window' : 'content'
  if (percent('height')) [...wrapper.children].forEach((e) => hanging.observe(e))
}

function dropHeight(main) {
  hanging.disconnect()
  main.style.removeProperty('--v-tall')
  delete main.dataset.vTall
}
