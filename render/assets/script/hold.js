// A menu or dialog that an author's script has opened often holds the page in
// place, by a class or a style of html or body. After a visit it is gone with its
// page, so what it did there is taken back, also where other marks on html and
// body stay (leaveRoots).
let free = null // html and body when the page had arrived and could be scrolled

function isHeld() {
  return roots.some((e) => {
    const style = getComputedStyle(e)
    return style.overflowY === 'hidden' || style.position === 'fixed'
  })
}

function keepFree() {
  free = isHeld() ? null : roots.map((e) => [e.className, e.style.cssText])
}

function letGo() {
  if (!free || !isHeld()) return
  roots.forEach((e, i) => {
    e.className = free[i][0]
    e.style.cssText = free[i][1]
  })
}
