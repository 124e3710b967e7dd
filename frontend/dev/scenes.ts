// The states that a task can be in, made of the sample data, so that every one of
// them can be looked at and measured. Nothing of this is part of a build.
import type { Status, View } from '../src/lib/types'
import * as sample from './sample'

const still: Partial<Status> = {
  running: false,
  can_run: true,
  stream: '',
  step: '',
  left_s: -1,
  promise: '',
}

/** States that differ in the status only. */
const states: Record<string, Partial<Status>> = {
  starting: {
    state: 'starting',
    sentence: 'Reading the folder: file 31 of 80',
    step: 'minutes-1962-scan.pdf',
    stream: '',
    done: 0,
    total: 0,
    left_s: -1,
    promise: '',
  },
  loading: { state: 'loading', sentence: 'Loading the model', stream: '' },
  queued: { state: 'queued', sentence: 'Waiting for the model, which works on another task', stream: '' },
  writing: { state: 'writing', sentence: 'Writing an answer', stream: 'Four studies report their size: ' },
  checking: { state: 'checking', sentence: 'Checking what the model proposed', stream: '' },
  saving: { state: 'saving', sentence: 'Saving', stream: '' },
  asleep: {
    state: 'asleep',
    sentence: 'The computer slept; making sure that the model still answers',
    stream: '',
  },
  paused: { ...still, state: 'paused', sentence: 'Saved 14:03:22' },
  stopped: { ...still, state: 'stopped', sentence: 'Stopped. Saved 14:03:22', detail: 'You stopped it.' },
  needs_you: {
    ...still,
    state: 'needs_you',
    sentence: 'Waits for you',
    detail:
      'The sources hold nothing for question 3. Ask it in other words, add files to the folder, or drop it.',
    gate: 'amber',
    reasons: ['Another model than before is chosen; one known claim is read again first.'],
  },
  stuck: {
    ...still,
    state: 'stuck',
    sentence: 'Stuck: nothing is left to try',
    detail:
      'Questions are still open, and there is nothing left to try with these sources at this depth. Everything up to 14:03:22 is saved. Choose a greater depth, add files, or drop a question.',
  },
  disk_full: {
    ...still,
    state: 'disk_full',
    sentence: 'The disk is full',
    detail: 'Nothing is lost; the task waits. It needs about 500 MB.',
  },
  read_only: {
    ...still,
    state: 'read_only',
    can_run: false,
    sentence: 'Nothing can be written now',
    detail:
      'The disk reported that a write did not reach it. Everything up to 14:03:22 is saved. Close Cairn and open it again: it copies what is saved to new files first.',
  },
  model_missing: {
    ...still,
    state: 'stuck',
    sentence: 'Ollama has no model gemma3:4b',
    detail:
      'Everything up to 14:03:22 is saved. Choose another model under “More”, or fetch it with: ollama pull gemma3:4b',
  },
  interrupted: {
    ...still,
    state: 'interrupted',
    sentence: 'Interrupted in step 12',
    detail: 'Interrupted at 14:03:22 in step 12. Nothing lost, one call is repeated when you go on.',
  },
  waiting: {
    state: 'waiting',
    sentence: 'Waiting for Ollama',
    stream: '',
    detail:
      'Ollama does not answer at 127.0.0.1:11434. Everything up to 14:03:22 is saved. Trying again in 20 s.',
  },
  damaged: {
    ...still,
    state: 'damaged',
    can_run: false,
    sentence: 'Needs a look before it goes on',
    detail:
      'Two records could not be read and were rebuilt from the journal. One reply is gone; no claim is affected.',
    gate: 'red',
    reasons: ['A quote no longer fits its source.'],
  },
}

const long =
  'A comparative and deliberately very long-winded examination of Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft, its minutes, accounts and correspondence between 1893 and 1914'
export const hostile = 'annual-report\u202Efdp.exe'

export function viewFor(scene: string): View {
  const v = sample.runningView('t1')
  const change = states[scene]
  if (change) return { ...v, status: { ...v.status, ...change } }
  switch (scene) {
    case 'done':
    case 'first':
      return sample.doneView('t3')
    case 'empty':
      return sample.emptyView('t1')
    case 'nomodel':
      return {
        ...v,
        questions: v.questions.map((q) => ({
          ...q,
          claims: [],
          answer: [],
          notes: [],
          coverage: 'no document read by a model',
        })),
        retracted: [],
        to_check: [],
        counts: { ...v.counts, claims: 0, checked: 0, to_check: 0 },
        status: {
          ...v.status,
          ...still,
          state: 'ready',
          sentence: 'Ready, without a model',
          model: '',
          done: 0,
          total: 0,
          detail:
            'Search has found sentences for 3 questions. Accept, correct and check them; a model can be added at any time.',
        },
      }
    case 'long':
      return {
        ...v,
        title: long,
        goal: `${long}. ${long}, with ${hostile} and שלום עליכם beside it.`,
        imported: 'from a file, unsigned; 12 claims reported by the sender',
        questions: v.questions.map((q) => ({
          ...q,
          text: `${q.text} ${long}?`,
          claims: q.claims.map((c) => ({
            ...c,
            text: `${c.text} العربية تُكتب من اليمين, ${'Wort'.repeat(40)}.`,
            quotes: c.quotes.map((x) => ({ ...x, place: { ...x.place, title: long, name: hostile } })),
          })),
        })),
        undo_what: `your check of “${long}”`,
        next: { ...v.next, text: `Read 3 passages of “${long}”` },
        to_check: [
          { kind: 'note', text: `${long} (for the whole of the committee) (by Friday)`, on: 'q1', count: 1 },
          ...v.to_check,
          ...Array.from({ length: 20 }, (_, i) => ({
            kind: 'contested',
            text: `Two statements do not agree: “number ${i}”`,
            on: 'c6',
            count: 1,
          })),
        ],
      }
    case 'many':
      return {
        ...v,
        questions: v.questions.map((q) => ({
          ...q,
          claims: Array.from({ length: 67 }, (_, i) => {
            const c = v.questions[0]?.claims[i % 4]
            if (!c) throw new Error('the sample has no claims')
            return { ...c, id: `${q.id}-${i}`, question: q.id }
          }),
        })),
        counts: { ...v.counts, claims: 201, to_check: 180, checked: 21 },
      }
    default:
      return v
  }
}
