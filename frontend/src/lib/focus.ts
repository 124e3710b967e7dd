// Where the focus goes when what had it is gone. Nobody who works by keyboard is
// thrown back to the top of the window.
import { tick } from 'svelte'

/** Whether nothing has the focus. */
export const lost = (): boolean => document.activeElement === null || document.activeElement === document.body

/** A way to find an element again after the page was drawn anew, "" when there is none. */
export function mark(el: Element | null): string {
  if (el === null || el === document.body) return ''
  for (const name of ['id', 'data-claim', 'data-candidate', 'href']) {
    const value = el.getAttribute(name)
    if (value) return `[${name}=${JSON.stringify(value)}]`
  }
  return ''
}

const tab = '.tabs [aria-current="page"]'

/** After an act: the chosen claim gets the focus if what had it is gone, else the tab. */
export async function settle(...first: string[]): Promise<void> {
  await tick()
  if (!lost()) return
  const places = [...first, '[data-claim][aria-pressed="true"]', '[data-candidate][aria-pressed="true"]', tab]
  for (const s of places) {
    const el = s === '' ? null : document.querySelector<HTMLElement>(s)
    if (el) {
      el.focus({ preventScroll: s === tab })
      return
    }
  }
}

/** Focuses what mark named once it stands, unless a person focused something else meanwhile. */
export async function refind(selector: string, frames = 40): Promise<void> {
  await tick()
  for (let i = 0; i < frames; i++) {
    if (!lost()) return
    const el = selector === '' ? null : document.querySelector<HTMLElement>(selector)
    if (el) {
      el.focus()
      return
    }
    await new Promise((next) => requestAnimationFrame(next))
  }
  await settle()
}

/** Gives the focus back to what opened a form or a dialog. */
export function giveBack(opener: Element | null): void {
  void tick().then(() => {
    if (!lost()) return
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
    if (lost()) void settle()
  })
}
