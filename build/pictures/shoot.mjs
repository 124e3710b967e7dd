// Takes docs/pictures from the running program: the window in each of its
// states, in both themes, and small. `go run ./build pictures` starts the
// program on an empty home folder and then this. Every state is reached by working
// with the program, never by sample data.
import { createRequire } from 'node:module'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

const require = createRequire(join(process.cwd(), 'package.json'))
const { chromium } = require('playwright-core')

const { CAIRN_URL: url, CAIRN_BROWSER: executablePath, CAIRN_PICTURES: folder, CAIRN_SAMPLE: sample } = process.env
if (!url || !executablePath || !folder || !sample) {
  throw new Error('start this with: go run ./build pictures')
}

const large = { width: 1440, height: 900 }
const small = { width: 1024, height: 640 }
const narrow = { width: 800, height: 600 }
const wide = { width: 1920, height: 1080 }
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

// Folders of whoever makes the pictures are nobody's business.
let dir = ''
const paths = () =>
  [
    [dir && join(dir, 'odd'), '~/papers'],
    [dir, '~'],
    [process.env.CAIRN_HOME, '~/.local/share/cairn'],
    [homedir(), '~'],
  ].filter(([path]) => path)
function hidePaths(list) {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let n = walk.nextNode(); n; n = walk.nextNode())
    for (const [path, shown] of list) if (n.data.includes(path)) n.data = n.data.replaceAll(path, shown)
  for (const field of document.querySelectorAll('input'))
    for (const [path, shown] of list) if (field.value.includes(path)) field.value = field.value.replaceAll(path, shown)
}

const inBothThemes = [
  ['light', large, 'light'],
  ['dark', large, 'dark'],
]
const andSmall = [...inBothThemes, ['light', small, 'small']]
const inEverySize = [...andSmall, ['light', narrow, 'narrow'], ['light', wide, 'wide']]

