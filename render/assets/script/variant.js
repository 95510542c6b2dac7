// svc-variants, of html documents and of the platform's own product page: radio buttons or a
// select whose choices carry data-svc-price and data-svc-image. A choice changes the price where
// the page prints it, the picture, and the variant that an add-to-cart button of the product puts
// into the cart.
const chosen = new Map() // product id to {id, name, price, image}

function enhanceVariants() {
  chosen.clear()
  document.querySelectorAll('[svc-variants]').forEach((root) => {
    if (!root.dataset.vPrices) root.dataset.vPrices = markPrices(root)
    const first = choiceOf(root)
    if (first) applyVariant(root, first)
  })
}

// markPrices marks the elements that print the product's own price, and returns their number.
function markPrices(root) {
  const price = (root.dataset.svcPrice || '').trim()
  if (!price) return 0
  const all = [...widgetOf(root).querySelectorAll(':not(script, style, option)')]
  if (root.closest('main .v-product')) all.push(...document.querySelectorAll('.v-bar strong'))
  const found = all.filter((e) => !e.childElementCount && !root.contains(e) && !e.closest('[data-v-levels]') && e.textContent.trim() === price)
  found.forEach((e) => { e.dataset.vPriceOf = root.dataset.svcProduct })
  return found.length
}

function widgetOf(e) {
  return e.closest('.svc-body, .v-product') || document
}

function choiceOf(root) {
  const select = root.matches('select') ? root : root.querySelector('select')
  return root.querySelector('input:checked') || select?.selectedOptions[0]
}

function onVariantChange(event) {
  const root = within(event, '[svc-variants]')
  const choice = root && choiceOf(root)
  if (!choice) return
  applyVariant(root, choice)
  keepVariant(root, choice)
  say([nameOf(choice), choice.dataset.svcPrice].filter(Boolean).join(', '))
}

// The address of a product's page is updated, so that reloading or sharing it shows the same
// variant.
function keepVariant(root, choice) {
  if (!root.closest('main .v-product') || root.closest('dialog')) return
  history.replaceState(history.state, '', '?variant=' + choice.value)
  shown = location.pathname + location.search
}

function nameOf(choice) {
  return choice.dataset.svcName || (choice.labels?.[0] || choice).textContent.trim()
}

function applyVariant(root, choice) {
  const product = root.dataset.svcProduct
  const { svcPrice: price, svcImage: image, set } = choice.dataset
  const own = set > 0 && widgetOf(root).querySelector(`.v-gallery[data-set="${set}"]`) // the browser shows it without script
  chosen.set(product, { id: choice.value, name: nameOf(choice), price: price || root.dataset.svcPrice, image })
  const places = [...widgetOf(root).querySelectorAll(`[data-v-price-of="${CSS.escape(product)}"]`)]
  places.concat(...document.querySelectorAll(`.v-bar [data-v-price-of="${CSS.escape(product)}"]`)).forEach((e) => {
    e.textContent = price || root.dataset.svcPrice
  })
  if (choice.dataset.vAt) markPicks(root)
  const page = root.closest('.v-product')
  page?.querySelectorAll('[data-v-levels]').forEach((e) => { e.hidden = e.dataset.vLevels !== choice.value })
  showStock(page, choice)
  if (page) showFacts(page, choice)
  if (own || image) showVariantImage(root, image, own)
}

// showFacts shows what the selected variant cost before, and what it weighs.
function showFacts(page, choice) {
  const { vOld: old = '', vSaving: saving = '', vWeight: weight = '' } = choice.dataset
  const show = (e, text, at) => {
    e.hidden = !text
    if (text) at.textContent = text
  }
  page.querySelectorAll('.v-flag:not(.v-flag--out)').forEach((e) => show(e, saving, e))
  page.querySelectorAll('.v-price__old').forEach((e) => show(e, old, e.querySelector('[data-v-was]')))
  page.querySelector('.v-price__now')?.classList.toggle('v-price__now--sale', !!old)
  page.querySelectorAll('div[data-v-weight]').forEach((e) => show(e, weight, e.querySelector('dd')))
}

// file is the common part of the addresses of all sizes of a picture.
function file(address) {
  return (address || '').replace(/^\/(files|w\/\d+\/[a-z]+)\//, '')
}

// If the gallery contains the picture, it is shown there; otherwise it replaces the picture of
// the product. For a variant with its own gallery, its first picture is shown.
function showVariantImage(root, image, gallery) {
  const widget = widgetOf(root)
  const strip = widget.querySelector('[svc-gallery]')
  const slides = [...(strip?.children || [])]
  const shows = (e) => image && [e, ...e.querySelectorAll('img')].some((i) => file(i.getAttribute('src')) === file(image))
  const slide = slides.find(shows)
  if (slide) return showSlide(strip, slide)
  const own = [...(gallery || widget.querySelector('.v-gallery') || widget).querySelectorAll('.v-gallery__slide')]
  const photo = own.find(shows) || own[0]
  const thumb = photo && widget.querySelector(`[data-v-photo="${photo.id}"]`)
  if (thumb) choosePhoto(thumb)
  if (gallery || (photo && shows(photo))) return
  const pictures = [...(strip || widget).querySelectorAll('img')]
  const picture = pictures.find((i) => i.dataset.vVariant || file(i.getAttribute('src')) === file(root.dataset.svcImage)) || (strip && pictures[0])
  if (!picture) return
  picture.dataset.vVariant = 'yes'
  picture.removeAttribute('srcset')
  picture.src = image
}
