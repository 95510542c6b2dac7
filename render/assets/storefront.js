// What the storefront adds where scripts run: the folding menu, the gallery,
// and a cart and wishlist kept in this browser. Pages work without it.
(function () {
  'use strict'

  // ---- lists in the browser: [{id, name, path, price, image, quantity}] ----
  var maxLines = 100
  var maxQuantity = 9999

  function read(list) {
    try {
      var lines = JSON.parse(localStorage.getItem('v-' + list))
      return Array.isArray(lines) ? lines.filter(function (l) { return l && l.id && l.path }) : []
    } catch (e) {
      return [] // storage is off, or somebody else's value: an empty list
    }
  }

  function write(list, lines) {
    try {
      localStorage.setItem('v-' + list, JSON.stringify(lines.slice(0, maxLines)))
      return true
    } catch (e) {
      return false
    }
  }

  function count() {
    return read('cart').reduce(function (n, l) { return n + (l.quantity || 1) }, 0)
  }

  function showCount() {
    var n = count()
    document.querySelectorAll('[data-v-cart-count]').forEach(function (e) {
      e.hidden = n === 0
      e.textContent = n > 99 ? '99+' : n
    })
    document.querySelectorAll('[svc-cart-count]').forEach(function (e) { e.textContent = n })
  }

  function add(list, line) {
    var lines = read(list)
    var same = lines.find(function (l) { return l.id === line.id })
    if (same) {
      if (list === 'cart') same.quantity = Math.min((same.quantity || 1) + 1, maxQuantity)
    } else {
      lines.push(line)
    }
    return write(list, lines)
  }

  document.addEventListener('click', function (event) {
    var button = event.target.closest && event.target.closest('[data-v-add]')
    if (!button || event.metaKey || event.ctrlKey || event.shiftKey) return
    var d = button.dataset
    var line = { id: d.vId, name: d.vName, path: d.vPath, price: Number(d.vPrice) || 0, image: d.vImage, quantity: 1 }
    if (!add(d.vAdd, line)) return // follow the link: there is nowhere to keep it
    event.preventDefault()
    showCount()
    var status = document.querySelector('[data-v-status]')
    if (!status) return
    var link = document.createElement('a')
    link.href = button.getAttribute('href')
    link.textContent = d.vAdd === 'cart' ? status.dataset.vAdded : status.dataset.vSaved
    status.replaceChildren(link)
  })

  // ---- the page of a list ----
  function money(root, amount) {
    if (amount <= 0) return ''
    var d = root.dataset
    var number = String(amount).replace(/\B(?=(\d{3})+$)/g, d.vGroup)
    return 'vAfter' in d ? number + '\u00a0' + d.vSign : d.vSign + number
  }

  function drawLine(root, line) {
    var item = root.querySelector('template').content.firstElementChild.cloneNode(true)
    // Only paths of this shop: the list may have been written by anything on this host.
    var path = /^\/(?!\/)/.test(line.path) ? line.path : '/'
    item.querySelectorAll('a').forEach(function (a) { a.setAttribute('href', path) })
    item.querySelector('.v-line__name').textContent = line.name
    item.querySelector('.v-line__each').textContent = money(root, line.price)
    if (/^\/(?!\/)/.test(line.image || '')) {
      var img = item.querySelector('img')
      img.src = line.image
      img.hidden = false
    }
    var quantity = item.querySelector('output')
    if (quantity) {
      quantity.textContent = line.quantity
      item.querySelector('.v-line__sum').textContent = money(root, line.price * line.quantity)
    }
    item.dataset.vLine = line.id
    return item
  }

  function drawList(root) {
    var lines = read(root.dataset.vList)
    lines.forEach(function (l) { l.quantity = Math.max(1, Math.min(Number(l.quantity) || 1, maxQuantity)) })
    root.hidden = lines.length === 0
    var empty = document.querySelector('[data-v-empty]')
    if (empty) empty.hidden = lines.length > 0
    root.querySelector('.v-lines').replaceChildren.apply(root.querySelector('.v-lines'), lines.map(function (l) { return drawLine(root, l) }))
    var total = root.querySelector('[data-v-total]')
    if (total) total.textContent = money(root, lines.reduce(function (sum, l) { return sum + l.price * l.quantity }, 0))
    showCount()
  }

  function change(root, id, action) {
    var lines = read(root.dataset.vList)
    var i = lines.findIndex(function (l) { return l.id === id })
    if (i < 0) return
    if (action === 'remove') lines.splice(i, 1)
    else lines[i].quantity = Math.max(1, Math.min((lines[i].quantity || 1) + (action === 'more' ? 1 : -1), maxQuantity))
    write(root.dataset.vList, lines)
    drawList(root)
    var again = root.querySelector('[data-v-line="' + CSS.escape(id) + '"] [data-v-' + action + ']')
    if (again) again.focus()
  }

  var list = document.querySelector('[data-v-list]')
  if (list) {
    drawList(list)
    list.addEventListener('click', function (event) {
      var line = event.target.closest('[data-v-line]')
      var action = ['less', 'more', 'remove'].find(function (a) { return event.target.closest('[data-v-' + a + ']') })
      if (line && action) change(list, line.dataset.vLine, action)
    })
  }
  showCount()
  window.addEventListener('storage', function () {
    showCount()
    if (list) drawList(list)
  })

  // ---- menu ----
  var burger = document.querySelector('.v-burger')
  var nav = document.getElementById('v-nav')
  function fold(open) {
    nav.classList.toggle('v-nav--open', open)
    burger.setAttribute('aria-expanded', String(open))
  }
  if (burger && nav) {
    burger.hidden = false
    burger.addEventListener('click', function () { fold(!nav.classList.contains('v-nav--open')) })
    document.addEventListener('keydown', function (event) {
      if (event.key !== 'Escape') return
      var open = nav.querySelector('details[open]')
      if (open) {
        open.open = false
        open.querySelector('summary').focus()
      } else if (nav.classList.contains('v-nav--open')) {
        fold(false)
        burger.focus()
      }
    })
    document.addEventListener('click', function (event) {
      nav.querySelectorAll('details[open]').forEach(function (d) {
        if (!d.contains(event.target)) d.open = false
      })
    })
  }

  // ---- gallery ----
  document.querySelectorAll('[data-v-gallery]').forEach(function (gallery) {
    gallery.addEventListener('click', function (event) {
      var thumb = event.target.closest('[data-v-photo]')
      if (!thumb || event.metaKey || event.ctrlKey || event.shiftKey) return
      event.preventDefault()
      gallery.querySelectorAll('.v-gallery__slide').forEach(function (s) { s.hidden = s.id !== thumb.dataset.vPhoto })
      gallery.querySelectorAll('[data-v-photo]').forEach(function (t) { t.toggleAttribute('aria-current', t === thumb) })
      thumb.setAttribute('aria-current', 'true')
    })
  })

  // ---- uploaded documents hear of every arrival (document 3, 4.6.5) ----
  function arrived() {
    document.dispatchEvent(new CustomEvent('svc:navigate', { detail: { path: location.pathname } }))
  }
  if (document.readyState === 'complete') arrived()
  else document.addEventListener('DOMContentLoaded', arrived)
  window.addEventListener('pageshow', function (event) {
    if (!event.persisted) return
    showCount()
    if (list) drawList(list)
    arrived()
  })
})()
