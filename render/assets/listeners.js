// Alone, what a website's scripts listen to on document and window ends with its
// page, and after a visit they listen anew. This notes it, from before the first
// script of a page, so that root.js can end it when the page is left. Scripts
// that know of svc:navigate look after themselves.
{
  const held = { list: [], aware: false }
  Object.defineProperty(window, Symbol.for('vitrine'), { value: held })
  const add = EventTarget.prototype.addEventListener
  EventTarget.prototype.addEventListener = function addEventListener(type, listener, options) {
    const target = this || window
    if (type === 'svc:navigate') held.aware ||= Boolean(document.currentScript)
    else if (listener && (target === window || target === document) && !held.paused) held.list.push([target, type, listener, options])
    return add.call(target, type, listener, options)
  }
}
