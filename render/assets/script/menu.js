// Folds menus of the header and lists of sort orders when another element is pressed, on Escape,
// and when the page is left. The header may be replaced with the page, so it is looked up on each
// event.
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
