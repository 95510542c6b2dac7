// Reads one task as JSON and writes its result: "sign" returns the fields of the signature, "verify" the error or "".
const crypto = require('crypto');
const { httpbis, createSigner, createVerifier } = require('./http-message-signatures.cjs');

const names = { 'P-256': 'ecdsa-p256-sha256', 'P-384': 'ecdsa-p384-sha384' };

async function verify({ message, body, key, required }) {
  const fields = Object.fromEntries(Object.entries(message.headers).map(([k, v]) => [k.toLowerCase(), v]));
  if (body) {
    const sum = crypto.createHash('sha256').update(Buffer.from(body, 'base64')).digest('base64');
    if (fields['content-digest'] !== `sha-256=:${sum}:`) return 'the digest is of another body';
  }
  const known = createVerifier(crypto.createPublicKey({ key, format: 'jwk' }), names[key.crv]);
  const ok = await httpbis.verifyMessage({
    requiredFields: required,
    keyLookup: async ({ keyid }) => (keyid === key.kid ? { id: keyid, algs: [names[key.crv]], verify: known } : null),
  }, message);
  return ok === true ? '' : 'no signature of this key';
}

async function sign({ message, key, fields, params }) {
  if (params.created) params.created = new Date(params.created * 1000);
  const signer = createSigner(crypto.createPrivateKey({ key, format: 'jwk' }), names[key.crv], key.kid);
  const signed = await httpbis.signMessage({ key: signer, name: 'theirs', fields, params: ['keyid', ...Object.keys(params)], paramValues: params }, message);
  return signed.headers;
}

const task = JSON.parse(require('fs').readFileSync(0));
(task.task === 'sign' ? sign(task) : verify(task).catch((e) => String(e))).then((result) => process.stdout.write(JSON.stringify(result)));
