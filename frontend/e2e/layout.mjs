// Measures how the page stands: every place and state of the fake build at several
// sizes and in both themes. Nothing may be cut, lie over something else, be too pale,
// too small to hit, or move what stands above it.
import { address, serve, shots } from '../dev/shots.mjs'
import { holds } from './harness.mjs'

export const sizes = [
  [800, 600],
  [1024, 640],
  [1280, 800],
  [1440, 900],
  [1920, 1080],
]

/** Runs in the page: what is wrong with how it stands, in words. */
function measure() {
  const wrong = []
  const words = (el) => (el.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 40)
  const who = (el) =>
    `${el.tagName.toLowerCase()}${[...el.classList]
      .filter((c) => !/^s(velte)?-/.test(c))
      .map((c) => `.${c}`)
      .join('')} “${words(el)}”`
  const over = document.documentElement.scrollWidth - innerWidth
  if (over > 0) wrong.push(`the page is wider than the window by ${over}`)

  const style = new Map()
  const css = (el) => {
    let s = style.get(el)
    if (!s) style.set(el, (s = getComputedStyle(el)))
    return s
  }
  const layer = (el) => el.closest('dialog[open], .menu, .said .box, .skip') ?? fixed(el)
  function fixed(el) {
    for (let e = el; e; e = e.parentElement) if (css(e).position === 'fixed') return e
    return null
  }
  // What of a box is seen through everything that clips it, and whether it was cut
  // where nobody can scroll to it.
  function seen(el, r) {
    let { left, right, top, bottom } = r
    let cut = ''
    for (let e = el; e && e !== document.documentElement; e = e.parentElement) {
      const s = css(e)
      if (s.overflowX === 'visible' && s.overflowY === 'visible') {
        if (s.position === 'fixed') break
        continue
      }
      const b = e.getBoundingClientRect()
      const ends = s.textOverflow === 'ellipsis' || (s.webkitLineClamp !== 'none' && s.webkitLineClamp !== '')
      if (
        !ends &&
        /hidden|clip/.test(s.overflowX) &&
        e !== document.body &&
        (left < b.left - 1.5 || right > b.right + 1.5)
      )
        cut ||= who(e)
      left = Math.max(left, b.left)
      right = Math.min(right, b.right)
      top = Math.max(top, b.top)
      bottom = Math.min(bottom, b.bottom)
      if (s.position === 'fixed') break
    }
    left = Math.max(left, 0)
    top = Math.max(top, 0)
    right = Math.min(right, innerWidth)
    bottom = Math.min(bottom, innerHeight)
    return { left, right, top, bottom, cut, empty: right - left < 2 || bottom - top < 2 }
  }

  const rgba = (c) => {
    const m = c.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0]
    if (c.startsWith('color(srgb')) return [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1]
    return [m[0], m[1], m[2], m[3] ?? 1]
  }
  const mix = (top, under) => {
    const a = top[3]
    return [0, 1, 2].map((i) => top[i] * a + under[i] * (1 - a)).concat(1)
  }
  function ground(el) {
    const stack = []
    for (let e = el; e; e = e.parentElement) {
      const c = rgba(css(e).backgroundColor)
      if (c[3] > 0) stack.push(c)
      if (c[3] === 1) break
    }
    return stack.reverse().reduce((under, c) => mix(c, under), [255, 255, 255, 1])
  }
  const light = (c) => {
    const [r, g, b] = c
      .slice(0, 3)
      .map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }

  const texts = []
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const modal = document.querySelector('dialog[open]')
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const el = n.parentElement
    if (!el || n.data.trim() === '' || /^(script|style|option)$/i.test(el.tagName)) continue
    const s = css(el)
    if (s.visibility === 'hidden' || el.closest('.unseen, [hidden], .skip')) continue
    if (modal && !modal.contains(el)) continue
    const range = document.createRange()
    range.selectNodeContents(n)
    const lines = [...range.getClientRects()].filter((r) => r.width > 1 && r.height > 1)
    let any = false
    for (const r of lines) {
      const v = seen(el, r)
      if (v.cut) wrong.push(`cut: ${who(el)} by ${v.cut}`)
      if (v.empty) continue
      any = true
      texts.push({ el, layer: layer(el), ...v })
    }
    if (!any || el.closest(':disabled')) continue
    const size = parseFloat(s.fontSize)
    const need = size >= 24 || (size >= 18.66 && Number(s.fontWeight) >= 700) ? 3 : 4.5
    const under = ground(el)
    const [a, b] = [light(mix(rgba(s.color), under)), light(under)].sort((x, y) => y - x)
    const ratio = (a + 0.05) / (b + 0.05)
    if (ratio < need - 0.01) wrong.push(`too pale (${ratio.toFixed(2)}): ${who(el)}`)
  }

  // Text over text of the same layer.
  texts.sort((a, b) => a.top - b.top)
  for (let i = 0; i < texts.length; i++) {
    const a = texts[i]
    for (let j = i + 1; j < texts.length && texts[j].top < a.bottom - 3; j++) {
      const b = texts[j]
      if (a.layer !== b.layer || a.el === b.el || a.el.contains(b.el) || b.el.contains(a.el)) continue
      const w = Math.min(a.right, b.right) - Math.max(a.left, b.left)
      const h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
      // Lines of one paragraph touch: their boxes are higher than their letters.
      if (w > 3 && h > 7) wrong.push(`one over the other: ${who(a.el)} and ${who(b.el)}`)
    }
  }

  for (const el of document.querySelectorAll('button, a[href], input, textarea, select, summary')) {
    if (modal && !modal.contains(el)) continue
    const r = el.getBoundingClientRect()
    if (r.width === 0 || el.closest('.skip, [hidden], .kept') || css(el).visibility === 'hidden') continue
    const target = el.closest('label') ?? el
    const h = target.getBoundingClientRect().height
    if (h < 27.5) wrong.push(`too small to hit (${h.toFixed(1)} high): ${who(el)}`)
  }
  return [...new Set(wrong)]
}

