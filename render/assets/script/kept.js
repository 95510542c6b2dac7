// What this browser remembers of the visitor's cart and wishlist, so that shared cached pages can
// show it without a request: the number of units and the products. The server is authoritative;
// its pages and answers correct these values.
function remember(name, value) {
  try {
    localStorage.setItem('v-' + name, value)
  } catch {
    // storage is unavailable: nothing is shown
  }
}

function remembered(name) {
  try {
    return localStorage.getItem('v-' + name) || ''
  } catch {
    return ''
  }
}

function showCount() {
  const n = Number(remembered('units')) || 0
  document.querySelectorAll('[data-v-cart-count]').forEach((e) => {
    e.hidden = n === 0
    e.textContent = n > 99 ? '99+' : n
  })
  document.querySelectorAll('[svc-cart-count]').forEach((e) => { e.textContent = n })
}

function wishes() {
  return new Set(remembered('wishes').split(' ').filter(Boolean))
}

function showFavourites() {
  const kept = wishes()
  document.querySelectorAll('[svc-fav], [data-v-wish]').forEach((e) => {
    e.setAttribute('aria-pressed', String(kept.has(e.dataset.vWish || e.getAttribute('svc-fav'))))
  })
}

// storeState stores the values of a page or drawer from the server.
function storeState(e) {
  if (e?.dataset.vUnits !== undefined) remember('units', e.dataset.vUnits)
  if (e?.dataset.vWishes !== undefined) remember('wishes', e.dataset.vWishes)
  showCount()
  showFavourites()
}
