// The full-size pictures of a product or a review, in a dialog over the page: a strip moved by
// touch, wheel, arrows and arrow keys (slider.js). A click enlarges a picture, which can then be
// panned; pinch gestures are the browser's. Without a script a picture is a link to its file.
function onZoom(event) {
  const link = within(event, '[data-v-zoom]')
  const gallery = link?.closest('[data-v-gallery], .v-slides')
  if (!gallery || event.defaultPrevented || modified(event)) return
  event.preventDefault()
  const links = [...gallery.querySelectorAll('[data-v-zoom]')]
  const strip = document.createElement('div')
  strip.className = 'v-zoom__strip'
  strip.setAttribute('svc-gallery', '')
  strip.append(...links.map(enlarged))
  const dialog = openDialog('v-zoom', strip, link)
  dialog.setAttribute('aria-label', words().vGalleryName)
  enhanceSliders()
  const slides = [...strip.children]
  const at = links.indexOf(link)
  strip.scrollLeft = offsetIn(strip, slides[at])
  strip.focus()
  dialog.addEventListener('keydown', (e) => e.target !== strip && onSliderKey({ ...keyOf(e), target: strip }, strip, slides))
  strip.addEventListener('click', (e) => nearer(within(e, '.v-zoom__slide'), e))
  let last = at
  strip.addEventListener('scroll', () => { if (strip.clientWidth) last = currentSlide(strip, slides) }, { passive: true })
  dialog.addEventListener('close', () => {
    const thumb = gallery.querySelector(`[data-v-photo="${links[last].id}"]`)
    if (thumb) choosePhoto(thumb)
    links[last].focus({ preventScroll: true })
  })
}

const keyOf = (e) => ({ key: e.key, metaKey: e.metaKey, ctrlKey: e.ctrlKey, shiftKey: e.shiftKey, altKey: e.altKey, preventDefault: () => e.preventDefault() })

function enlarged(link) {
  const small = link.querySelector('img')
  const slide = document.createElement('div')
  slide.className = 'v-zoom__slide'
  const img = document.createElement('img')
  img.alt = small.alt
  img.loading = 'lazy'
  img.src = small.dataset.vVariant ? small.src.replace(/\/w\/\d+\//, '/w/2560/') : link.href
  slide.append(img)
  return slide
}

// nearer enlarges the picture around the clicked point, or shows the whole picture again.
function nearer(slide, { clientX, clientY }) {
  if (!slide) return
  const box = slide.querySelector('img').getBoundingClientRect()
  const on = slide.classList.toggle('v-zoom__slide--near')
  slide.parentElement.classList.toggle('v-zoom__strip--held', on)
  if (!on) return
  slide.scrollLeft = ((clientX - box.left) / box.width) * slide.scrollWidth - slide.clientWidth / 2
  slide.scrollTop = ((clientY - box.top) / box.height) * slide.scrollHeight - slide.clientHeight / 2
}
