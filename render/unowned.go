package render

// Unowned is the short 404 page for a host that no shop owns.
func Unowned() []byte { return []byte(unowned) }

const unowned = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>No shop here</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.6 system-ui, sans-serif; color: #2c2622; background: #f8f4ee }
main { max-width: 28rem; padding: 2rem; text-align: center }
h1 { font-size: 1.5rem; margin: 0 0 .5rem }
p { margin: 0; color: #6b6058 }
</style>
</head>
<body>
<main>
<h1>No shop here</h1>
<p>There is no shop at this address. Please check that it is typed correctly.</p>
</main>
</body>
</html>
`
