// The page's own html and body. A website's scripts change them as if they were its own: they set
// classes, data attributes and styles there. The website's wrapper represents both, so these
// changes are copied to it, and rules such as .dark or [data-theme] apply to it as they did on
// the website alone. Only a class that does nothing but lock scrolling stays on body alone: on a
// wrapper it would create a scroll container.
const roots = [document.documentElement, document.body]
const painted = /^(--(?!v-)|opacity$|visibility$|background|color|font)/
const said = new Map(roots.map((root) => [root, new Set()])) // properties that were copied from a root to wrappers
const marks = new MutationObserver((changes) => {
  changes.forEach(copyMark)
  if (changes.some((c) => c.attributeName === 'class')) fitHeights()
  paintCanvas()
})

const wrappers = () => document.querySelectorAll('div.svc-body')

function copyMark({ target, attributeName: name, oldValue }) {
  if (name === 'class') copyClasses((oldValue || '').split(/\s+/), [...target.classList])
  else if (name === 'style') copyStyle(target)
  else if (name.startsWith('data-')) wrappers().forEach((w) => copyAttribute(w, name, target.getAttribute(name)))
}

function copyClasses(old, now) {
  const gone = old.filter((c) => c && !now.includes(c))
  const added = now.filter((c) => !old.includes(c) && !locks(c))
  wrappers().forEach((w) => {
    w.classList.remove(...gone)
    w.classList.add(...added)
  })
}

const known = new Map() // class names, and whether they only lock scrolling
const holding = /^(overflow|overscroll|touch-action|position$)/
const beside = /^(top|right|bottom|left|inset|((max|min)-)?(width|height)$|(padding|margin)-(right|inline-end)$|scroll)/

function locks(name) {
  if (!known.has(name)) {
    const set = setBy(name)
    known.set(name, set.some((p) => holding.test(p)) && set.every((p) => holding.test(p) || beside.test(p)))
  }
  return known.get(name)
}

// setBy lists the properties that a class sets on its element.
function setBy(name) {
  const probe = document.createElement('div')
  probe.className = [...wrappers()].map((w) => w.className).join(' ') + ' ' + name
  const own = (s) => s.includes('.' + name) && !/[^\s,][\s>+~]+\S/.test(s) && probe.matches(s)
  const read = (rules) => [...rules].flatMap((rule) => [
    ...(rule.style && rule.selectorText?.includes('.' + name) && rule.selectorText.split(',').some(own) ? rule.style : []),
    ...(rule.cssRules ? read(rule.cssRules) : []),
  ])
  return [...document.styleSheets].flatMap((sheet) => {
    try {
      return read(sheet.cssRules)
    } catch {
      return [] // of another host
    }
  })
}

function copyAttribute(node, name, value) {
  if (/^data-(svc-(base|below)|v-scheme)$/.test(name)) return
  if (value === null) node.removeAttribute(name)
  else node.setAttribute(name, value)
}

function copyStyle(root) {
  const before = said.get(root)
  const now = [...root.style].filter((p) => painted.test(p))
  wrappers().forEach((w) => {
    before.forEach((p) => now.includes(p) || w.style.removeProperty(p))
    now.forEach((p) => w.style.setProperty(p, root.style.getPropertyValue(p), root.style.getPropertyPriority(p)))
  })
  said.set(root, new Set(now))
}

// copyRootMarks copies the current state to wrappers that were just inserted. The classes of a body
// that a layout styles belong to the layout and are not copied.
function copyRootMarks() {
  marks.takeRecords()
  known.clear()
  for (const root of roots) {
    if (!root.matches('.svc-body')) copyClasses([], [...root.classList])
    copyStyle(root)
    for (const { name, value } of root.attributes) {
      if (name.startsWith('data-')) wrappers().forEach((w) => copyAttribute(w, name, value))
    }
    marks.observe(root, { attributes: true, attributeOldValue: true })
  }
  fitHeights()
  paintCanvas()
}

// resetRoots removes the changes that the scripts of the page being left made to html and body,
// and the elements they added to body: an open dialog would cover the next page. If there are
// scripts outside main, of a layout or a header, the changes may be theirs and stay, except those
// that lock scrolling.
function resetRoots(page, next) {
  delete page.main.dataset.vClip
  dropHeight(page.main)
  document.documentElement.style.removeProperty('--v-canvas')
  const kept = [...page.before, ...page.after].map((part) => part.node)
  if (kept.some(hasScripts)) {
    roots.forEach(({ style }) => ['overflow', 'overflow-x', 'overflow-y', 'position', 'padding-right'].forEach((p) => style.removeProperty(p)))
    return
  }
  endListeners()
  const theirs = [next.documentElement, next.body]
  roots.forEach((root, i) => {
    for (const name of root.getAttributeNames()) {
      if (!theirs[i].hasAttribute(name)) root.removeAttribute(name)
    }
  })
  for (const node of [...document.body.children]) {
    if (node !== page.main && !kept.includes(node) && !/^v-/.test(node.className)) node.remove()
  }
}

// endListeners removes the listeners that the scripts of a page added to document and window.
function endListeners() {
  if (!held.aware) held.list.forEach(([target, type, listener, options]) => target.removeEventListener(type, listener, options))
  held.list.length = 0
  held.aware = false
}

function hasScripts(node) {
  const all = node.querySelectorAll('script').length + node.matches('script')
  return all > (node.matches('.svc-head') ? 1 : 0) // one registers the document
}
