// Browser tests of the whole program. CAIRN_URL is a running dev build with a fresh
// home folder; everything else is made here. Optional: CAIRN_BROWSER (a Chromium),
// CAIRN_SHOTS (a folder for pictures of failures).
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documents, goal, questions } from './documents.mjs'
import { holds, run, same } from './harness.mjs'
import { layout } from './layout.mjs'
import { fakeOllama } from './ollama.mjs'

const url = process.env.CAIRN_URL
if (!url) {
  console.error('CAIRN_URL is not set: give the address of a running dev build.')
  process.exit(2)
}

const dir = await mkdtemp(join(tmpdir(), 'cairn-e2e-'))
const ollama = await fakeOllama()
const file = join(dir, 'lighthouses.cairn.md')

const heading = (page, name) => page.getByRole('heading', { level: 1, name })
const state = (page) => page.locator('.head .state')

/** Opens a task by its title in the left column. */
async function open(page, title) {
  await page.getByRole('navigation', { name: 'Tasks' }).getByRole('link', { name: title }).first().click()
  await heading(page, title).waitFor()
}

async function create(page, { title, folder, model = '' }) {
  await page.getByRole('link', { name: 'New task…' }).click()
  await page.getByLabel('Goal').fill(goal)
  await page.getByLabel('Question 1', { exact: true }).fill(questions[0])
  await page.getByLabel('Question 1', { exact: true }).press('Enter')
  await page.getByLabel('Question 2', { exact: true }).fill(questions[1])
  await page.getByLabel('Folder with the documents').fill(folder)
  await page.getByText('Title, limits, time of your own').click()
  await page.getByLabel('Title in the list').fill(title)
  await page
    .getByRole('radio', { name: model === '-' ? /No model/ : new RegExp(ollama.name) })
    .last()
    .check()
  await page
    .getByText(/\d+ files?/)
    .first()
    .waitFor()
  await page
    .getByRole('button', { name: model === '-' ? 'Start without a model' : 'Start', exact: true })
    .click()
  await heading(page, title).waitFor()
}

const place = (page, name) =>
  page.getByRole('navigation', { name: 'Places of this task' }).getByRole('link', { name }).click()

