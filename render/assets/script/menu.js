// What folds out of a header, and the orders of a list, folds in again when something
// else is pressed, by Escape, and with its page. The header may be replaced by a visit,
// so it is looked up when something happens.
const openMenu = () => document.querySelector('.v-fold[open]')

function foldSubs(but) {
  document.querySelectorAll('.v-sub[open]').forEach((d) => { d.open = d.contains(but) })
}

function foldAll() {
  openMenu()?.removeAttribute('open')
  foldSubs(null)
}

function onMenuClick(event) {
  if (event.target instanceof Element) foldSubs(event.target)
}

function onMenuKey(event) {
  if (event.key !== 'Escape') return
  const open = document.querySelector('.v-sub[open]') || openMenu()
  if (!open) return
  open.open = false
  open.querySelector('summary').focus()
}
