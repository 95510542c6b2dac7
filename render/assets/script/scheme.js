// The choice between light, dark and the system's scheme. It applies only to the storefront's own
// markup: an uploaded document keeps its colours.
function showScheme() {
  const choice = document.querySelectorAll('[data-v-choice]')
  const chosen = choice.length ? remembered('scheme') : document.documentElement.dataset.vScheme
  choice.forEach((box) => {
    box.hidden = !CSS.supports('color', 'light-dark(#000, #fff)')
    box.querySelector('select').value = chosen
    document.documentElement.dataset.vScheme = chosen
  })
  const bars = [...document.querySelectorAll('meta[name="theme-color"][media]')]
  bars.forEach((m) => { m.dataset.vGiven ||= m.content })
  const bar = chosen && bars.find((m) => m.media.includes(chosen))
  bars.forEach((m) => { m.content = (bar || m).dataset.vGiven })
}

function onSchemeChange(event) {
  if (!within(event, '[data-v-choice]')) return
  remember('scheme', event.target.value)
  showScheme()
}
