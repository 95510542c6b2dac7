// Most websites start on DOMContentLoaded or load. On a page change both have already happened,
// and a recreated script would wait forever: the listeners that the scripts of the page add for
// them are called once the scripts have run, in the order of a browser's events.
const readiness = [[document, 'readystatechange'], [document, 'DOMContentLoaded'], [window, 'DOMContentLoaded'], [window, 'load']]

// catchReady intercepts such listeners until the returned function is called: with true it also
// calls them.
function catchReady() {
  const waiting = []
  const onload = window.onload
  const caught = [document, window].map((target) => {
    const add = function (type, listener, options) {
      const at = readiness.findIndex(([t, name]) => t === target && name === type)
      if (at < 0) return EventTarget.prototype.addEventListener.call(target, type, listener, options)
      if (listener && !waiting.some((w) => w.at === at && w.listener === listener)) waiting.push({ at, listener })
    }
    target.addEventListener = add
    return { target, add }
  })
  return (call) => {
    for (const { target, add } of caught) {
      if (target.addEventListener === add) delete target.addEventListener // otherwise it belongs to a later page or an author
    }
    if (!call) return
    waiting.sort((a, b) => a.at - b.at).forEach(({ at, listener }) => callReady(readiness[at], listener))
    if (window.onload && window.onload !== onload) callReady([window, 'load'], window.onload)
  }
}

function callReady([target, type], listener) {
  const event = new Event(type)
  Object.defineProperties(event, { target: { value: target }, currentTarget: { value: target } })
  try {
    if (typeof listener === 'function') listener.call(target, event)
    else listener.handleEvent(event)
  } catch (error) {
    reportError(error)
  }
}
