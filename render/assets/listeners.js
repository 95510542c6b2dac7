// When a website is a whole page by itself, the listeners its scripts add to document and window
// end with the page, and are added again on the next load. This records them, starting before the
// first script of a page, so that root.js can remove them when the page is left. Scripts that
// listen to svc:navigate clean up themselves.
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
