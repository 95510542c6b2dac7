// Lists kept in this browser: the cart and the wishlist. A line has the fields
// of a cart line, {product_id, key, quantity, data} (document 2, 4.1), and what
// the page of the list shows of it: {name, path, price, image}.
const maxLines = 100
const maxQuantity = 9999

function readList(name) {
  try {
    const lines = JSON.parse(localStorage.getItem('v-' + name))
    return Array.isArray(lines) ? lines.filter((l) => l && l.product_id).map(sound) : []
  } catch {
    return [] // storage is off, or somebody else's value: an empty list
  }
}

// Anything on this host may have written the list.
function sound(line) {
  const quantity = Math.floor(Number(line.quantity)) || 1
  return {
    product_id: String(line.product_id), key: String(line.key || ''), data: line.data || {},
    quantity: Math.max(1, Math.min(quantity, maxQuantity)),
    name: String(line.name || ''), path: shopPath(line.path) || '/', price: Number(line.price) || 0, image: shopPath(line.image),
  }
}

// A path of this shop, '' for any other address.
function shopPath(path) {
  return /^\/(?![/\\])/.test(path || '') ? String(path) : ''
}

function writeList(name, lines) {
  try {
    localStorage.setItem('v-' + name, JSON.stringify(lines.slice(0, maxLines)))
    return true
  } catch {
    return false
  }
}

function sameLine(a, b) {
  return a.product_id === b.product_id && a.key === b.key
}

// Adding what is there already means one more of it in the cart, and nothing on
// the wishlist. The answer is false where nothing can be kept.
function addLine(name, line) {
  const lines = readList(name)
  const same = lines.find((l) => sameLine(l, line))
  if (!same) lines.push(line)
  else if (name === 'cart') same.quantity = Math.min(same.quantity + 1, maxQuantity)
  return writeList(name, lines)
}

function showCount() {
  const n = readList('cart').reduce((sum, l) => sum + l.quantity, 0)
  document.querySelectorAll('[data-v-cart-count]').forEach((e) => {
    e.hidden = n === 0
    e.textContent = n > 99 ? '99+' : n
  })
  document.querySelectorAll('[svc-cart-count]').forEach((e) => { e.textContent = n })
}

function showFavourites() {
  const kept = new Set(readList('wishlist').map((l) => l.product_id))
  document.querySelectorAll('[svc-fav]').forEach((e) => {
    e.setAttribute('aria-pressed', String(kept.has(e.getAttribute('svc-fav'))))
  })
}
