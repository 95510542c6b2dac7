// swapPage puts the next page in the place of the live one: main always, of the
// rest what differs or has scripts that run again. Nodes that are in neither source were put there by a
// script; those of a layout, such as a chat window, stay. The answer is the page that is live
// now, null when a later visit has overtaken this one.
async function swapPage(live, next, still, moved) {
  const lists = ['head', 'before', 'after'].map((name) => [name, matched(live[name], next[name])])
  const incoming = lists.flatMap(([, m]) => m.added).concat(next.main)
  const copies = await loadStyles(incoming)
  if (!still()) {
    dropStyles(copies)
    return null
  }
  moved() // addresses of the new nodes resolve against the new address
  const out = { version: next.version, classes: next.classes, main: live.main }
  applyStyles(copies)
  for (const [name, m] of lists) out[name] = exchange(m, { head: document.head.firstChild, before: null, after: live.main }[name])
  leaveRoots(live, next.main.ownerDocument)
  document.body.classList.remove(...live.classes)
  document.body.classList.add(...next.classes)
  document.documentElement.lang = next.main.ownerDocument.documentElement.lang
  const content = [...next.main.childNodes]
  live.main.replaceChildren(...content)
  const order = [...lists[0][1].added, ...lists[1][1].added, live.main, ...lists[2][1].added]
  return { page: out, run: () => runScripts(order, still) }
}

// matched pairs the parts of two pages that have the same source, in order, but
// for those that are made anew in any case.
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

// exchange inserts what is new behind its neighbour and takes out what is gone.
function exchange({ parts, added, gone }, start) {
  let last = start
  for (const { node } of parts) {
    if (added.includes(node)) {
      if (last) last.after(node)
      else document.body.prepend(node)
    } else if (!node.isConnected) {
      continue // a script took it away, and it stays away
    }
    last = node
  }
  gone.forEach(({ node }) => node.remove())
  return parts
}
