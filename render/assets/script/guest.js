// Calls of the shop's API in the visitor's session.
function send(method, path, body) {
  const bare = method === 'GET' || method === 'DELETE'
  return fetch('/api' + path, { method, headers: { 'Content-Type': 'application/json' }, body: bare ? undefined : JSON.stringify(body || {}) })
}

// enter creates a guest session, once, even if several buttons need one at the same time: a
// second guest would replace the first and lose their cart.
let entering = null
let entered = 0

function enter() {
  entering ||= send('POST', '/v1/auth/guest').then((answer) => {
    remember('known', answer.ok ? 'yes' : '')
    entered++
  }).finally(() => { entering = null })
  return entering
}

// ask calls the shop's API in the visitor's session. It creates a guest session first if this
// browser has none or the session has expired.
async function ask(method, path, body) {
  if (!remembered('known')) await enter()
  const before = entered
  const answer = await send(method, path, body)
  if (answer.status !== 401) return answer
  if (entered === before) await enter()
  return send(method, path, body)
}
