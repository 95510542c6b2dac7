// What a visitor does at the shop, which knows him by a session.
function send(method, path, body) {
  const bare = method === 'GET' || method === 'DELETE'
  return fetch('/api' + path, { method, headers: { 'Content-Type': 'application/json' }, body: bare ? undefined : JSON.stringify(body || {}) })
}

// enter makes the visitor a guest, once, however many buttons ask for it at a time: a
// second guest would take the place of the first and of what that has in the cart.
let entering = null
let entered = 0

function enter() {
  entering ||= send('POST', '/v1/auth/guest').then((answer) => {
    remember('known', answer.ok ? 'yes' : '')
    entered++
  }).finally(() => { entering = null })
  return entering
}

// ask calls the shop's API as the visitor, who becomes a guest first where this
// browser knows of no session, or where it is over.
async function ask(method, path, body) {
  if (!remembered('known')) await enter()
  const before = entered
  const answer = await send(method, path, body)
  if (answer.status !== 401) return answer
  if (entered === before) await enter()
  return send(method, path, body)
}
