// A service worker would answer this host's requests inside the visitor's browser,
// those of the checkout too. The host gives browsers none any more; one that came
// earlier is removed here, with everything that its scripts have stored.
async function endWorkers() {
  const found = (await navigator.serviceWorker?.getRegistrations().catch(() => [])) || []
  if (!found.length) return
  await Promise.all(found.map((worker) => worker.unregister()))
  await fetch('/_vitrine/clear', { method: 'POST' })
}