/** The tests; server is started by the first and closed by close(). */
export function layout() {
  let server
  const open = async (page, scene, hash, theme) => {
    server ??= await serve()
    await page.goto(address(server.url, scene, hash, theme))
    await page.locator('.app main *').first().waitFor()
    await page.waitForTimeout(150)
  }
  const stands = shots.map(([name, scene, hash, act]) => [
    `layout: ${name}`,
    async (page) => {
      const wrong = []
      await page.setViewportSize({ width: 1440, height: 900 })
      await open(page, scene, hash, 'light')
      await act?.(page)
      await page.mouse.move(2, 2)
      // The states differ in their words only: the narrowest and a common size will do.
      const some = name.startsWith('state-') ? [sizes[0], sizes[3]] : sizes
      for (const [width, height] of some) {
        await page.setViewportSize({ width, height })
        await page.waitForTimeout(60)
        for (const w of await page.evaluate(measure)) wrong.push(`${width}×${height}: ${w}`)
      }
      await page.evaluate(() => void (document.documentElement.dataset.theme = 'dark'))
      for (const w of await page.evaluate(measure)) wrong.push(`dark: ${w}`)
      holds(wrong.length === 0, wrong.slice(0, 40).join('\n'))
    },
  ])
  const row = (page) =>
    page.locator('.tabs a').evaluateAll((all) => all.map((a) => a.getBoundingClientRect().toJSON()))
  const still = [
    'layout: nothing in the head moves when evidence, places and states come and go',
    async (page) => {
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height })
        await open(page, 'running', '#/task/t1/checkpoint', 'light')
        const before = JSON.stringify(await row(page))
        const same = async (what) =>
          holds(JSON.stringify(await row(page)) === before, `${width}×${height}: the tabs moved: ${what}`)
        await page.locator('[data-claim]').first().click()
        await page.locator('.insp mark').first().waitFor()
        await same('evidence opened')
        await page.keyboard.press('Escape')
        await page.locator('.insp mark').first().waitFor({ state: 'detached' })
        await same('evidence closed')
        for (const key of ['2', '3', '4', '5', '6', '1']) {
          await page.keyboard.press(key)
          await page.waitForTimeout(60)
          await same(`place ${key}`)
        }
      }
    },
  ]
  // A measure that finds nothing must be one that could.
  const faults = [
    ['.mute { color: #aaa }', 'too pale'],
    ['.cov { margin-top: -14px }', 'one over the other'],
    ['.claim .text { white-space: nowrap }', 'cut'],
    ['.link { min-height: 0 !important; line-height: 1 }', 'too small to hit'],
    ['.checkpoint { width: 3000px }', 'the page is wider'],
  ]
  const planted = [
    'layout: planted faults are found',
    async (page) => {
      await page.setViewportSize({ width: 1024, height: 640 })
      for (const [rule, found] of faults) {
        await open(page, 'long', '#/task/t1/checkpoint', 'light')
        await page.evaluate((text) => {
          const sheet = new CSSStyleSheet()
          sheet.replaceSync(text)
          document.adoptedStyleSheets = [sheet]
        }, rule)
        const wrong = await page.evaluate(measure)
        holds(
          wrong.some((w) => w.startsWith(found)),
          `${rule} is not found: ${wrong.join('; ')}`,
        )
      }
    },
  ]
  return {
    tests: [...stands, still, planted].map((t) => [...t, { blank: true }]),
    close: async () => server?.close(),
  }
}
