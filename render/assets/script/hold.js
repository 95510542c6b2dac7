// A menu or dialog opened by an author's script often locks scrolling, by a class or a style of
// html or body. When its page is replaced, it is gone, so its lock is removed, even if other
// changes to html and body stay (resetRoots).
let free = null // html and body when the page had arrived and was scrollable

function isHeld() {
  return roots.some((e) => {
    const style = getComputedStyle(e)
    return style.overflowY === 'hidden' || style.position === 'fixed'
  })
}

function saveScrollableState() {
  free = isHeld() ? null : roots.map((e) => [e.className, e.style.cssText])
}

function unlockScrolling() {
  if (!free || !isHeld()) return
  roots.forEach((e, i) => {
    e.className = free[i][0]
    e.style.cssText = free[i][1]
  })
}
