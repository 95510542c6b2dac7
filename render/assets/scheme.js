// Applies the visitor's choice of light or dark before the first paint. Pages of shops with a
// fixed scheme do not contain this script.
try {
  document.documentElement.dataset.vScheme = localStorage.getItem('v-scheme') || ''
} catch {
  // storage is unavailable: follow the system
}
