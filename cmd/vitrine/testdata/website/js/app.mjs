import { words } from './words.mjs';

document.getElementById('module').textContent = words;
const answer = await fetch('data.json');
document.getElementById('data').textContent = (await answer.json()).words;
