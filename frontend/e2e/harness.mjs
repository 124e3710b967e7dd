// Runs tests one after the other in one browser and prints TAP. A breach of the
// content policy, an error in the console or an uncaught one fails the test that
// caused it.
import { chromium } from 'playwright-core'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function run(url, tests) {
  const browser = await chromium.launch({
    executablePath: process.env.CAIRN_BROWSER || '/usr/bin/chromium',
    args: flags,
  })
  const counts = { passed: 0, failed: 0, skipped: 0 }
  let n = 0
  try {
    // blank: the test opens a page of its own.
    for (const [name, test, { blank = false } = {}] of tests) {
      n++
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
      const page = await context.newPage()
      page.setDefaultTimeout(20_000)
      const wrong = []
      // Wails puts a script of its own before the page of a dev build, whose overlay
      // fails to start. It is not ours and not in a real build.
      page.on('pageerror', (e) => {
        if (!/\/wails\/ipc\.js/.test(e.stack ?? '')) wrong.push(`uncaught: ${e.stack ?? e.message}`)
      })
      page.on('console', (m) => {
        if (m.type() === 'error') wrong.push(`console: ${m.text()}`)
      })
      await context.addInitScript(() => {
        window.__violations = []
        document.addEventListener('securitypolicyviolation', (e) =>
          window.__violations.push(`${e.violatedDirective} ${e.blockedURI}`),
        )
      })
      let failure = ''
      try {
        if (!blank) await page.goto(url)
        await test(page)
        wrong.push(...(await page.evaluate(() => window.__violations)).map((v) => `policy: ${v}`))
        if (wrong.length > 0) throw new Error(wrong.join('\n'))
      } catch (e) {
        failure = [e.message, ...wrong].join('\n')
        if (process.env.CAIRN_SHOTS)
          await page.screenshot({ path: `${process.env.CAIRN_SHOTS}/${n}.png` }).catch(() => undefined)
      }
      await context.close()
      if (failure === '') {
        counts.passed++
        console.log(`ok ${n} - ${name}`)
      } else {
        counts.failed++
        console.log(`not ok ${n} - ${name}`)
        console.log(failure.replace(/^/gm, '  '))
      }
    }
  } finally {
    await browser.close()
  }
  console.log(`1..${n}`)
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  return counts.failed === 0 && n > 0
}

export function same(got, want, what) {
  if (got !== want) throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
}

export function holds(ok, what) {
  if (!ok) throw new Error(what)
}
