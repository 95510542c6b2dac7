// The live region for screen readers; its data attributes carry the texts in the shop's language
// that scripts need.
function words() {
  return document.querySelector('[data-v-said]')?.dataset || {}
}

function say(text) {
  const place = document.querySelector('[data-v-said]')
  if (place) place.textContent = text || ''
}

// within returns the nearest ancestor of an event's target that matches a selector. It does not
// call the target's own closest, since a field of an author's form may be named closest, and a
// document has no such method.
function within(event, selector) {
  return event.target instanceof Element ? Element.prototype.closest.call(event.target, selector) : null
}

// enhance applies the scripts' additions to the markup of the live page.
function enhance() {
  copyRootMarks()
  enhanceBuyButtons()
  enhanceSliders()
  enhanceVariants()
  enhanceSticky()
  enhanceReels()
  enhanceMore()
  findBars()
  enhanceBar()
  enhanceSeen()
  enhanceSearch()
  showCount()
  showFavourites()
  showScheme()
}

function showKept() {
  showScheme()
  showCount()
  showFavourites()
}

endWorkers()
live = pageOf(document) // before anything is added to it
shown = location.pathname + location.search
enhance()
enhanceTill()
enhanceZone()
const held = window[Symbol.for('vitrine')]
if (held) held.paused = true // while the storefront's own listeners are added
document.addEventListener('click', onBuyClick)
document.addEventListener('click', onDrawerAway)
document.addEventListener('submit', onBuySubmit)
document.addEventListener('pointerdown', onZonePress, { passive: true })
document.addEventListener('submit', onZoneSubmit)
document.addEventListener('change', onZoneChange)
document.addEventListener('input', onTyped)
document.addEventListener('change', onTyped)
document.addEventListener('visibilitychange', onTabShown)
window.addEventListener('focus', onTabShown)
window.addEventListener('pageshow', onComesBack)
document.addEventListener('submit', onVote)
document.addEventListener('submit', onSaySubmit)
document.addEventListener('toggle', onSayOpen, true)
document.addEventListener('click', onRemarkClick)
document.addEventListener('click', onPhotoClick)
document.addEventListener('click', onPick)
document.addEventListener('click', onStep)
document.addEventListener('click', onZoom)
document.addEventListener('click', onMenuClick)
document.addEventListener('click', onLookClick)
document.addEventListener('click', onReelClick)
document.addEventListener('mouseover', onReelPoint, { passive: true })
window.addEventListener('click', onFormClick) // last: authors' scripts may handle the click, also on document
window.addEventListener('click', onLinkClick)
document.addEventListener('svc:navigate', closeForm)
document.addEventListener('svc:navigate', closeDrawer)
document.addEventListener('svc:navigate', closeDialogs)
document.addEventListener('svc:navigate', foldAll)
document.addEventListener('input', onSearchInput)
document.addEventListener('change', onFindChange)
document.addEventListener('submit', onSearchSubmit)
document.addEventListener('mousedown', onHintPress)
document.addEventListener('click', onHintClick)
document.addEventListener('focusout', (event) => boxOf(event) && closeHints())
document.addEventListener('keydown', onSearchKey)
document.addEventListener('keydown', onBuyKey)
document.addEventListener('keydown', onPhotoKey)
document.addEventListener('keydown', onButtonKey)
document.addEventListener('keydown', onMenuKey)
document.addEventListener('change', onVariantChange)
document.addEventListener('change', onSchemeChange)
document.addEventListener('touchstart', onSwipeStart, { passive: true })
document.addEventListener('touchend', onSwipeEnd, { passive: true })
document.addEventListener('submit', onFormSubmit)
document.addEventListener('focusin', onFormFocus)
document.addEventListener('change', onFileChange)
document.addEventListener('submit', () => ahead.clear())
window.addEventListener('storage', showKept)
window.addEventListener('load', paintCanvas)
window.addEventListener('load', findBars)
if (live.main) watchBars(live.main)
window.addEventListener('resize', findBars)
window.addEventListener('scroll', onScrollBars, { passive: true })
window.addEventListener('resize', paintCanvas)
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paintCanvas)

if (live.version) {
  enterEntry()
  history.scrollRestoration = 'manual'
  document.addEventListener('mouseover', onPoint, { passive: true })
  document.addEventListener('touchstart', onPoint, { passive: true })
  window.addEventListener('scroll', keepPlace, { passive: true })
  window.addEventListener('popstate', onHistory)
  window.addEventListener('pagehide', storePlaces)
}

function begun() {
  if (live.version && places.has(entry)) scrollToPlace(places.get(entry))
  arrived()
}

if (document.readyState === 'complete') begun()
else document.addEventListener('DOMContentLoaded', begun)
window.addEventListener('pageshow', (event) => {
  if (!event.persisted) return
  if (onItsWay) return location.reload() // its answer has redirected
  showKept()
  arrived()
})
if (held) held.paused = false
