// Stands in for src/lib/api.ts in mode "fake". The scene is named in the address:
// ?scene=running (default), error, none, or one of scenes.ts.
import type { Api, Seen } from '../src/lib/api'
import { Trouble } from '../src/lib/trouble'
import type { Event, Preferences, Setup, TaskSummary } from '../src/lib/types'
import * as sample from './sample'
import { hostile, viewFor } from './scenes'

export type { Seen }

const query = new URLSearchParams(location.search)
const scene = query.get('scene') ?? 'running'
const theme = query.get('theme') ?? 'system'

const listeners = new Set<(e: Event) => void>()
const emit = (e: Event): void => listeners.forEach((fn) => fn(e))

const row = (
  id: string,
  title: string,
  group: string,
  state: string,
  line: string,
  example = false,
): TaskSummary => ({
  id,
  title,
  goal: title,
  state,
  group,
  line,
  example,
  changed: sample.now,
  damage: '',
})

let view = viewFor(scene)
let seq = view.seq
let tasks: TaskSummary[] =
  scene === 'none'
    ? []
    : scene === 'first'
      ? [row('t3', 'Example: five studies', 'finished', 'done', 'example written by the makers', true)]
      : [
          row(
            't1',
            view.title,
            view.status.running ? 'working' : 'needs_you',
            view.status.state,
            view.status.running ? 'reading, done by 15:05' : 'waits for you',
          ),
          row('t2', 'Insulation retrofits, cost and effect', 'needs_you', 'needs_you', '2 questions parked'),
          row('t3', 'Example: five studies', 'finished', 'done', 'example written by the makers', true),
          row('t4', 'Minutes 1962–1971', 'finished', 'done', 'done on Friday'),
        ]
if (scene === 'damaged' && tasks[0]) tasks[0] = { ...tasks[0], damage: 'two records rebuilt' }

let prefs: Preferences = {
  theme,
  auto_go_on: true,
  model: 'gemma3:4b',
  ollama: '',
  welcomed: scene !== 'first',
}

const setup: Setup = {
  stage: scene === 'first' ? 'getting_model' : scene === 'nomodel' ? 'no_model' : 'ready',
  sentence:
    scene === 'first'
      ? 'Runtime ready. Getting a small model to try things out, 98 MB, 40 s left.'
      : 'Ollama 0.17.4 at 127.0.0.1:11434 is ready.',
  done: 41_000_000,
  total: scene === 'first' ? 98_000_000 : 0,
  left_s: scene === 'first' ? 40 : -1,
  error: null,
  runtime: 'Ollama 0.17.4 at 127.0.0.1:11434',
  models: [
    { name: 'gemma3:4b', digest: 'd1', bytes: 3_340_000_000, trial: false, note: '', default: true },
    {
      name: 'smollm2:135m',
      digest: 'd2',
      bytes: 98_000_000,
      trial: true,
      note: 'For trying only: it is far too small to be right about anything.',
      default: false,
    },
  ],
  home: '~/.local/share/cairn',
  version: '0.1.0',
}

const wait = <T>(v: T): Promise<T> => new Promise((done) => setTimeout(() => done(v), 15))
const changed = (): Promise<void> => {
  seq++
  view = { ...view, seq, can_undo: true, undo_what: 'what you did last' }
  return wait(undefined)
}
const failing = (): never => {
  throw new Trouble({
    kind: 'model_away',
    what: 'Ollama does not answer at 127.0.0.1:11434.',
    safe: 'Everything up to 14:03:22 is saved.',
    do: 'Start Ollama, or use the built-in runtime.',
  })
}

const page = `# ${view.title}

${view.goal}

> Made with Cairn. What stands below was computed from the record at the end of this file. **Quote attached** means that these words stand there; whether they support the claim is not checked.

## Solved so far

### 1. What data did each study use, and how large is it?

- The sample held 1 785 855 tweets by 848 196 users. *(quote attached)*
  > The sample collected consisted on 1 785 855 tweets published by 848 196 different users.
- The offensive-language data set holds 14,100 tweets. *(checked by a person)*

## Still to check

1. 5 claims nobody has checked
2. 1 file can’t be read

| Document | Sentences | Claims |
|---|---|---|
| fake-news-metadata.md | 9 | 2 |
| cyberbullying.md | 7 | 3 |

\`\`\`cairn
${'{"at":1,"by":"engine","op":"checkpoint"}\n'.repeat(40)}\`\`\`
`

