// A page as it was sent: the nodes of head, those of body before main, main, and those after it.
// Each node is kept with its source, since scripts may have changed the node by the time the next
// page is compared.
function pageOf(doc) {
  const main = mainOf(doc)
  const all = [...doc.body.children]
  const at = all.indexOf(main)
  return {
    main, version: versionOf(doc), classes: [...doc.body.classList], head: partsOf([...doc.head.children]), before: partsOf(all.slice(0, at)), after: partsOf(all.slice(at + 1)),
  }
}

function mainOf(doc) {
  return [...doc.body.children].find((e) => e.localName === 'main' && e.id === 'v-content')
}

function partsOf(nodes) {
  return nodes.map((node) => ({ node, source: node.outerHTML, renew: runsAgain(node) }))
}

// runsAgain reports whether a part belongs to an html document of the header or the footer with
// scripts. Those scripts run again on every page change (document 3, 4.6.5), on fresh markup as
// they expect it; a part without scripts stays in place.
function runsAgain(node) {
  const wrapper = node.matches('.svc-head') ? node.nextElementSibling : node
  if (!wrapper?.matches('.svc-body[data-svc-base]')) return false
  const head = wrapper.previousElementSibling
  const registry = head?.matches('.svc-head') ? head.querySelectorAll('script').length - 1 : 0
  return registry + wrapper.querySelectorAll('script').length > 0
}

// versionOf identifies the storefront's own files. Pages of another version, pages of the guarded
// zones and of a closed shop, and responses that are not pages of the shop are loaded in full;
// for the latter three it returns ''.
function versionOf(doc) {
  const script = doc.querySelector('script[src^="/_vitrine/storefront."]')
  const sheet = doc.querySelector('link[href^="/_vitrine/storefront."]')
  if (!script || !sheet || !mainOf(doc) || script.hasAttribute('data-v-full')) return ''
  return script.getAttribute('src') + ' ' + sheet.getAttribute('href')
}

// parsePage parses a page without running or loading anything in it. Since scripting is off in
// the parser, it parses the content of noscript; that is turned into text again, or it would
// become active on the page. The source is compared as it was sent.
function parsePage(text) {
  const doc = parsed(text)
  const page = pageOf(doc)
  closeNoscript(doc)
  nameForms(doc)
  return page
}

// parsed parses with shadow roots where the browser can. Chromium drops comments unless a sanitizer is
// named; this one keeps everything.
const parsed = (text) => Document.parseHTMLUnsafe?.(text, { sanitizer: {} }) || new DOMParser().parseFromString(text, 'text/html')

function closeNoscript(root) {
  root.querySelectorAll('noscript').forEach((n) => { n.textContent = n.innerHTML })
  root.querySelectorAll('template').forEach((t) => closeNoscript(t.content))
}

// A form that begins between a table and its cells, as in old layouts, does not contain its
// fields; the parser associates them by the position of the tags. This association is lost when
// nodes move, so the fields get a form attribute.
const spread = ':is(table, tbody, thead, tfoot, tr) > form:empty'

function nameForms(doc) {
  const named = new Set()
  doc.querySelectorAll(spread).forEach((form, n) => {
    if (!form.getAttribute('id')) form.setAttribute('id', 'v-form-' + n)
    let table = form.closest('table')
    for (let outer = table; outer; outer = outer.parentElement.closest('table')) table = outer
    table.querySelectorAll('input, select, textarea, button, output, fieldset, object').forEach((field) => {
      const other = field.closest('form') || (field.hasAttribute('form') && !named.has(field))
      if (other || !(form.compareDocumentPosition(field) & Node.DOCUMENT_POSITION_FOLLOWING)) return
      field.setAttribute('form', form.getAttribute('id'))
      named.add(field)
    })
  })
}
