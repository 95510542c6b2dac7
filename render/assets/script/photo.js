// The picture gallery of the platform's product page: one picture is visible, thumbnails select
// it by a click or the arrow keys, a swipe shows the next one.
function choosePhoto(thumb) {
  const gallery = thumb.closest('[data-v-gallery]')
  gallery.querySelectorAll('.v-gallery__slide').forEach((s) => {
    const leaves = !s.hidden && s.id !== thumb.dataset.vPhoto
    s.hidden = s.id !== thumb.dataset.vPhoto
    if (leaves) stopPlayback(s)
  })
  gallery.querySelectorAll('[data-v-photo]').forEach((t) => t.removeAttribute('aria-current'))
  thumb.setAttribute('aria-current', 'true')
}

// stopPlayback stops the playback on a slide that is left.
function stopPlayback(slide) {
  slide.querySelectorAll('video, audio').forEach((m) => m.pause())
  slide.querySelectorAll('iframe').forEach((f) => { f.srcdoc += '' })
}

// The controls of video and audio use arrow keys and swipes themselves.
function plays(event) {
  return within(event, 'video, audio')
}

function turnPhoto(gallery, step) {
  const thumbs = [...gallery.querySelectorAll('[data-v-photo]')]
  const at = thumbs.findIndex((t) => t.hasAttribute('aria-current'))
  const next = thumbs[at + step]
  if (next) choosePhoto(next)
  return next
}

function onPhotoClick(event) {
  const thumb = within(event, '[data-v-photo]')
  if (!thumb || modified(event)) return
  event.preventDefault()
  choosePhoto(thumb)
}

function onPhotoKey(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  const gallery = step && within(event, '[data-v-gallery]')
  if (!gallery || modified(event) || plays(event)) return
  const thumb = turnPhoto(gallery, step)
  if (thumb && within(event, '[data-v-photo]') === event.target) thumb.focus()
}

let swipe = null

function onSwipeStart(event) {
  const gallery = event.touches.length === 1 && !plays(event) && within(event, '[data-v-gallery]')
  swipe = gallery ? { gallery, x: event.touches[0].clientX, y: event.touches[0].clientY } : null
}

function onSwipeEnd(event) {
  if (!swipe || !event.changedTouches.length) return
  const dx = event.changedTouches[0].clientX - swipe.x
  const dy = event.changedTouches[0].clientY - swipe.y
  if (Math.abs(dx) > 40 && Math.abs(dx) > 2 * Math.abs(dy)) turnPhoto(swipe.gallery, dx < 0 ? 1 : -1)
  swipe = null
}
