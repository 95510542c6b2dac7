// The brewing timer. It is set up immediately, and again after every page change
// in the shop, since the page may have been shown without a reload.
(function () {
  'use strict'

  function clock(seconds) {
    return Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0')
  }

  function start(root) {
    if (root.dataset.hourReady) return
    root.dataset.hourReady = 'yes'
    var find = function (name) { return root.querySelector('[data-hour-' + name + ']') }
    var time = find('time'), heat = find('heat'), ring = find('ring'), word = find('word'), button = find('start')
    var choices = Array.from(root.querySelectorAll('[data-seconds]'))
    var label = button.textContent
    var total = 240, ends = 0, tick = 0

    function show(left) {
      time.textContent = clock(left)
      ring.style.strokeDashoffset = ends ? 100 * left / total : 100
    }

    function stop(said) {
      clearInterval(tick)
      ends = 0
      button.textContent = label
      word.textContent = said
      show(total)
    }

    function run() {
      if (!root.isConnected) return clearInterval(tick)
      var left = Math.max(0, Math.ceil((ends - Date.now()) / 1000))
      if (left === 0) stop('Pour. To the last drop.')
      else show(left)
    }

    function choose(choice) {
      choices.forEach(function (c) { c.setAttribute('aria-pressed', String(c === choice)) })
      total = Number(choice.dataset.seconds)
      heat.textContent = choice.dataset.heat
      stop('')
    }

    choices.forEach(function (c) { c.addEventListener('click', function () { choose(c) }) })
    button.addEventListener('click', function () {
      if (ends) return stop('')
      ends = Date.now() + total * 1000
      button.textContent = button.dataset.again
      word.textContent = ''
      show(total)
      tick = setInterval(run, 250)
    })
    choose(choices.find(function (c) { return c.getAttribute('aria-pressed') === 'true' }) || choices[0])
  }

  function arrive() { document.querySelectorAll('[data-hour-timer]').forEach(start) }

  arrive()
  document.addEventListener('svc:navigate', arrive)
})()
