import type { Problem } from './types'

/** An error that a person can read: what happened, what is safe, what to do. */
export class Trouble extends Error {
  constructor(readonly problem: Problem) {
    super([problem.what, problem.safe, problem.do].filter(Boolean).join(' '))
    this.name = 'Trouble'
  }
}

/** Makes a Problem of whatever a call was rejected with. */
export function problemOf(e: unknown): Problem {
  if (e instanceof Trouble) return e.problem
  if (isProblem(e)) return { kind: e.kind, what: e.what, safe: e.safe, do: e.do }
  const text = e instanceof Error ? e.message : String(e)
  // Over the bindings a problem travels as JSON in the message of an Error.
  if (text.startsWith('{')) {
    try {
      const inside: unknown = JSON.parse(text)
      if (isProblem(inside)) return problemOf(inside)
    } catch {
      // Not JSON after all: the text itself is the message.
    }
  }
  const away = e instanceof TypeError
  return {
    kind: 'internal',
    what: away ? 'This page has no connection to Cairn.' : text,
    safe: 'Everything saved is still saved.',
    do: away ? 'Close the window and open Cairn again.' : 'Try again; if it stays, see Settings, Health.',
  }
}

function isProblem(e: unknown): e is Problem {
  return typeof e === 'object' && e !== null && 'what' in e && typeof e.what === 'string' && 'kind' in e
}
