// A worker that computes a proof of work for a form while many forms are sent: it searches for a
// number that, appended to the token of the form, has a SHA-256 hash beginning with the required
// number of zero bits. The page loads it only in that case. It implements SHA-256 itself, since
// crypto.subtle is missing on plain http and slow for small inputs.
const rotate = (x, n) => (x >>> n) | (x << (32 - n))

// The constants are the first bits of the fractional parts of roots of the first primes.
const primes = []
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n)
const bitsOf = (x) => ((x - Math.floor(x)) * 2 ** 32) | 0
const start = primes.slice(0, 8).map((p) => bitsOf(p ** (1 / 2)))
const rounds = primes.map((p) => bitsOf(p ** (1 / 3)))

// zeros counts the leading zero bits of the hash of a short ASCII text, at most 32.
const w = new Int32Array(64)
function zeros(text) {
  const blocks = ((text.length + 8) >> 6) + 1
  let h = start
  for (let b = 0; b < blocks; b++) {
    for (let i = 0; i < 16; i++) {
      w[i] = 0
      for (let j = 0; j < 4; j++) {
        const at = b * 64 + i * 4 + j
        w[i] = (w[i] << 8) | (at < text.length ? text.charCodeAt(at) : at === text.length ? 0x80 : 0)
      }
    }
    if (b === blocks - 1) w[15] = text.length * 8
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15]
      const y = w[i - 2]
      w[i] = w[i - 16] + w[i - 7] + (rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)) + (rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10))
    }
    let [a, bb, c, d, e, f, g, k] = h
    for (let i = 0; i < 64; i++) {
      const t = (k + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i] + w[i]) | 0
      const u = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & bb) ^ (a & c) ^ (bb & c))) | 0
      k = g
      g = f
      f = e
      e = (d + t) | 0
      d = c
      c = bb
      bb = a
      a = (t + u) | 0
    }
    h = [a, bb, c, d, e, f, g, k].map((x, i) => (x + h[i]) | 0)
  }
  return Math.clz32(h[0])
}

onmessage = ({ data: { token, bits } }) => {
  let n = 0
  while (zeros(token + ':' + n) < bits) n++
  postMessage(String(n))
}