/** One picture in each theme, and a small one in light, unless other ones are named. */
async function shoot(name, views = andSmall) {
  await page.mouse.move(2, 2)
  await page.evaluate(hidePaths, paths())
  for (const [theme, size, suffix] of views) {
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
await shoot('first-start', inEverySize)
const [example] = await call('Tasks')
if (!example) throw new Error('the first start shows no example')
for (const place of ['checkpoint', 'check', 'sources', 'history', 'report']) {
  await go(`#/task/${example.id}/${place}`)
  if (place === 'checkpoint') await page.locator('[data-claim]').first().click()
  await page.waitForTimeout(300)
  if (place === 'report') await page.locator('.report .s').nth(1).focus()
  await shoot(`example-${place}`, place === 'checkpoint' || place === 'check' ? inEverySize : andSmall)
}
await go(`#/task/${example.id}/check`)
await page.keyboard.press('m')
await page.keyboard.type('The quote gives two data sets, the claim a sum.')
await shoot('check-says-more', inBothThemes)
await page.keyboard.press('Enter')
await page.waitForTimeout(500)
await go(`#/task/${example.id}/checkpoint`)
await page.getByRole('button', { name: /^You marked it as saying more/ }).click()
await shoot('to-check-says-more', inBothThemes)
await page.keyboard.press('Control+z')
await page.getByText(/^Undone/).waitFor()
await page.locator('.said').getByRole('button', { name: 'Close' }).click()
await page.keyboard.press('?')
await shoot('keys', inBothThemes)
await page.keyboard.press('Escape')

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

// A folder with files that can't be read, and names that would deceive.
dir = await mkdtemp(join(tmpdir(), 'cairn-pictures-'))
const odd = join(dir, 'odd')
await cp(sample, odd, { recursive: true })
await writeFile(join(odd, 'empty.txt'), '')
await writeFile(join(odd, 'photo-of-the-minutes.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]))
await writeFile(join(odd, 'annual-report\u202Edm.txt'), 'The report of the year was printed in March. It names two authors.\n')
await page.getByLabel('Folder with the documents').fill(odd)
await page.getByText(/\d+ files/).first().waitFor()
await shoot('new-task-ready', [...inBothThemes, ['light', narrow, 'narrow']])
await page.keyboard.press('Escape')

// A task without a model: candidates only.
const form = {
  title: 'Candidates only', goal: 'How five published studies find harmful content.', constraints: [], folder: sample,
  questions: ['What data did each study use, and how large is it?', 'What weaknesses do the authors admit?'],
  model: '-', depth: 'thorough', budget: 0, start: true,
}
const candidates = await call('Create', form)
await until(candidates, ended, 60)
await go(`#/task/${candidates}/checkpoint`)
await page.locator('[data-candidate]').first().click()
await page.waitForTimeout(300)
await shoot('no-model')
const mixed = await call('Create', {
  ...form, folder: odd, start: true,
  title: 'Names that deceive, files that can’t be read, and a title that goes on for much longer than any line of the window is wide',
})
await until(mixed, ended, 60)
await go(`#/task/${mixed}/sources`)
await shoot('sources-unreadable', [...inBothThemes, ['light', narrow, 'narrow']])
const nothing = join(dir, 'nothing')
await mkdir(nothing)
await writeFile(join(nothing, 'half-a-scan.pdf'), '%PDF-1.7\n1 0 obj\n<< /Type /Catalog')
const stuck = await call('Create', { ...form, title: 'Nothing that can be read', folder: nothing, start: true })
await until(stuck, ended, 60)
await go(`#/task/${stuck}/checkpoint`)
await shoot('stuck', inBothThemes)

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
await shoot('running', inEverySize)
await go(`#/task/${task}/checkpoint`)
await shoot('running-checkpoint')
await call('Stop', task)
await until(task, ['paused', 'interrupted', ...ended], 30)
await go(`#/task/${task}/run`)
await shoot('paused')
// Ollama goes away: nothing answers at this address.
const prefs = await call('Preferences')
await call('SetPreferences', { ...prefs, ollama: 'http://127.0.0.1:9' })
await call('Run', task)
await until(task, ['waiting'], 60)
await page.waitForTimeout(600)
await shoot('waiting', inBothThemes)
await call('Stop', task)
await until(task, ['paused', 'interrupted', ...ended], 30)
await call('SetPreferences', prefs)
await call('Run', task)
await until(task, ended, 1500)
for (const place of ['checkpoint', 'run', 'history', 'report']) {
  await go(`#/task/${task}/${place}`)
  await shoot(`done-${place}`, place === 'checkpoint' ? inEverySize : andSmall)
}
await go(`#/handover/${task}`)
await shoot('hand-over')

// The system's dialogs can't be driven here: they answer with this file.
const file = join(dir, 'a-trial-run.cairn.md')
await page.evaluate((path) => {
  for (const dialog of ['ChooseSave', 'ChooseOpen']) window.go.window.App[dialog] = () => Promise.resolve(path)
}, file)
await page.getByRole('button', { name: 'Save…' }).click()
await page.getByRole('button', { name: 'Show the file' }).waitFor()
await shoot('hand-over-saved', inBothThemes)
await go('#/import')
await page.getByRole('button', { name: 'Choose a file…' }).click()
await page.getByText(/lines, unbroken/).waitFor()
await shoot('import-preview', [...inBothThemes, ['light', narrow, 'narrow']])

// A deletion, and what is left when everything is gone.
await go(`#/task/${task}/checkpoint`)
await page.getByRole('button', { name: 'More', exact: true }).click()
await page.getByRole('menuitem', { name: 'Delete this task…' }).click()
await page.waitForTimeout(300)
await shoot('delete', inBothThemes)
await page.getByRole('button', { name: 'Keep it' }).click()
for (const t of await call('Tasks')) await call('Delete', t.id)
await page.goto(url)
await page.getByText('A task begins with a goal').first().waitFor()
await shoot('nothing-yet', inBothThemes)
await rm(dir, { recursive: true, force: true })

await browser.close()
if (wrong.length > 0) throw new Error(wrong.join('\n'))
await writeFile(join(folder, 'README.md'), '# Pictures\n\nMade by `go run ./build pictures` from the running program: each state in both themes, some also small (1024×640), narrow (800×600) and wide (1920×1080).\n\nStates that a working computer does not come into, such as a full disk or a damaged record, are not here: `npm run look` in `frontend/` shows them with sample data, and the browser tests measure them.\n')
