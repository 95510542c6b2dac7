// swapPage replaces the live page by the next one: main always, and of the rest the parts that
// differ or have scripts that run again. Nodes that are in neither source were added by a script;
// those added by a layout's scripts, such as a chat window, stay. It returns the new live page
// and a function that runs its scripts, or null if a later navigation has superseded this one.
async function swapPage(live, next, still, moved) {
  const lists = ['head', 'before', 'after'].map((name) => [name, matched(live[name], next[name])])
  const incoming = lists.flatMap(([, m]) => m.added).concat(next.main)
  const copies = await loadStyles(incoming)
  if (!still()) {
    dropStyles(copies)
    return null
  }
  unlockScrolling()
  moved() // addresses of the new nodes resolve against the new address
  const out = { version: next.version, classes: next.classes, main: live.main }
  applyStyles(copies)
  for (const [name, m] of lists) out[name] = exchange(m, { head: document.head.firstChild, before: null, after: live.main }[name])
  resetRoots(live, next.main.ownerDocument)
  document.body.classList.remove(...live.classes)
  document.body.classList.add(...next.classes)
  document.documentElement.lang = next.main.ownerDocument.documentElement.lang
  const content = [...next.main.childNodes]
  live.main.replaceChildren(...content)
  const order = [...lists[0][1].added, ...lists[1][1].added, live.main, ...lists[2][1].added]
  return { page: out, run: () => runScripts(order, still) }
}

// matched pairs the parts of two pages with equal sources, in order, except those that are always
// recreated.
function matched(old, next) {
  const gone = []
  const added = []
  let i = 0
  const parts = next.map((part) => {
    const j = part.renew ? -1 : old.findIndex((o, k) => k >= i && o.source === part.source)
    if (j < 0) {
      added.push(part.node)
      return part
    }
    gone.push(...old.slice(i, j))
    i = j + 1
    return old[j]
  })
  gone.push(...old.slice(i))
  return { parts, added, gone }
}

// exchange inserts new parts after their neighbours and removes old ones.
function exchange({ parts, added, gone }, start) {
  let last = start
  for (const { node } of parts) {
    if (added.includes(node)) {
      if (last) last.after(node)
      else document.body.prepend(node)
    } else if (!node.isConnected) {
      continue // a script removed it, and it stays removed
    }
    last = node
  }
  gone.forEach(({ node }) => node.remove())
  return parts
}
