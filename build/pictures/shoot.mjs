// Takes docs/pictures from the running program: the window in each of its
// states, in both themes, and small. `go run ./build pictures` starts the
// program on an empty home folder and then this. Every state is reached by working
// with the program, never by sample data.
import { createRequire } from 'node:module'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const require = createRequire(join(process.cwd(), 'package.json'))
const { chromium } = require('playwright-core')

const { CAIRN_URL: url, CAIRN_BROWSER: executablePath, CAIRN_PICTURES: folder, CAIRN_SAMPLE: sample } = process.env
if (!url || !executablePath || !folder || !sample) {
  throw new Error('start this with: go run ./build pictures')
}

const large = { width: 1440, height: 900 }
const small = { width: 1024, height: 640 }
await mkdir(folder, { recursive: true })
for (const name of await readdir(folder)) if (name.endsWith('.png')) await rm(join(folder, name))

const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'],
})
const page = await browser.newPage({ viewport: large, reducedMotion: 'reduce' })
const wrong = []
// Wails puts a script of its own before the page of a dev build, whose overlay
// fails to start. It is not ours and not in a real build.
page.on('pageerror', (e) => /\/wails\/ipc\.js/.test(e.stack ?? '') || wrong.push(`page error: ${e.message}`))
page.on('console', (m) => m.type() === 'error' && wrong.push(`console: ${m.text()}`))

/** Calls a bound method of the program. */
const call = (method, ...args) =>
  page.evaluate(([m, a]) => window.go.window.App[m](...a), [method, args])

/** Goes to a place and waits until it stands. */
async function go(hash) {
  await page.evaluate((h) => (location.hash = h), hash)
  await page.waitForTimeout(600)
}

/** One picture in each theme, and a small one in light. */
async function shoot(name) {
  for (const [theme, size, suffix] of [
    ['light', large, 'light'],
    ['dark', large, 'dark'],
    ['light', small, 'small'],
  ]) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.waitForTimeout(250)
    await page.screenshot({ path: join(folder, `${name}-${suffix}.png`) })
  }
  await page.setViewportSize(large)
  console.log(name)
}

/** Waits until a task is in one of the states. */
async function until(task, states, seconds) {
  for (let i = 0; i < seconds * 4; i++) {
    const view = await call('View', task, 0)
    if (states.includes(view.status.state)) return view
    await page.waitForTimeout(250)
  }
  throw new Error(`the task did not become ${states.join(' or ')} within ${seconds} seconds`)
}

const ended = ['done', 'stopped', 'stuck', 'needs_you']
const working = ['reading', 'thinking', 'writing', 'checking', 'saving']

await page.goto(url)
await page.waitForFunction(() => window.go?.window?.App !== undefined)
await page.waitForTimeout(1500)

// The first start: the finished example.
await shoot('first-start')
const [example] = await call('Tasks')
if (!example) throw new Error('the first start shows no example')
for (const place of ['checkpoint', 'check', 'sources', 'history', 'report']) {
  await go(`#/task/${example.id}/${place}`)
  if (place === 'checkpoint') await page.locator('[data-claim]').first().click()
  await page.waitForTimeout(300)
  await shoot(`example-${place}`)
}

// The other places.
await go('#/settings')
await shoot('settings')
await go('#/import')
await shoot('import')
await go('#/new')
await shoot('new-task')
await page.getByLabel('Goal').fill('How five published studies find spam, fake news and bullying.')
await page.getByLabel('Question 1', { exact: true }).fill('What data did each study use, and how large is it?')
await page.waitForTimeout(800)
await shoot('new-task-filled')

// A task without a model: candidates only.
const form = {
  title: 'Candidates only', goal: 'How five published studies find harmful content.', constraints: [], folder: sample,
  questions: ['What data did each study use, and how large is it?', 'What weaknesses do the authors admit?'],
  model: '-', depth: 'thorough', budget: 0, start: true,
}
const candidates = await call('Create', form)
await until(candidates, ended, 60)
await go(`#/task/${candidates}/checkpoint`)
await shoot('no-model')

// A task with the starter model: running, stopped, going on, done.
for (let i = 0; ; i++) {
  const setup = await call('Setup')
  if (setup.models.length > 0) break
  if (i > 240) throw new Error('no model became ready within two minutes')
  await page.waitForTimeout(500)
}
const task = await call('Create', { ...form, title: 'A trial run', questions: form.questions.slice(0, 1), model: '', depth: 'quick' })
await until(task, working, 120)
await go(`#/task/${task}/run`)
await shoot('running')
await go(`#/task/${task}/checkpoint`)
await shoot('running-checkpoint')
await call('Stop', task)
await until(task, ['paused', 'interrupted', ...ended], 30)
await go(`#/task/${task}/run`)
await shoot('paused')
await call('Run', task)
await until(task, ended, 1500)
for (const place of ['checkpoint', 'run', 'history', 'report']) {
  await go(`#/task/${task}/${place}`)
  await shoot(`done-${place}`)
}
await go(`#/handover/${task}`)
await shoot('hand-over')

await browser.close()
if (wrong.length > 0) throw new Error(wrong.join('\n'))
await writeFile(join(folder, 'README.md'), '# Pictures\n\nMade by `go run ./build pictures` from the running program: each state in both themes, and small.\n')
