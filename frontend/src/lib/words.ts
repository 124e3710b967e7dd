// The words and shapes that stand for a state, in one place.
import type { Claim, Status } from './types'

/** Shapes say more than colours: empty, quarter, half, full; dash for what no longer stands. */
export type Shape = 'empty' | 'quarter' | 'half' | 'full' | 'dash'

const shapes: Record<string, Shape> = { stated: 'empty', backed: 'quarter', agreed: 'half', checked: 'full' }

export interface Mark {
  shape: Shape
  tone: 'stated' | 'backed' | 'agreed' | 'checked' | 'gone'
  word: string
  hint: string
}

const hints: Record<string, string> = {
  stated: 'Only stated: nothing that stands here backs it.',
  backed: 'These words stand there; whether they support the claim is not checked.',
  agreed: 'A second look that saw only the claim and its passage agreed. It is not a check by a person.',
  checked: 'You looked at it and said it is right.',
}

export function markOf(c: Claim): Mark {
  if (c.standing === 'retracted') return { shape: 'dash', tone: 'gone', word: 'retracted', hint: c.reason }
  if (c.standing === 'superseded')
    return { shape: 'dash', tone: 'gone', word: 'replaced', hint: 'A later claim says it instead.' }
  const shape = shapes[c.trust] ?? 'empty'
  const tone = (c.trust in shapes ? c.trust : 'stated') as Mark['tone']
  if (c.standing === 'stale')
    return { shape, tone, word: 'to be redone', hint: 'Something that it rests on has changed.' }
  const word = c.reported && !/report|sender/i.test(c.word) ? `${c.word}, by the sender` : c.word
  return { shape, tone, word, hint: hints[c.trust] ?? '' }
}

/** A claim that still says something: neither taken back nor replaced. */
export function stands(c: Claim): boolean {
  return c.standing !== 'retracted' && c.standing !== 'superseded'
}

/** What colour, if any, the state of a task has earned. */
export function toneOf(s: Status): 'work' | 'rest' | 'wait' | 'bad' | 'done' {
  switch (s.state) {
    case 'done':
      return 'done'
    case 'damaged':
    case 'disk_full':
    case 'read_only':
      return 'bad'
    case 'waiting':
    case 'stuck':
    case 'needs_you':
    case 'interrupted':
      return 'wait'
    case 'new':
    case 'ready':
    case 'paused':
    case 'stopped':
    case 'asleep':
    case 'queued':
      return 'rest'
    default:
      return 'work'
  }
}

/** What kind of line a check item is, in a word before it. */
export const checkWord: Record<string, string> = {
  note: 'Note',
  says_more: 'Says more',
  contested: 'Disagreement',
  stale: 'To be redone',
  unchecked: 'Unchecked',
  unreadable: 'Unreadable',
  refused: 'Refused',
  parked: 'Parked',
}

export const depths = [
  {
    id: 'quick',
    name: 'Quick',
    means: 'The best passages first; ends within 30 minutes, whatever the folder holds.',
  },
  { id: 'thorough', name: 'Thorough', means: 'The best passages of every document, for each question.' },
  { id: 'exhaustive', name: 'Exhaustive', means: 'Every passage of every document.' },
] as const

export const places = [
  { id: 'checkpoint', name: 'Checkpoint' },
  { id: 'run', name: 'Run' },
  { id: 'check', name: 'Check' },
  { id: 'sources', name: 'Sources' },
  { id: 'history', name: 'History' },
  { id: 'report', name: 'Report' },
] as const

export type PlaceName = (typeof places)[number]['id']
