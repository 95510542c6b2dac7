// The folding menu of the default header. The header may be replaced by a
// visit, so it is looked up when something happens.
function foldMenu(open) {
  document.getElementById('v-nav').classList.toggle('v-nav--open', open)
  document.querySelector('.v-burger').setAttribute('aria-expanded', String(open))
}

function dressMenu() {
  const burger = document.querySelector('.v-burger')
  if (burger && document.getElementById('v-nav')) burger.hidden = false
}

function onMenuClick(event) {
  const nav = document.getElementById('v-nav')
  if (!nav || !(event.target instanceof Element)) return
  if (within(event, '.v-burger')) foldMenu(!nav.classList.contains('v-nav--open'))
  nav.querySelectorAll('details[open]').forEach((d) => {
    if (!d.contains(event.target)) d.open = false
  })
}

function onMenuKey(event) {
  const nav = document.getElementById('v-nav')
  if (event.key !== 'Escape' || !nav) return
  const open = nav.querySelector('details[open]')
  if (open) {
    open.open = false
    open.querySelector('summary').focus()
  } else if (nav.classList.contains('v-nav--open')) {
    foldMenu(false)
    document.querySelector('.v-burger').focus()
  }
}
