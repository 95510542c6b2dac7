// Light or dark as the visitor chose, before the first paint. An owner who fixed
// it has no such script on the page.
try {
  document.documentElement.dataset.vScheme = localStorage.getItem('v-scheme') || ''
} catch {
  // storage is off: as the system
}
