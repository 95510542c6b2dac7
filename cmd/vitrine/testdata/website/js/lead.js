// send reads a form of the shop and submits it, as a sandboxed page may do.
async function send(form, init = {}) {
  const read = await fetch(`/api/forms/${form}/public`, { credentials: 'omit' });
  const fields = (await read.json()).result.fields;
  const values = Object.fromEntries(fields.map((f) => [f.name, 'ann@example.com']));
  const sent = await fetch('/api/form-leads', {
    method: 'POST', credentials: 'omit', body: JSON.stringify({ form_id: form, values }),
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...init },
  });
  return sent.status;
}
