// A script that starts, like most, on DOMContentLoaded.
window.addEventListener('DOMContentLoaded', () => {
  const bar = document.getElementById('bar')
  const links = document.getElementById('links')
  const sink = () => bar.classList.toggle('low', scrollY > 40)
  document.addEventListener('scroll', sink)
  sink()
  document.getElementById('toggle').addEventListener('click', (e) => {
    e.target.setAttribute('aria-expanded', links.classList.toggle('open'))
  })
  document.querySelectorAll('#ask h3').forEach((h) => h.addEventListener('click', () => h.classList.toggle('open')))
})
window.onload = () => {
  const shown = document.getElementById('shown')
  document.getElementById('next').onclick = () => { shown.textContent = 3 - shown.textContent }
}
