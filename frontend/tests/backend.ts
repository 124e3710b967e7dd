// A stand-in for api.ts: every method is a spy with an answer of its own, which a
// test may replace.
import { vi } from 'vitest'
import * as sample from '../dev/sample'
import { draft } from '../src/lib/draft.svelte'
import { nav } from '../src/lib/nav.svelte'
import type { Event, Preferences, Setup, TaskSummary, VaultState, View } from '../src/lib/types'
import { work } from '../src/lib/work.svelte'
import { world } from '../src/lib/world.svelte'
import { backend } from './spies'

export let listener: ((e: Event) => void) | undefined

export const prefs: Preferences = {
  theme: 'system',
  auto_go_on: true,
  model: 'gemma3:4b',
  ollama: '',
  welcomed: true,
}

export const setup: Setup = {
  stage: 'ready',
  sentence: 'Ready.',
  done: 0,
  total: 0,
  left_s: -1,
  error: null,
  runtime: 'Ollama 0.17.4 at 127.0.0.1:11434',
  models: [
    { name: 'gemma3:4b', digest: 'd', bytes: 3_340_000_000, trial: false, note: '', default: true },
    {
      name: 'smollm2:135m',
      digest: 'e',
      bytes: 98_000_000,
      trial: true,
      note: 'For trying only.',
      default: false,
    },
  ],
  home: '/home/you/.local/share/cairn',
  version: '0.1.0',
}

export const vault: VaultState = {
  folder: '/home/you/.local/share/cairn',
  histories: 2,
  lines: 120,
  store: 4_000_000,
  journals: 1_000_000,
  aside: 0,
  drafts: 0,
  free: 40_000_000_000,
  read_only: false,
  backups: [],
  notices: [],
}

export const task = (change: Partial<TaskSummary> = {}): TaskSummary => ({
  id: 't1',
  title: 'Harmful content',
  goal: 'Harmful content',
  state: 'reading',
  group: 'working',
  line: 'reading, done by 15:05',
  example: false,
  changed: 1,
  damage: '',
  ...change,
})

export { backend }

const answers = (): Record<string, unknown> => ({
  tasks: [task()],
  view: sample.runningView('t1'),
  sources: sample.sources,
  sourceText: {
    source: sample.sources[0],
    first: 1,
    total: 9,
    sentences: sample.sentencesOf('fake-news-metadata.md').slice(0, 8),
  },
  timeline: sample.entries,
  candidates: sample
    .runningView('t1')
    .questions.map((q, i) => ({ ...q, candidates: sample.candidates[i] ?? [] })),
  checkForm: { problems: [], folder: '', files: 0, likely: 0, promises: [], can_start: true, model: '' },
  create: 't9',
  run: undefined,
  stop: undefined,
  remove: 'Deleted.',
  planErase: {
    task: 't1',
    title: 'A title',
    source: '',
    name: '',
    question: 'Delete “A title” for good?',
    removed: ['1 history with 61 lines, in the store and in the journals'],
    yours: [],
    stays: ['2 stored texts that other tasks or alternatives name too.'],
    beyond: ['The exported file /exports/theirs.cairn.md'],
    now: '',
    sentence: '',
    done: false,
  },
  ask: 'q9',
  dropQuestion: undefined,
  reopenQuestion: undefined,
  acceptCandidate: 'c9',
  accept: undefined,
  judge: undefined,
  retract: undefined,
  edit: 'c8',
  addNote: 'n9',
  setAside: undefined,
  takeBack: undefined,
  undo: 'Undone: your check.',
  export: {
    good: true,
    sentence: 'Written.',
    line: 0,
    lines: 61,
    withheld: 0,
    claims: 6,
    quotes: 6,
    chain: '',
    state_hash: '',
  },
  renderExport: '# Title\n\nText.\n\n```cairn\n{"a":1}\n```\n',
  previewImport: {
    token: 'x',
    name: 'a.cairn.md',
    title: 'A title',
    goal: 'A goal',
    from: 'unsigned',
    lines: 12,
    withheld: 0,
    claims: 3,
    questions: 2,
    checked: 1,
    sources: 2,
    here: 1,
    missing: ['b.md'],
    warnings: ['It is unsigned.'],
  },
  acceptImport: 't7',
  setup,
  preferences: prefs,
  setPreferences: undefined,
  setModel: undefined,
  doctor: [{ name: 'Disk', value: '1 GB free', good: false, mend: 'Make room.' }],
  vault,
  vaultCheck: { sound: true, sentence: 'Everything is whole.', do: '', faults: [] },
  vaultCompact: { before: 9, after: 4, dropped: 0, sentence: 'The store takes 4 kB now.' },
  vaultBackup: { path: '/home/you/b', sentence: 'Backed up.', removed: [] },
  chooseFolder: '/home/you/papers',
  chooseSave: '/home/you/a.cairn.md',
  chooseOpen: '/home/you/a.cairn.md',
  revealFile: undefined,
  windowReady: [],
})

/** Puts every spy and every store back to the beginning. */
export function reset(): void {
  for (const [name, value] of Object.entries(answers())) {
    backend[name] = vi.fn(() => Promise.resolve(value))
  }
  backend.onEvent = vi.fn((fn: (e: Event) => void) => {
    listener = fn
    return () => (listener = undefined)
  })
  work.close()
  work.busy = false
  work.missing = false
  nav.route = { name: 'home' }
  nav.chosen = null
  world.tasks = []
  world.loaded = false
  world.setup = setup
  world.prefs = { ...prefs }
  world.problem = null
  world.opened = ''
  world.help = false
  world.quiet()
  draft.clear()
}

export const give = (name: string, value: unknown): void =>
  void backend[name]?.mockImplementation(() => Promise.resolve(value))

export const refuse = (name: string, problem: object): void =>
  void backend[name]?.mockImplementation(() => Promise.reject(problem))

/** Opens a view as if Go had answered with it. */
export async function opened(view: View): Promise<View> {
  give('view', view)
  await work.open(view.id, view.at)
  nav.route = { name: 'task', id: view.id, place: 'checkpoint', at: view.at }
  return view
}
