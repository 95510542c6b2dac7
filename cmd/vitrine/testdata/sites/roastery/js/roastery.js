let sacks = 0
const app = document.querySelector('#app')
app.innerHTML = '<button id="sack" type="button">A sack</button> <output>0</output>'
app.querySelector('#sack').addEventListener('click', () => { app.querySelector('output').textContent = ++sacks })
document.querySelector('#dark').addEventListener('click', () => document.documentElement.classList.add('dark'))
document.addEventListener('click', (event) => {
  if (event.target.id === 'more') document.querySelector('#hours').toggleAttribute('hidden')
})
