// Every place and state of the page as the fake build shows it: name, scene,
// address, and what is done there before it is looked at.
const choose = (page) => page.locator('[data-claim]').first().click()
const home = '#/task/t1/checkpoint'
const states = [
  'starting', 'loading', 'queued', 'writing', 'checking', 'saving', 'asleep', 'paused', 'stopped', 'needs_you',
  'stuck', 'disk_full', 'read_only', 'model_missing', 'waiting', 'damaged',
] // prettier-ignore

export const shots = [
  ['checkpoint', 'running', home, choose],
  ['plain', 'running', home],
  ['run', 'running', '#/task/t1/run'],
  ['check', 'running', '#/task/t1/check', (p) => p.keyboard.press('l')],
  ['check-more', 'running', '#/task/t1/check', (p) => p.keyboard.press('m')],
  ['sources', 'running', '#/task/t1/sources'],
  ['history', 'running', '#/task/t1/history'],
  ['past', 'running', '#/task/t1/checkpoint/40'],
  ['report', 'done', '#/task/t3/report', (p) => p.locator('.s').nth(1).hover()],
  ['report-beside', 'done', '#/task/t3/report', (p) => p.locator('.s').nth(1).click()],
  ['first', 'first', '#/'],
  ['empty', 'empty', home],
  ['empty-run', 'empty', '#/task/t1/run'],
  ['empty-check', 'empty', '#/task/t1/check'],
  ['empty-sources', 'empty', '#/task/t1/sources'],
  ['empty-history', 'empty', '#/task/t1/history'],
  ['empty-report', 'empty', '#/task/t1/report'],
  ['nomodel', 'nomodel', home, (p) => p.locator('[data-candidate]').first().click()],
  ['interrupted', 'interrupted', home, (p) => p.getByRole('button', { name: 'Go on' }).click()],
  ...states.map((s) => [`state-${s}`, s, '#/task/t1/run']),
  ['long', 'long', home, choose],
  ['long-sources', 'long', '#/task/t1/sources'],
  ['long-check', 'long', '#/task/t1/check'],
  ['long-handover', 'long', '#/handover/t1'],
  ['many', 'many', home],
  ['error', 'error', home],
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
  ['import-empty', 'running', '#/import'],
  ['import', 'running', '#/import', (p) => p.getByRole('button', { name: 'Choose a file…' }).click()],
  [
    'delete',
    'running',
    home,
    async (p) => {
      await p.getByRole('button', { name: 'More', exact: true }).click()
      await p.getByRole('menuitem', { name: /Delete/ }).click()
    },
  ],
  ['menu', 'running', home, (p) => p.getByRole('button', { name: 'More', exact: true }).click()],
  ['keys', 'running', home, (p) => p.keyboard.press('?')],
  [
    'retract',
    'running',
    home,
    async (p) => {
      await choose(p)
      await p.getByRole('button', { name: 'Retract…' }).click()
    },
  ],
  [
    'said',
    'running',
    home,
    async (p) => {
      await choose(p)
      await p.getByRole('button', { name: 'Confirm', exact: true }).click()
    },
  ],
]

/** Builds the fake page and serves it under the strict policy of a real build. */
export async function serve() {
  const { build, preview } = await import('vite')
  await build({ mode: 'fake', logLevel: 'error' })
  const server = await preview({
    mode: 'fake',
    build: { outDir: 'node_modules/.cache/fake' },
    preview: { port: 0 },
    logLevel: 'error',
  })
  return { url: server.resolvedUrls.local[0], close: () => server.close() }
}

export const address = (url, scene, hash, theme) => `${url}?scene=${scene}&theme=${theme}&still=1${hash}`
