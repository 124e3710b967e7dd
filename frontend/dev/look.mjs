// Takes pictures of every place from the fake build, in both themes and several
// sizes, under the strict policy of a real build. `npm run look -- DIR [FILTER]`.
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { address, serve, shots } from './shots.mjs'

const dir = process.argv[2] ?? join(tmpdir(), 'cairn-look')
const filter = new RegExp(process.argv[3] ?? '.')
await mkdir(dir, { recursive: true })
const server = await serve()

const sizes = {
  t: [800, 600],
  s: [1024, 640],
  m: [1100, 700],
  n: [1280, 800],
  l: [1440, 900],
  h: [1920, 1080],
  x: [2560, 1400],
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
})
let bad = 0
for (const theme of ['light', 'dark']) {
  for (const [size, [width, height]] of Object.entries(sizes)) {
    for (const [name, scene, hash, act] of shots) {
      const file = `${name}-${size}-${theme}.png`
      if (!filter.test(file)) continue
      const page = await browser.newPage({ viewport: { width, height } })
      const wrong = (text) => {
        bad++
        console.error(`${file}: ${text}`)
      }
      page.on('pageerror', (e) => wrong(e.message))
      page.on('console', (m) => (m.type() === 'error' ? wrong(m.text()) : undefined))
      await page.goto(address(server.url, scene, hash, theme))
      await page.waitForTimeout(250)
      await act?.(page)
      await page.waitForTimeout(200)
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (over > 0) wrong(`wider than the window by ${over}`)
      await page.screenshot({ path: join(dir, file) })
      await page.close()
    }
  }
}
await browser.close()
await server.close()
console.log(`pictures in ${dir}, ${bad} errors`)
process.exitCode = bad > 0 ? 1 : 0
