// What folds out of a header, and the orders of a list, folds in again when something
// else is pressed, by Escape, and with its page. The header may be replaced by a visit,
// so it is looked up when something happens.
function foldMenu(open) {
  document.getElementById('v-nav')?.classList.toggle('v-nav--open', open)
  document.querySelector('.v-burger')?.setAttribute('aria-expanded', String(open))
}

function foldSubs(but) {
  document.querySelectorAll('.v-sub[open]').forEach((d) => { d.open = d.contains(but) })
}

function foldAll() {
  foldMenu(false)
  foldSubs(null)
}

const menuOpen = () => document.querySelector('#v-nav.v-nav--open') !== null

function dressMenu() {
  const burger = document.querySelector('.v-burger')
  if (burger && document.getElementById('v-nav')) burger.hidden = false
}

function onMenuClick(event) {
  if (!(event.target instanceof Element)) return
  if (within(event, '.v-burger')) foldMenu(!menuOpen())
  foldSubs(event.target)
}

function onMenuKey(event) {
  if (event.key !== 'Escape') return
  const open = document.querySelector('.v-sub[open]')
  if (open) {
    open.open = false
    open.querySelector('summary').focus()
  } else if (menuOpen()) {
    foldMenu(false)
    document.querySelector('.v-burger').focus()
  }
}
