// Most websites start when their document is ready or loaded. After a visit it
// is both already, and a script made anew would wait for ever: what the scripts
// of the page register for it is called once they have run, in the order in
// which a browser says so after a load.
const readiness = [[document, 'readystatechange'], [document, 'DOMContentLoaded'], [window, 'DOMContentLoaded'], [window, 'load']]

// catchReady takes such listeners aside until the answer is called: with true
// it calls them too.
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
      if (target.addEventListener === add) delete target.addEventListener // else a later visit's, or an author's
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
