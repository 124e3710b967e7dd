// Takes pictures of every place from the fake build, in both themes and several
// sizes, under the strict policy of a real build. `npm run look -- DIR [FILTER]`.
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { build, preview } from 'vite'

const dir = process.argv[2] ?? join(tmpdir(), 'cairn-look')
const filter = new RegExp(process.argv[3] ?? '.')
await mkdir(dir, { recursive: true })
await build({ mode: 'fake', logLevel: 'error' })
const server = await preview({
  mode: 'fake',
  build: { outDir: 'node_modules/.cache/fake' },
  preview: { port: 0 },
  logLevel: 'error',
})
const base = server.resolvedUrls.local[0]

const sizes = { s: [1024, 640], m: [1100, 700], l: [1440, 900], n: [1280, 800], x: [2560, 1400] }
const choose = (page) => page.locator('[data-claim]').first().click()
const shots = [
  ['checkpoint', 'running', '#/task/t1/checkpoint', choose],
  ['plain', 'running', '#/task/t1/checkpoint'],
  ['run', 'running', '#/task/t1/run'],
  ['check', 'running', '#/task/t1/check', (p) => p.keyboard.press('l')],
  ['sources', 'running', '#/task/t1/sources'],
  ['history', 'running', '#/task/t1/history'],
  ['past', 'running', '#/task/t1/checkpoint/40'],
  ['report', 'done', '#/task/t3/report', (p) => p.locator('.s').nth(1).hover()],
  ['first', 'first', '#/'],
  ['empty', 'empty', '#/task/t1/checkpoint'],
  ['nomodel', 'nomodel', '#/task/t1/checkpoint'],
  [
    'interrupted',
    'interrupted',
    '#/task/t1/checkpoint',
    (p) => p.getByRole('button', { name: 'Go on' }).click(),
  ],
  ['waiting', 'waiting', '#/task/t1/run'],
  ['damaged', 'damaged', '#/task/t1/checkpoint'],
  ['error', 'error', '#/task/t1/checkpoint'],
  ['none', 'none', '#/'],
  [
    'new',
    'running',
    '#/new',
    async (p) => {
      await p.getByLabel('Goal').fill('How five published studies find spam, fake news and bullying.')
      await p
        .getByLabel('Question 1', { exact: true })
        .fill('What data did each study use, and how large is it?')
      await p.getByLabel('Question 1', { exact: true }).press('Enter')
      await p.getByRole('button', { name: 'Choose…' }).click()
      await p.waitForTimeout(500)
    },
  ],
  ['newbad', 'running', '#/new', (p) => p.getByRole('button', { name: 'Start', exact: true }).click()],
  ['settings', 'running', '#/settings'],
  ['handover', 'running', '#/handover/t1', (p) => p.getByRole('button', { name: 'Save…' }).click()],
  ['import', 'running', '#/import', (p) => p.getByRole('button', { name: 'Choose a file…' }).click()],
  [
    'delete',
    'running',
    '#/task/t1/checkpoint',
    async (p) => {
      await p.getByRole('button', { name: 'More', exact: true }).click()
      await p.getByRole('menuitem', { name: /Delete/ }).click()
    },
  ],
  ['keys', 'running', '#/task/t1/checkpoint', (p) => p.keyboard.press('?')],
  [
    'retract',
    'running',
    '#/task/t1/checkpoint',
    async (p) => {
      await choose(p)
      await p.getByRole('button', { name: 'Retract…' }).click()
    },
  ],
]

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
      await page.goto(`${base}?scene=${scene}&theme=${theme}&still=1${hash}`)
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