export const api: Api = {
  tasks: () => wait(tasks),
  view: (id, at) => {
    if (scene === 'error')
      return Promise.reject(
        new Trouble({
          kind: 'damaged',
          what: 'The record of this task could not be opened.',
          safe: 'Nothing was changed.',
          do: 'Run the repair from Settings, Health.',
        }),
      )
    const v = id === 't3' ? sample.doneView('t3') : { ...view, id }
    return wait(
      at > 0 ? { ...v, at, can_undo: false, status: { ...v.status, running: false, checkpoint: 12 } } : v,
    )
  },
  sources: () =>
    wait(
      scene === 'empty'
        ? []
        : scene === 'long'
          ? sample.sources.map((s) => ({
              ...s,
              title: '',
              name: `${'deeply-nested-name-'.repeat(6)}${hostile}`,
            }))
          : sample.sources,
    ),
  sourceText: (_task, source, from, to) => {
    const all = sample.sentencesOf(source)
    const first = Math.max(1, from - 3)
    return wait({
      source: sample.sources.find((s) => s.id === source) ?? (sample.sources[0] as never),
      first,
      total: all.length,
      sentences: all.slice(first - 1, to + 4),
    })
  },
  timeline: (_task, full) =>
    wait(
      scene === 'empty'
        ? []
        : sample.entries.filter((e) => full || (e.kind !== 'call' && e.kind !== 'refuse')),
    ),
  candidates: () =>
    wait(
      scene === 'empty'
        ? []
        : view.questions.map((q, i) => ({ ...q, candidates: sample.candidates[i] ?? [] })),
    ),
  checkForm: (form) =>
    wait({
      problems: [
        ...(form.goal === '' ? [{ field: 'goal', text: 'Say in a sentence what you want to know.' }] : []),
        ...(form.questions.length === 0 ? [{ field: 'questions', text: 'Ask at least one question.' }] : []),
        ...(form.folder === ''
          ? [{ field: 'folder', text: 'Name the folder that holds the documents.' }]
          : []),
      ],
      folder: form.folder === '' ? '' : '80 files, 78 readable, 2 not (1 picture, 1 empty)',
      files: 80,
      likely: 78,
      promises: [
        { depth: 'quick', text: 'First findings in 2 minutes, done by 14:33.', seconds: 1800 },
        {
          depth: 'thorough',
          text: 'First findings in 2 minutes, every document touched by 23:40.',
          seconds: 34_000,
        },
        { depth: 'exhaustive', text: 'Everything by Tuesday 9:00.', seconds: 130_000 },
      ],
      can_start: form.goal !== '' && form.questions.length > 0 && form.folder !== '',
      model:
        form.model === '-'
          ? 'Without a model, search finds sentences at once.'
          : 'gemma3:4b reads 41 tokens a second here.',
    }),
  create: () => wait('t1'),
  run: () => (scene === 'interrupted' ? Promise.resolve().then(failing) : changed()),
  stop: () => {
    view = {
      ...view,
      status: {
        ...view.status,
        state: 'stopped',
        sentence: 'Stopped',
        running: false,
        can_run: true,
        stream: '',
      },
    }
    return changed()
  },
  planErase: (id, source) =>
    wait({
      task: id,
      title: view.title,
      source,
      name: '',
      question: `Delete “${view.title}” for good, with its whole history?`,
      removed: ['1 history with 61 lines, in the store and in the journals', '14 stored texts'],
      yours: [],
      stays: [],
      beyond: ['Backups in other folders, and copies that backup programs made'],
      now: '',
      sentence: '',
      done: false,
    }),
  remove: (id) => {
    tasks = tasks.filter((t) => t.id !== id)
    return wait('Deleted: 61 lines and 14 texts. What you handed over can’t be reached.')
  },
  ask: () => changed().then(() => 'q9'),
  dropQuestion: changed,
  reopenQuestion: changed,
  acceptCandidate: () => changed().then(() => 'c99'),
  accept: (_t, id) => {
    const check = <C extends { id: string }>(c: C): C =>
      c.id === id ? { ...c, trust: 'checked', word: 'you checked' } : c
    view = { ...view, questions: view.questions.map((q) => ({ ...q, claims: q.claims.map(check) })) }
    return changed()
  },
  judge: (_t, id, verdict, reason) => {
    const flag = `You marked it as saying more than its quote${reason === '' ? '' : `: ${reason}`}`
    view = {
      ...view,
      questions: view.questions.map((q) => ({
        ...q,
        claims: q.claims.map((c) => (c.id === id ? { ...c, verdict, flags: [...c.flags, flag] } : c)),
      })),
    }
    return changed()
  },
  retract: changed,
  edit: () => changed().then(() => 'c98'),
  addNote: () => changed().then(() => 'n9'),
  setAside: changed,
  takeBack: changed,
  undo: () => changed().then(() => 'Undone: what you did last.'),
  export: (_t, path) =>
    wait({
      good: true,
      sentence: `Written to ${path.split('/').pop() ?? path}, and checked by reading it back.`,
      line: 0,
      lines: 61,
      withheld: 0,
      claims: 6,
      quotes: 6,
      chain: 'ab',
      state_hash: 'cd',
    }),
  renderExport: () => wait(page),
  previewImport: (path) =>
    wait({
      token: 'x',
      name: path.split('/').pop() ?? path,
      title: view.title,
      goal: view.goal,
      from: 'unsigned',
      lines: 1204,
      withheld: 310,
      claims: 31,
      questions: 3,
      checked: 12,
      sources: 5,
      here: 3,
      missing: ['smart-spammers.md', 'offensive-posts.md'],
      warnings: [
        'It is unsigned: anyone may have written it. The chain only shows that nothing in it was changed afterwards.',
      ],
    }),
  acceptImport: () => wait('t1'),
  setup: () => wait(setup),
  preferences: () => wait(prefs),
  setPreferences: (p) => {
    prefs = p
    return wait(undefined)
  },
  setModel: changed,
  doctor: () =>
    wait([
      { name: 'Ollama', value: '0.17.4 at 127.0.0.1:11434', good: true, mend: '' },
      { name: 'Model', value: 'gemma3:4b, 3.3 GB', good: true, mend: '' },
      { name: 'Disk', value: '41 GB free', good: true, mend: '' },
      {
        name: 'Text recognition',
        value: 'tesseract is not installed',
        good: false,
        mend: 'Install tesseract-ocr to read scanned pages.',
      },
    ]),
  vault: () =>
    wait({
      folder: '/home/you/.local/share/cairn',
      histories: 3,
      lines: 1840,
      store: 24_000_000,
      journals: 3_100_000,
      aside: 0,
      drafts: 4096,
      free: 41_000_000_000,
      read_only: false,
      backups: [],
      notices: [],
    }),
  vaultCheck: () =>
    wait({
      sound: true,
      sentence:
        '2210 records, 310 texts and 1840 lines of the journals were read, 3 tasks audited: everything is whole.',
      do: '',
      records: 2210,
      texts: 310,
      histories: 3,
      lines: 1840,
      audited: 3,
      backups: 0,
      mends: false,
      faults: [],
    }),
  vaultCompact: () =>
    wait({
      before: 24_000_000,
      after: 19_000_000,
      dropped: 0,
      sentence: 'The store takes 19.0 MB now; it took 24.0 MB.',
    }),
  vaultBackup: () =>
    wait({
      path: '/home/you/.local/share/cairn/backups/cairn-20261201T120000Z.cairnbackup',
      at: Date.now(),
      bytes: 8_000_000,
      records: 2210,
      histories: 3,
      lines: 1840,
      removed: [],
      sentence: 'Backed up 3 histories with 1840 lines, 8.0 MB, and read back whole.',
    }),
  chooseFolder: () => wait('/home/you/papers'),
  chooseSave: (name) => wait(`/home/you/${name}`),
  chooseOpen: () => wait('/home/you/harmful-content.cairn.md'),
  revealFile: () => wait(undefined),
  windowReady: () => wait([]),
  onEvent: (fn) => {
    listeners.add(fn)
    return () => listeners.delete(fn)
  },
}

// A running scene writes on, slowly, so that streaming can be seen.
if (scene === 'running' && query.get('still') === null) {
  const words =
    '],"nothing":["18","19"]} {"findings":[{"sentence":"21","claim":"LDA topics separate spammers"}'.match(
      /.{1,6}/g,
    ) ?? []
  let i = 0
  setInterval(() => {
    if (!view.status.running) return
    emit({ task: 't1', seq: ++seq, kind: 'stream', text: words[i++ % words.length] ?? '' })
    view = { ...view, seq }
  }, 400)
}
