// svc-gallery: the children of the element become the slides of a strip with scroll snapping, so
// that touch, wheel and arrow keys work natively. Arrows and thumbnails are in a bar after it.
// Without script, or if the author's own layout does not scroll, the pictures stay as they are.
function enhanceSliders() {
  document.querySelectorAll('[svc-gallery]:not([data-v-slides])').forEach((strip) => {
    const slides = [...strip.children].filter((s) => !s.matches('script, style, template'))
    if (slides.length < 2) return
    strip.dataset.vSlides = slides.length
    strip.tabIndex = 0
    if (!strip.hasAttribute('role')) strip.setAttribute('role', 'group')
    if (!strip.hasAttribute('aria-label')) strip.setAttribute('aria-label', words().vGalleryName)
    const bar = sliderBar(strip, slides)
    strip.after(bar)
    playSlides(strip, slides, bar)
    strip.addEventListener('scroll', () => markSlide(strip, slides, bar), { passive: true })
    strip.addEventListener('keydown', (event) => onSliderKey(event, strip, slides))
    new ResizeObserver(() => {
      bar.hidden = strip.scrollWidth <= strip.clientWidth + 1
      markSlide(strip, slides, bar)
    }).observe(strip)
  })
}

function sliderBar(strip, slides) {
  const bar = document.createElement('div')
  bar.className = 'v-slider'
  const thumbs = slides.map((slide, i) => {
    const thumb = sliderButton('v-slider__thumb', words().vPicture + ' ' + (i + 1), () => showSlide(strip, slides[i]))
    const picture = slide.matches('img') ? slide : slide.querySelector('img')
    if (picture) thumb.append(thumbOf(picture))
    else thumb.textContent = i + 1
    return thumb
  })
  const turn = (step) => () => showSlide(strip, slides[currentSlide(strip, slides) + step])
  bar.append(
    sliderButton('v-slider__turn', words().vPrevious, turn(-1), '‹'), ...thumbs,
    sliderButton('v-slider__turn', words().vNext, turn(1), '›'))
  return bar
}

// playSlides advances the slides automatically if the shop set this, except while the pointer or
// the focus is on them. A button pauses it.
function playSlides(strip, slides, bar) {
  const seconds = +strip.dataset.vAutoplay
  if (!seconds || reducedMotion()) return
  let playing = true
  const button = sliderButton('v-slider__play', words().vPause, () => {
    playing = !playing
    button.textContent = playing ? '❚❚' : '▶'
    button.setAttribute('aria-label', playing ? words().vPause : words().vPlay)
  }, '❚❚')
  bar.append(button)
  const timer = setInterval(() => {
    if (!strip.isConnected) clearInterval(timer)
    else if (playing && !document.hidden && !strip.parentElement.matches(':hover, :has(:focus-visible)')) showSlide(strip, slides[(currentSlide(strip, slides) + 1) % slides.length])
  }, Math.max(seconds, 2) * 1000)
}

function sliderButton(name, label, press, text) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = name
  button.setAttribute('aria-label', label)
  if (text) button.textContent = text
  button.addEventListener('click', press)
  return button
}

// A picture of the shop has a smaller version; other pictures are used as they are.
function thumbOf(picture) {
  const img = document.createElement('img')
  img.alt = ''
  img.loading = 'lazy'
  img.src = (picture.getAttribute('src') || '').replace(/^\/w\/\d+\//, '/w/320/')
  return img
}

function offsetIn(strip, slide) {
  return slide.getBoundingClientRect().left - strip.getBoundingClientRect().left + strip.scrollLeft - strip.clientLeft
}

function currentSlide(strip, slides) {
  const distance = slides.map((s) => Math.abs(offsetIn(strip, s) - strip.scrollLeft))
  return distance.indexOf(Math.min(...distance))
}

// showSlide scrolls to a slide, in a slideshow with the transition set by the shop.
function showSlide(strip, slide) {
  if (!slide) return
  const how = strip.closest('[data-v-transition]')?.dataset.vTransition
  strip.scrollTo({ left: offsetIn(strip, slide), behavior: reducedMotion() || how ? 'instant' : 'smooth' })
  if (how === 'fade' && !reducedMotion()) strip.animate({ opacity: [0, 1] }, 300)
}

// reducedMotion reports whether the visitor prefers reduced motion.
function reducedMotion() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

function markSlide(strip, slides, bar) {
  const at = currentSlide(strip, slides)
  bar.querySelectorAll('.v-slider__thumb').forEach((t, i) => t.toggleAttribute('aria-current', i === at))
  const [back, next] = bar.querySelectorAll('.v-slider__turn')
  back.disabled = at === 0
  next.disabled = at === slides.length - 1
}

function onSliderKey(event, strip, slides) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (!step || event.target !== strip || modified(event)) return
  event.preventDefault()
  showSlide(strip, slides[currentSlide(strip, slides) + step])
}
