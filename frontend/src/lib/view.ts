// Looking things up in a View.
import type { Candidate, Claim, Place, Question, View } from './types'
import { stands } from './words'

export function allClaims(v: View): Claim[] {
  return v.questions.flatMap((q) => q.claims)
}

export function findClaim(v: View, id: string): Claim | undefined {
  return allClaims(v).find((c) => c.id === id) ?? v.retracted.find((c) => c.id === id)
}

/** What in the view rests on a claim, in words. */
export function restsOn(v: View, claim: string): string[] {
  const out: string[] = []
  for (const q of v.questions) {
    if (q.answer.some((s) => s.claims.includes(claim))) {
      out.push(`the ${q.partial ? 'partial ' : ''}answer to question ${q.number}`)
    }
  }
  const n = v.report.flatMap((p) => p.sentences).filter((s) => s.claims.includes(claim)).length
  if (n > 0) out.push(n === 1 ? 'a sentence of the report' : `${n} sentences of the report`)
  return out
}

/** What nobody has looked at, first what the answers and the report rest on. */
export function toCheck(v: View): Claim[] {
  const used = new Map<string, number>()
  const sentences = [...v.questions.flatMap((q) => q.answer), ...v.report.flatMap((p) => p.sentences)]
  for (const s of sentences) for (const c of s.claims) used.set(c, (used.get(c) ?? 0) + 1)
  const seen = new Set<string>()
  return allClaims(v)
    .filter((c) => stands(c) && !judged(c) && !seen.has(c.id) && seen.add(c.id))
    .map((c, i) => ({ c, i, n: used.get(c.id) ?? 0 }))
    .sort((a, b) => b.n - a.n || a.i - b.i)
    .map((x) => x.c)
}

/** Whether a person here said what they think of it. */
export const judged = (c: Claim): boolean =>
  c.verdict !== '' ? c.verdict !== 'unsure' : c.trust === 'checked'

export function overlaps(a: Place, b: Place): boolean {
  return a.source === b.source && a.from <= b.to && b.from <= a.to
}

/** Candidates of a question that no claim of it quotes already, best first. */
export function openCandidates(q: Question, found: Question[] | null): Candidate[] {
  const all = q.candidates.length > 0 ? q.candidates : (found?.find((f) => f.id === q.id)?.candidates ?? [])
  const taken = q.claims.filter(stands).flatMap((c) => c.quotes.map((x) => x.place))
  return all.filter((c) => !taken.some((p) => overlaps(p, c.place)))
}
