// A service worker would answer this host's requests inside the visitor's browser, including
// those of the checkout. The host no longer allows service workers; existing ones are removed
// here, together with everything that scripts have stored.
async function endWorkers() {
  const found = (await navigator.serviceWorker?.getRegistrations().catch(() => [])) || []
  if (!found.length) return
  await Promise.all(found.map((worker) => worker.unregister()))
  await fetch('/_vitrine/clear', { method: 'POST' })
}
