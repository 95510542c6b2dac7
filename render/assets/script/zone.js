// The page of a list, /cart and /wishlist. The guarded zones are always loaded
// in full, so there is one list at most and it does not come or go.
const listPage = document.querySelector('[data-v-list]')

function money(root, amount) {
  if (amount <= 0) return ''
  const d = root.dataset
  const behind = Number(d.vDigits || 0)
  const digits = String(amount).padStart(behind + 1, '0')
  const units = digits.slice(0, digits.length - behind).replace(/\B(?=(\d{3})+$)/g, d.vGroup)
  const number = behind ? units + d.vPoint + digits.slice(-behind) : units
  return 'vAfter' in d ? number + '\u00a0' + d.vSign : d.vSign + number
}

function drawLine(root, line) {
  const item = root.querySelector('template').content.firstElementChild.cloneNode(true)
  item.querySelectorAll('a').forEach((a) => a.setAttribute('href', line.path))
  item.querySelector('.v-line__name').textContent = line.name
  item.querySelector('.v-line__each').textContent = money(root, line.price)
  if (line.image) {
    const img = item.querySelector('img')
    img.src = line.image
    img.hidden = false
  }
  const quantity = item.querySelector('output')
  if (quantity) {
    quantity.textContent = line.quantity
    item.querySelector('.v-line__sum').textContent = money(root, line.price * line.quantity)
  }
  item.dataset.vLine = line.product_id + ' ' + line.key
  return item
}

function drawList(root) {
  const lines = readList(root.dataset.vList)
  root.hidden = lines.length === 0
  const empty = document.querySelector('[data-v-empty]')
  if (empty) empty.hidden = lines.length > 0
  root.querySelector('.v-lines').replaceChildren(...lines.map((l) => drawLine(root, l)))
  const total = root.querySelector('[data-v-total]')
  if (total) total.textContent = money(root, lines.reduce((sum, l) => sum + l.price * l.quantity, 0))
  showCount()
}

function changeLine(root, id, action) {
  const lines = readList(root.dataset.vList)
  const i = lines.findIndex((l) => l.product_id + ' ' + l.key === id)
  if (i < 0) return
  const step = { more: 1, less: -1 }[action]
  if (step) lines[i].quantity = Math.max(1, Math.min(lines[i].quantity + step, maxQuantity))
  else lines.splice(i, 1)
  writeList(root.dataset.vList, lines)
  drawList(root)
  const again = root.querySelector(`[data-v-line="${CSS.escape(id)}"] [data-v-${action}]`)
  again?.focus()
}

function onLineClick(event) {
  const line = event.target.closest('[data-v-line]')
  const action = ['less', 'more', 'remove'].find((a) => event.target.closest(`[data-v-${a}]`))
  if (line && action) changeLine(listPage, line.dataset.vLine, action)
}
