// Scripts of a page that was swapped in. A parsed script never runs, so each is recreated in its
// place, in the order of the page (document 3, 4.6.5): a classic script blocks those after it
// until it has run; deferred scripts and modules run after the others, in order; async scripts
// run at any time. A script that fails or hangs does not block the others. But some scripts can
// run only once in a window: runScripts returns false when one fails for this reason, and the
// page has to be loaded in full.
const programs = /^(|module|importmap|(text|application)\/(x-)?(java|ecma|j|live)script|text\/javascript1\.[0-5])$/i
const longestScript = 10000 // ms
const onlyOnce = /has already been (declared|used)|redeclaration of|duplicate variable/i
const importMaps = new Set([...document.querySelectorAll('script[type=importmap i]')].map((s) => s.text))

async function runScripts(nodes, still) {
  const scripts = nodes.flatMap((n) => (n.localName === 'script' ? [n] : [...n.querySelectorAll('script')])).filter(isProgram)
  const later = scripts.filter(isLater)
  keepWriting()
  const ready = catchReady()
  let refused = false
  const onError = (event) => {
    if (!onlyOnce.test(event.message)) return
    refused = true
    event.preventDefault()
  }
  window.addEventListener('error', onError)
  try {
    for (const script of scripts) {
      if (!still() || refused) return !refused
      if (!later.includes(script)) await runScript(script)
    }
    await Promise.race([runLater(later), pause(longestScript)])
    return !refused
  } finally {
    window.removeEventListener('error', onError)
    ready(still() && !refused)
  }
}

function isProgram(script) {
  if (script.type === 'importmap') {
    const known = importMaps.has(script.text)
    importMaps.add(script.text)
    return !known
  }
  return script.isConnected && programs.test((script.getAttribute('type') || '').trim())
}

const external = (script) => script.hasAttribute('src') || script.hasAttribute('href')
const isModule = (script) => script.type === 'module'
const isLater = (script) => !script.async && (isModule(script) || (script.defer && external(script)))

// The global of the document that a script belongs to (document 3, 4.6.5) is set before the
// script runs, since the script before it may belong to another document.
function fresh(script) {
  const base = script.closest('.svc-body')?.dataset.svcBase
  if (base) window.SVC_ASSET_BASE = base
  const made = document.createElementNS(script.namespaceURI, 'script')
  for (const a of script.attributes) made.setAttributeNS(a.namespaceURI, a.name, a.value)
  made.textContent = script.textContent
  return made
}

function runScript(script) {
  if (!script.isConnected) return // a script before it removed it
  const waits = external(script) && !script.async && !script.noModule && script.type !== 'importmap'
  const made = fresh(script)
  if (!script.async && 'async' in made) made.async = false
  const done = waits && Promise.race([settled(made), pause(longestScript)])
  insert(made, script)
  return done
}

// A browser runs a module once per address. A changed fragment makes it a different module
// without loading it again: its imports are not run again.
let again = 0
const modules = new Set([...document.querySelectorAll('script[type=module i][src]')].map((s) => s.src))

function insert(made, script) {
  const src = isModule(made) && made.getAttribute('src')
  if (src && modules.has(made.src)) made.src = made.src.split('#')[0] + '#' + ++again
  else if (src) modules.add(made.src)
  script.replaceWith(made)
  if (src) made.setAttribute('src', src)
}

// Modules and deferred scripts with async off keep their order. An inline module has no load
// event, so the storefront's own script, a module that has already run, is appended last and
// signals that all have run.
async function runLater(scripts) {
  if (!scripts.length) return
  const last = document.createElement('script')
  last.type = 'module'
  last.async = false
  last.src = import.meta.url
  const done = settled(last)
  for (const script of scripts) runOrdered(script)
  document.head.append(last)
  await done
  last.remove()
}

function runOrdered(script) {
  if (!script.isConnected) return
  const made = fresh(script)
  made.async = false
  insert(made, script)
}

// document.write would erase a page that has been parsed: the text that a script writes is
// inserted before the script, as the parser would do, and dropped if there is no current script.
function keepWriting() {
  document.write = (...texts) => document.currentScript?.insertAdjacentHTML('beforebegin', texts.join(''))
  document.writeln = (...texts) => document.write(...texts, '\n')
}
