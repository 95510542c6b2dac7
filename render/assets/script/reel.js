// Tiles with videos. A tile is a link to its video; here the video plays in a dialog over the
// page, followed by the next one if the widget is set so. Automatic movement stops for good when
// the visitor interacts with it.
function enhanceReels() {
  document.querySelectorAll('[data-v-reels]:not([data-v-dressed])').forEach((list) => {
    list.dataset.vDressed = ''
    if (list.dataset.vDrift && !reducedMotion()) drift(list)
    const lengths = new IntersectionObserver((seen) => seen.forEach((e) => {
      if (!e.isIntersecting) return
      lengths.unobserve(e.target)
      showLength(e.target)
    }))
    list.querySelectorAll('[data-v-reel]:has([data-v-length])').forEach((tile) => lengths.observe(tile))
  })
}

function filmOf(tile, more) {
  return tile.querySelector('video') || Object.assign(document.createElement('video'), { preload: 'metadata', muted: true, playsInline: true, src: tile.href, ...more })
}

function showLength(tile) {
  const film = filmOf(tile)
  const show = () => {
    const s = Math.round(film.duration)
    if (s < 36000) tile.querySelector('[data-v-length]').textContent = Math.floor(s / 60) + ':' + String(s % 60).padStart(2, '0')
  }
  if (film.readyState) show()
  else film.addEventListener('loadedmetadata', show, { once: true })
}

function drift(list) {
  const speed = { slow: 15, mid: 30, fast: 60 }[list.dataset.vDrift] // px per second
  const held = new AbortController()
  for (const kind of ['pointerdown', 'touchstart', 'wheel', 'keydown', 'focusin']) list.addEventListener(kind, () => held.abort(), { passive: true, signal: held.signal })
  let last = 0
  let way = 1
  let x = list.scrollLeft
  const step = (now) => {
    if (held.signal.aborted || !list.isConnected) return
    if (last && !list.matches(':hover')) {
      x += (way * speed * Math.min(now - last, 100)) / 1000
      if (x <= 0 || x >= list.scrollWidth - list.clientWidth) way = x <= 0 ? 1 : -1
      list.scrollLeft = x
    } else x = list.scrollLeft
    last = now
    requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
}

// A video plays without sound while the pointer is over its tile.
function onReelPoint(event) {
  const tile = within(event, '[data-v-reel]')
  if (!tile || reducedMotion() || tile.querySelector('.v-reels__film--on') || !tile.closest('[data-v-reels]').dataset.vReels.includes('hover')) return
  const film = filmOf(tile, { loop: true })
  film.classList.add('v-reels__film', 'v-reels__film--on')
  if (!film.isConnected) tile.append(film)
  film.play().catch(() => {})
  tile.addEventListener('mouseleave', () => {
    film.pause()
    film.classList.remove('v-reels__film--on')
  }, { once: true })
}

function onReelClick(event) {
  const tile = within(event, '[data-v-reel]')
  if (!tile || event.defaultPrevented || modified(event)) return
  event.preventDefault()
  const list = tile.closest('[data-v-reels]')
  const how = list.dataset.vReels
  const tiles = [...list.querySelectorAll('[data-v-reel]')]
  const film = Object.assign(document.createElement('video'), { controls: true, playsInline: true })
  const dialog = openDialog('v-film', film, tile)
  let at = tiles.indexOf(tile)
  const show = () => {
    film.src = tiles[at].href
    film.setAttribute('aria-label', tiles[at].getAttribute('aria-label'))
    film.play().catch(() => {})
  }
  film.addEventListener('ended', () => {
    if (!how.includes('autoAdvance')) return
    at += 1
    if (at === tiles.length && !how.includes('loopAll')) return dialog.close()
    at %= tiles.length
    show()
  })
  show()
}
