// svc-sticky in a header document: the style sheet makes the element sticky within its wrapper,
// which ends where the header does. Therefore the wrapper itself is made sticky, offset so that
// the element stops at the edge.
function enhanceSticky() {
  document.querySelectorAll('body > .svc-body [svc-sticky]').forEach((e) => {
    const wrapper = e.closest('.svc-body')
    if (!(wrapper.compareDocumentPosition(mainOf(document) || wrapper) & Node.DOCUMENT_POSITION_FOLLOWING)) return
    if (wrapper.dataset.vSticky) return
    wrapper.dataset.vSticky = 'yes'
    wrapper.style.position = 'sticky'
    wrapper.style.zIndex = 10
    new ResizeObserver(() => {
      const above = e.getBoundingClientRect().top - wrapper.getBoundingClientRect().top
      wrapper.style.top = -Math.max(0, Math.round(above)) + 'px'
    }).observe(wrapper)
  })
}
