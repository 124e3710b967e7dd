import { render, screen, waitFor, within } from '@testing-library/svelte'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { runningView } from '../dev/sample'
import App from '../src/App.svelte'
import { draft } from '../src/lib/draft.svelte'
import type { View } from '../src/lib/types'
import { work } from '../src/lib/work.svelte'
import { backend, give, task } from './backend'

const user = userEvent.setup()
const v = runningView('t1')

async function at(hash: string, view: View = v): Promise<void> {
  give('view', view)
  location.hash = hash
  render(App)
  if (hash.includes('task')) await screen.findByRole('heading', { level: 1, name: view.title })
}
const claim = (id: string): HTMLElement => document.querySelector(`[data-claim="${id}"]`) as HTMLElement
const idle = (): Promise<void> => waitFor(() => expect(work.busy).toBe(false))
const called = (name: string): unknown[] => backend[name]?.mock.calls.at(-1) ?? []

describe('new task by key', () => {
  it('opens with N in its first field; Escape leaves it for where one was, and loses nothing', async () => {
    await at('#/task/t1/checkpoint')
    claim('c2').focus()
    await user.keyboard('n')
    const goal = await screen.findByLabelText('Goal')
    expect(goal).toHaveFocus()
    await user.keyboard('How n is counted')
    await user.keyboard('{Escape}')
    await screen.findByRole('heading', { level: 1, name: v.title })
    await waitFor(() => expect(claim('c2')).toHaveFocus())
    await user.keyboard('n')
    expect(await screen.findByLabelText('Goal')).toHaveValue('How n is counted')
    await user.click(screen.getByRole('button', { name: 'Empty the form' }))
    expect(screen.getByLabelText('Goal')).toHaveValue('')
    expect(screen.getByLabelText('Goal')).toHaveFocus()
  })

  it('starts with Ctrl Enter from any field, once', async () => {
    await at('#/new')
    draft.goal = 'A goal'
    await user.click(screen.getByLabelText('Question 1'))
    await user.keyboard('Why?{Control>}{Enter}{/Control}')
    await waitFor(() => expect(backend.create).toHaveBeenCalledTimes(1))
    expect(called('create')[0]).toMatchObject({ goal: 'A goal', questions: ['Why?'], start: true })
    await waitFor(() => expect(draft.written).toBe(false))
  })

  it('gives the focus to the question before when one is removed', async () => {
    await at('#/new')
    await user.click(screen.getByLabelText('Question 1'))
    await user.keyboard('One{Enter}')
    await waitFor(() => expect(screen.getByLabelText('Question 2')).toHaveFocus())
    await user.keyboard('Two')
    await user.click(screen.getByRole('button', { name: 'Remove question 2' }))
    await waitFor(() => expect(screen.getByLabelText('Question 1')).toHaveFocus())
  })
})

describe('the focus is where it was', () => {
  it('after the evidence is closed', async () => {
    await at('#/task/t1/checkpoint')
    claim('c1').focus()
    await user.keyboard('{Enter}')
    await user.click(await screen.findByRole('button', { name: 'Close the source' }))
    await waitFor(() => expect(claim('c1')).toHaveFocus())
  })

  it.each([
    ['Correct…', '{Escape}'],
    ['Retract…', '{Escape}'],
    ['Add note…', '{Escape}'],
    ['Correct…', ' Better.{Enter}'],
  ])('after the form of “%s” is left with %s', async (name, keys) => {
    await at('#/task/t1/checkpoint')
    await user.click(claim('c1'))
    const opener = screen.getByRole('button', { name })
    await user.click(opener)
    expect(document.activeElement?.tagName).toBe('TEXTAREA')
    await user.keyboard(keys)
    await idle()
    await waitFor(() => expect(opener).toHaveFocus())
  })

  it('after the keys and the menu are closed', async () => {
    await at('#/task/t1/checkpoint')
    const more = screen.getByRole('button', { name: 'More' })
    await user.click(more)
    const items = screen.getAllByRole('menuitem').filter((i) => !i.hasAttribute('disabled'))
    await waitFor(() => expect(items[0]).toHaveFocus())
    await user.keyboard('{ArrowDown}')
    expect(items[1]).toHaveFocus()
    await user.keyboard('{End}')
    expect(items.at(-1)).toHaveFocus()
    await user.keyboard('{Escape}')
    expect(more).toHaveFocus()
    await user.click(more)
    await user.click(screen.getByRole('menuitem', { name: 'Delete this task…' }))
    await user.click(await screen.findByRole('button', { name: 'Keep it' }))
    await waitFor(() => expect(more).toHaveFocus())
    await user.keyboard('?')
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(more).toHaveFocus())
  })

  it('on the new claim after a candidate was accepted by key', async () => {
    give('acceptCandidate', 'c99')
    await at('#/task/t1/checkpoint')
    const row = await waitFor(() => {
      const el = document.querySelector<HTMLElement>('[data-candidate]')
      expect(el).not.toBeNull()
      return el as HTMLElement
    })
    await user.click(row)
    expect(row).toHaveAttribute('aria-pressed', 'true')
    const [q0, ...rest] = v.questions as [View['questions'][0], ...View['questions']]
    const made = { ...(q0.claims[0] as (typeof q0.claims)[0]), id: 'c99' }
    give('view', {
      ...v,
      state_hash: 'after',
      questions: [{ ...q0, claims: [...q0.claims, made] }, ...rest],
    })
    give('candidates', [])
    await user.keyboard('a')
    expect(backend.acceptCandidate).toHaveBeenCalledTimes(1)
    await waitFor(() => expect(claim('c99')).toHaveFocus())
  })
})

describe('every act', () => {
  it('can be reached with Tab: nothing is hidden until the pointer comes', async () => {
    await at('#/task/t1/checkpoint')
    for (const b of screen.getAllByRole('button', { name: /^(Drop…|Reopen)$/ }))
      expect(getComputedStyle(b).visibility).not.toBe('hidden')
  })

  it('begins with a way over the list of tasks', async () => {
    give(
      'tasks',
      Array.from({ length: 20 }, (_, i) => task({ id: `x${i}` })),
    )
    await at('#/task/t1/checkpoint')
    await user.tab()
    expect(screen.getByRole('button', { name: 'To the page' })).toHaveFocus()
    await user.keyboard('{Enter}')
    expect(screen.getByRole('region', { name: 'Checkpoint' })).toHaveFocus()
  })

  it('says in the dialog what a deletion takes with it', async () => {
    await at('#/task/t1/checkpoint')
    await user.click(screen.getByRole('button', { name: 'More' }))
    await user.click(screen.getByRole('menuitem', { name: 'Delete this task…' }))
    const box = screen.getByRole('dialog')
    const counts = v.counts
    expect(box).toHaveTextContent(`${counts.claims} claims`)
    expect(box).toHaveTextContent(`${v.questions.length} questions`)
    expect(box).toHaveTextContent(/texts that were taken from \d+ documents/)
    expect(box).toHaveTextContent('Your documents stay where they are.')
  })

  it('leaves the settings with Escape, first the field and then the page', async () => {
    await at('#/task/t1/checkpoint')
    await user.click(screen.getByRole('link', { name: 'Settings' }))
    await user.click(await screen.findByLabelText('Address'))
    await user.keyboard('{Escape}')
    expect(screen.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
    await user.keyboard('{Escape}')
    await screen.findByRole('heading', { level: 1, name: v.title })
    await waitFor(() => expect(screen.getByRole('link', { name: 'Settings' })).toHaveFocus())
  })
})
