// Stores the scroll position of each history entry. The browser cannot restore it: it would
// scroll before the page is in place. Entries carry an id in their state; the positions are
// stored in sessionStorage, so they survive a full load.
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
    // Without storage, going back across a full load starts at the top.
  }
}

// enterEntry ensures that the current entry has an id.
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

// restorePlace scrolls back to the stored position. The page may not be long enough until its
// scripts have run: the returned function tries again, unless the visitor has scrolled meanwhile.
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
    // An id may contain a bare percent sign.
  }
  return id && (document.getElementById(id) || document.querySelector(`a[name="${CSS.escape(id)}"]`))
}
