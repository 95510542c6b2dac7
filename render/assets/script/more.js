// Loads further pages of article grids in place: three in a row near the end of the grid, then by
// a button, or by a button from the start. The page links remain, for visitors without scripts
// and for direct navigation.
const moreInARow = 3

function enhanceMore() {
  document.querySelectorAll('[data-v-paging]:not([data-v-dressed])').forEach((grid) => {
    grid.dataset.vDressed = ''
    if (nextOf(grid)) awaitMore(grid, grid.dataset.vPaging === 'auto' ? moreInARow : 0)
  })
}

function nextOf(grid) {
  return grid.parentElement.querySelector('.v-paging a[rel="next"]')
}

function awaitMore(grid, left) {
  const nav = grid.parentElement.querySelector('.v-paging')
  if (left) {
    const near = new IntersectionObserver((seen) => {
      if (!seen.some((e) => e.isIntersecting)) return
      near.disconnect()
      showMore(grid, left)
    }, { rootMargin: '400px' })
    return near.observe(nav)
  }
  const button = sliderButton('v-button v-button--quiet v-notes__more', '', () => {
    button.remove()
    showMore(grid, 1, true)
  }, words().vMore)
  button.removeAttribute('aria-label')
  nav.before(button)
}

async function showMore(grid, left, asked) {
  const page = await fetchPage(nextOf(grid).href).catch(() => null)
  const next = page && new DOMParser().parseFromString(page.text, 'text/html').querySelector('[data-v-paging]')
  if (!next || !grid.isConnected) return
  const cards = [...next.children]
  const nav = next.parentElement.querySelector('.v-paging')
  grid.append(...cards)
  grid.parentElement.querySelector('.v-paging').replaceWith(nav)
  if (asked) cards[0]?.querySelector('.v-note__title a')?.focus({ preventScroll: true })
  if (nextOf(grid)) awaitMore(grid, left - 1)
}
