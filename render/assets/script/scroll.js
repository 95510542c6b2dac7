// Where each entry of the history was scrolled to. The browser cannot restore
// it: it would scroll before the page is there. Entries carry an id in their
// state; the places outlive a full load in the session's storage.
let entry = ''
let keeping = true // false between two pages

const places = readPlaces()

function readPlaces() {
  try {
    return new Map(JSON.parse(sessionStorage.getItem('v-scroll')))
  } catch {
    return new Map()
  }
}

function keepPlace() {
  if (keeping) places.set(entry, [scrollX, scrollY])
}

function storePlaces() {
  keepPlace()
  try {
    sessionStorage.setItem('v-scroll', JSON.stringify([...places].slice(-50)))
  } catch {
    // Without storage, going back over a full load starts at the top.
  }
}

// enterEntry makes sure that the current entry has an id.
function enterEntry() {
  entry = history.state?.vitrine || ''
  if (entry) return
  entry = newEntry()
  history.replaceState({ ...history.state, vitrine: entry }, '')
}

function newEntry() {
  return Date.now().toString(36) + Math.random().toString(36).slice(2, 8)
}

function scrollToPlace(place) {
  scrollTo({ left: place[0], top: place[1], behavior: 'instant' })
}

// restorePlace scrolls back. Scripts may have yet to make the page that long:
// the answer tries again, unless the visitor has moved meanwhile.
function restorePlace() {
  const place = places.get(entry) || [0, 0]
  scrollToPlace(place)
  const reached = scrollY
  return () => {
    if (scrollY === reached && reached < place[1]) scrollToPlace(place)
  }
}

function anchor() {
  let id = location.hash.slice(1)
  try {
    id = decodeURIComponent(id)
  } catch {
    // An id may hold a bare percent sign.
  }
  return id && (document.getElementById(id) || document.querySelector(`a[name="${CSS.escape(id)}"]`))
}