async function remove(page) {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete this task…' }).click()
  await page
    .getByRole('dialog')
    .getByText(/Your documents stay where they are/)
    .waitFor()
  await page.getByRole('button', { name: 'Delete for good' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Native dialogs can't be driven here: this one answers with a path. */
const answers = (page, dialog, path) =>
  page.evaluate(([d, p]) => void (window.go.window.App[d] = () => Promise.resolve(p)), [dialog, path])

async function fits(page) {
  for (const [width, height] of [
    [1024, 640],
    [1100, 700],
    [1280, 800],
    [1440, 900],
    [2560, 1400],
  ]) {
    await page.setViewportSize({ width, height })
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    holds(over <= 0, `wider than a window of ${width} by ${over}`)
  }
}

const tests = [
  [
    'the first start opens the finished example and says what it is',
    async (page) => {
      await page.locator('.head h1').waitFor()
      await page.getByText('example written by the makers').first().waitFor()
      for (const name of ['Solved so far', 'Still to check', 'Next step'])
        await page.getByRole('heading', { name }).waitFor()
      await page.getByRole('link', { name: 'Start with your own folder…' }).waitFor()
      holds((await page.locator('[data-claim]').count()) >= 3, 'fewer than three claims in the example')
      await fits(page)
    },
  ],

  [
    'a claim opens its quote in its source, at the sentence',
    async (page) => {
      const claim = page.locator('[data-claim]').first()
      await claim.click()
      const side = page.getByRole('complementary', { name: 'Source of the chosen claim' })
      await side.locator('mark').first().waitFor()
      holds((await side.locator('mark').first().innerText()).length > 10, 'nothing is marked')
      await page.keyboard.press('j')
      await page.locator('[data-claim][aria-pressed="true"]').waitFor()
      same(
        await page.locator('[data-claim]').nth(1).getAttribute('aria-pressed'),
        'true',
        'the second claim is chosen by key',
      )
      await page.keyboard.press('Escape')
      await side.locator('mark').waitFor({ state: 'detached' })
    },
  ],

  [
    'every place of the example can be opened',
    async (page) => {
      await page.locator('.head h1').waitFor()
      await place(page, 'Report')
      const sentence = page.locator('.report .s').first()
      await sentence.focus()
      await page.getByText('This sentence rests on').waitFor()
      await place(page, /^Sources/)
      await page.getByRole('row').nth(5).waitFor()
      await place(page, 'History')
      await page.locator('.time li').first().waitFor()
      await place(page, 'Run')
      await page.getByRole('heading', { name: 'What has been read' }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog').getByText('Undo what you did last').waitFor()
    },
  ],

  [
    'the theme is kept',
    async (page) => {
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('radio', { name: 'Dark' }).check()
      await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
      await page.waitForTimeout(300)
      await page.reload()
      await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
      await page.getByRole('radio', { name: 'As the system' }).check()
      await page.waitForFunction(() => document.documentElement.dataset.theme === 'light')
      await page.waitForTimeout(300)
    },
  ],

  [
    'the form says what is missing and creates nothing',
    async (page) => {
      await page.getByRole('link', { name: 'New task…' }).click()
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await page.getByRole('alert').first().waitFor()
      await page.getByLabel('Folder with the documents').fill(join(dir, 'nowhere'))
      await page.locator('#folder-says.warned').waitFor()
      holds(page.url().endsWith('#/new'), 'it stays on the form')
    },
  ],

  [
    'without a model, a candidate is accepted, corrected, retracted and taken back',
    async (page) => {
      await create(page, {
        title: 'Lighthouses by hand',
        folder: await documents(join(dir, 'hand')),
        model: '-',
      })
      await place(page, 'Checkpoint')
      await page.getByText('candidate, not read by a model').first().waitFor()
      await page.getByRole('button', { name: 'Accept', exact: true }).first().click()
      const claim = page.locator('[data-claim]').first()
      await claim.getByText('you checked').waitFor()
      await claim.click()
      const side = page.getByRole('complementary', { name: 'Source of the chosen claim' })
      await side.locator('mark').first().waitFor()
      await side.getByRole('button', { name: 'Retract…' }).click()
      await side.getByLabel('Why it no longer stands').fill('Another lighthouse is meant.')
      await side.getByRole('button', { name: 'Retract', exact: true }).click()
      await page.getByText('1 retracted claim, kept with the reason').waitFor()
      await page.getByRole('status').getByRole('button', { name: /Undo/ }).click()
      await page.getByText('1 retracted claim, kept with the reason').waitFor({ state: 'detached' })
      await page.locator('article [data-claim]').first().waitFor()
      await place(page, /^Sources/)
      await page.getByRole('row').filter({ hasText: 'empty.txt' }).getByText('can’t be read').waitFor()
      // A character that would turn the name around is shown, and turns nothing.
      const named = page.getByRole('row').filter({ hasText: 'tides' })
      await named.getByText('U+202E').first().waitFor()
      holds(!(await named.innerText()).includes('\u202E'), 'the name is shown as it would turn itself')
    },
  ],

  [
    'a model is found at the address that was set',
    async (page) => {
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByLabel('Address').fill(ollama.address)
      await page.getByRole('button', { name: 'Save' }).click()
      await page
        .getByRole('radio', { name: new RegExp(ollama.name) })
        .last()
        .waitFor()
    },
  ],

  [
    'a task runs to its end, streaming, with quotes and a report',
    async (page) => {
      ollama.state.pace = 60
      await create(page, { title: 'Lighthouses', folder: await documents(join(dir, 'papers')) })
      await place(page, 'Run')
      await page.getByLabel('Text of the running call').waitFor({ timeout: 60_000 })
      ollama.state.pace = 2
      await state(page).filter({ hasText: /^Done/ }).waitFor({ timeout: 120_000 })
      await place(page, 'Checkpoint')
      await page.locator('[data-claim]').first().click()
      await page.locator('aside mark').first().waitFor()
      await page.getByText('quote attached').first().waitFor()
      await place(page, 'Report')
      await page.locator('.report .s').first().waitFor()
      await fits(page)
    },
  ],

  [
    'stopping keeps everything, also over a reload, and going on ends it',
    async (page) => {
      ollama.state.pace = 80
      await create(page, { title: 'Lighthouses, many', folder: await documents(join(dir, 'many'), 8) })
      await place(page, 'Run')
      await page.getByLabel('Text of the running call').waitFor({ timeout: 60_000 })
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByRole('button', { name: 'Go on' }).waitFor()
      await page.reload()
      await heading(page, 'Lighthouses, many').waitFor()
      ollama.state.pace = 1
      await page.getByRole('button', { name: 'Go on' }).click()
      await state(page).filter({ hasText: /^Done/ }).waitFor({ timeout: 180_000 })
      await place(page, 'History')
      await page
        .getByRole('link', { name: /^Checkpoint \d/ })
        .last()
        .click()
      await page.getByText(/It can be read, not changed/).waitFor()
      await page.getByRole('link', { name: 'Back to now' }).click()
      await page.getByText(/It can be read, not changed/).waitFor({ state: 'detached' })
    },
  ],

  [
    'claims are judged one at a time by key',
    async (page) => {
      await open(page, /^Lighthouses\b(?!,| by)/)
      await place(page, /^Check\s*\d/)
      await page.getByText(/^1 of \d+$/).waitFor()
      await page.locator('.paper mark').first().waitFor()
      await page.keyboard.press('r')
      await page.getByText(/^2 of \d+$/).waitFor()
      await page.keyboard.press('Control+z')
      await page.getByText(/^Und/i).first().waitFor()
    },
  ],

  [
    '“says more” is a verdict: it stands under “to check”, and is taken back',
    async (page) => {
      await open(page, /^Lighthouses\b(?!,| by)/)
      await place(page, /^Check\s*\d/)
      const claim = await page.locator('.desk h2').innerText()
      await page.keyboard.press('m')
      await page.getByLabel(/What it says beyond its quote/).fill('the year')
      await page.keyboard.press('Enter')
      await page.getByText(/^2 of \d+$/).waitFor()
      holds((await page.locator('.desk h2').innerText()) !== claim, 'the next claim is shown')
      await place(page, 'Checkpoint')
      const item = page.getByRole('button', { name: /^You marked it as saying more than its quote/ })
      await item.click()
      await page.locator('.insp').getByText('You marked it as saying more than its quote: the year').waitFor()
      await page.keyboard.press('Control+z')
      await item.waitFor({ state: 'detached' })
    },
  ],

  [
    'the window is worked by keyboard alone: a new task, and back to where one was',
    async (page) => {
      await page.locator('.head h1').waitFor()
      await page.keyboard.press('Tab')
      await page.getByRole('button', { name: 'To the page' }).press('Enter')
      await page.keyboard.press('j')
      const chosen = page.locator('[aria-pressed="true"]').first()
      await chosen.waitFor()
      const ring = await chosen.evaluate((el) => getComputedStyle(el).outlineStyle)
      same(ring, 'solid', 'the focus is seen')
      const before = await chosen.getAttribute('data-claim')
      await page.keyboard.press('n')
      await page.getByRole('heading', { level: 1, name: 'New task' }).waitFor()
      await page.waitForFunction(() => document.activeElement?.id === 'goal')
      await page.keyboard.type('Nothing is lost')
      await page.keyboard.press('Escape')
      await page.locator('.head h1').waitFor()
      await page.waitForFunction(
        (id) => id === null || document.activeElement?.getAttribute('data-claim') === id,
        before,
      )
      await page.keyboard.press('n')
      same(await page.getByLabel('Goal').inputValue(), 'Nothing is lost', 'what was written')
      await page.getByRole('button', { name: 'Empty the form' }).click()
    },
  ],

  [
    'a hand-off is written, previewed and accepted as a new task',
    async (page) => {
      await open(page, /^Lighthouses\b(?!,| by)/)
      await page.getByRole('link', { name: 'Hand over…' }).click()
      await page.locator('.md h2').first().waitFor()
      await answers(page, 'ChooseSave', file)
      await page.getByRole('button', { name: 'Save…' }).click()
      await page.getByRole('button', { name: 'Show the file' }).waitFor()
      holds((await readFile(file, 'utf8')).includes('ighthouse'), 'the file holds the task')
      await page.getByRole('link', { name: 'Open a hand-off…' }).click()
      await answers(page, 'ChooseOpen', file)
      await page.getByRole('button', { name: 'Choose a file…' }).click()
      await page.getByText(/lines, unbroken/).waitFor()
      await fits(page)
      await page.setViewportSize({ width: 1440, height: 900 })
      const accept = page.getByRole('button', { name: 'Accept as a new task' })
      await accept.click()
      await page.getByRole('alert').filter({ hasText: 'Everything in this file is here already.' }).waitFor()
      // Gone here, it comes from the file alone.
      await open(page, /^Lighthouses\b(?!,| by)/)
      await remove(page)
      await page.getByRole('link', { name: 'Open a hand-off…' }).click()
      await answers(page, 'ChooseOpen', file)
      await page.getByRole('button', { name: 'Choose a file…' }).click()
      await accept.click()
      await page.locator('.head h1').waitFor()
      await page
        .getByText(/from a file/)
        .first()
        .waitFor()
    },
  ],

  [
    'an altered hand-off is refused with what no longer fits',
    async (page) => {
      const text = await readFile(file, 'utf8')
      const at = text.lastIndexOf('"op":"claim"')
      holds(at > 0, 'the block holds claims')
      const broken = join(dir, 'broken.cairn.md')
      await writeFile(broken, `${text.slice(0, at)}"op":"claym"${text.slice(at + 12)}`)
      await page.getByRole('link', { name: 'Open a hand-off…' }).click()
      await answers(page, 'ChooseOpen', broken)
      await page.getByRole('button', { name: 'Choose a file…' }).click()
      await page.getByText('This file was not taken.').waitFor()
      holds(!(await page.getByRole('alert').first().innerText()).includes('[object'), 'the reason is words')
    },
  ],

  [
    'a task is deleted after it was said what that means',
    async (page) => {
      await open(page, /^Lighthouses by hand/)
      await remove(page)
      await page
        .getByRole('navigation', { name: 'Tasks' })
        .getByRole('link', { name: 'Lighthouses by hand' })
        .waitFor({ state: 'detached' })
    },
  ],
]

const only = new RegExp(process.env.CAIRN_ONLY ?? '')
const looks = layout()
let good = false
try {
  good = await run(
    url,
    [...tests, ...looks.tests].filter(([name]) => only.test(name)),
  )
} finally {
  await ollama.close()
  await looks.close()
  await rm(dir, { recursive: true, force: true })
}
process.exit(good ? 0 : 1)
