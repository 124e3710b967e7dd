import { render, screen, waitFor, within } from '@testing-library/svelte'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { doneView, emptyView, runningView } from '../dev/sample'
import App from '../src/App.svelte'
import type { View } from '../src/lib/types'
import { work } from '../src/lib/work.svelte'
import { backend, give, prefs, refuse, setup, task } from './backend'

const user = userEvent.setup()

/** Renders the whole page at an address, with this view behind it. */
async function at(hash: string, view: View = runningView('t1')): Promise<void> {
  give('view', view)
  if (view.example)
    give('tasks', [task({ id: view.id, title: view.title, group: 'finished', example: true })])
  location.hash = hash
  render(App)
  if (hash.includes('task')) await screen.findByRole('heading', { level: 1, name: view.title })
}

const button = (name: string | RegExp): HTMLElement => screen.getByRole('button', { name })
const press = (name: string | RegExp): Promise<void> => user.click(button(name))
const called = (name: string): unknown[] => backend[name]?.mock.calls.at(-1) ?? []
const still = (change: Partial<View['status']>): View => {
  const v = runningView('t1')
  return { ...v, status: { ...v.status, running: false, can_run: true, stream: '', ...change } }
}

describe('start', () => {
  it('opens the example when there is nothing else, and says that it is one', async () => {
    give('setup', {
      ...setup,
      stage: 'getting_model',
      sentence: 'Runtime ready. Getting a small model to try things out, 98 MB, 40 s left.',
      done: 40,
      total: 98,
      left_s: 40,
    })
    give('preferences', { ...prefs, welcomed: false })
    give('tasks', [task({ id: 't3', title: 'Example: five studies', group: 'finished', example: true })])
    give('view', doneView('t3'))
    render(App)
    await screen.findByRole('heading', { level: 1, name: 'Example: five studies' })
    expect(screen.getAllByText('example written by the makers').length).toBeGreaterThan(0)
    expect(screen.getByText(/Getting a small model/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Start with your own folder…' })).toHaveAttribute('href', '#/new')
    await waitFor(() =>
      expect(called('windowReady')[0]).toMatchObject({ title: 'Example: five studies', tasks: 1 }),
    )
  })

  it('teaches when there is no task at all', async () => {
    give('tasks', [])
    render(App)
    expect(await screen.findByText(/A task begins with a goal, a few questions/)).toBeVisible()
  })

  it('says why the records could not be opened, and calls WindowReady all the same', async () => {
    const error = {
      kind: 'damaged',
      what: 'The records could not be opened.',
      safe: 'Nothing was changed.',
      do: 'Run cairn doctor.',
    }
    give('setup', { ...setup, stage: 'error', error })
    for (const m of ['tasks', 'preferences', 'view']) refuse(m, error)
    render(App)
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'The records could not be opened. Nothing was changed. Run cairn doctor.',
    )
    await waitFor(() => expect(backend.windowReady).toHaveBeenCalled())
  })

  it('follows the theme that was set', async () => {
    give('preferences', { ...prefs, theme: 'dark' })
    await at('#/task/t1/checkpoint')
    expect(document.documentElement.dataset.theme).toBe('dark')
  })
})

describe('checkpoint', () => {
  it('shows solved, to check and next, each with its words', async () => {
    await at('#/task/t1/checkpoint')
    for (const h of ['Solved so far', 'Still to check', 'Next step'])
      expect(screen.getByRole('heading', { name: h })).toBeVisible()
    expect(screen.getByText('Reading 31 of 86 passages')).toBeVisible()
    expect(screen.getByText(/1 retracted \(number not in its quote\)/)).toBeVisible()
    expect(screen.getAllByText('quote attached').length).toBeGreaterThan(0)
    expect(button(/^Wikipedia comments/)).toHaveTextContent('says more than its quote: “experts”')
    expect(screen.getByText('to be redone')).toBeVisible()
    expect(screen.getByText('The largest of them is the most reliable.')).toHaveAttribute(
      'title',
      'Not backed by a record',
    )
  })

  it('opens a claim beside its source, marked at the sentence', async () => {
    await at('#/task/t1/checkpoint')
    await press(/^The sample held/)
    const side = screen.getByRole('complementary', { name: /Source/ })
    await waitFor(() =>
      expect(side.querySelector('mark')).toHaveTextContent('1 785 855 tweets published by 848 196'),
    )
    expect(within(side).getByText(/1 thing rests on this/)).toBeVisible()
    expect(called('sourceText')).toEqual(['t1', 'fake-news-metadata.md', 6, 6])
    await user.keyboard('{Escape}')
    expect(within(side).queryByText(/rests on this/)).toBeNull()
  })

  it('confirms, corrects and retracts, with a reason, by button and by key', async () => {
    await at('#/task/t1/checkpoint')
    await press(/^The sample held/)
    await press('Confirm')
    expect(called('accept')).toEqual(['t1', 'c1'])
    await waitFor(() => expect(work.busy).toBe(false))
    await user.keyboard('x')
    await user.type(screen.getByLabelText('Why it no longer stands'), 'Another year.{Enter}')
    expect(called('retract')).toEqual(['t1', 'c1', 'Another year.'])
    await waitFor(() => expect(work.busy).toBe(false))
    await press('Correct…')
    const field = screen.getByLabelText('The claim in your words')
    expect(field).toHaveValue('The sample held 1 785 855 tweets by 848 196 users.')
    await user.clear(field)
    await user.type(field, 'Fewer.')
    await press('Save the correction')
    expect(called('edit')).toEqual(['t1', 'c1', 'Fewer.'])
    await waitFor(() => expect(work.busy).toBe(false))
    await press('Add note…')
    await user.type(screen.getByLabelText('Note'), 'Same meaning?')
    await user.type(screen.getByLabelText('For whom'), 'M.')
    await press('Add the note')
    expect(called('addNote')).toEqual([
      't1',
      { id: '', on: 'c1', text: 'Same meaning?', for: 'M.', due: '', by: '' },
    ])
  })

  it('keeps what one wrote when saving it was refused', async () => {
    await at('#/task/t1/checkpoint')
    refuse('retract', {
      kind: 'disk_full',
      what: 'The disk is full.',
      safe: 'Nothing is lost.',
      do: 'Make room.',
    })
    await press(/^The sample held/)
    await press('Retract…')
    await user.type(screen.getByLabelText('Why it no longer stands'), 'Because.')
    await press('Retract')
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'The disk is full. Nothing is lost. Make room.',
    )
    expect(screen.getByLabelText('Why it no longer stands')).toHaveValue('Because.')
  })

  it('accepts a candidate, which no model has read', async () => {
    const v = runningView('t1')
    await at('#/task/t1/checkpoint', {
      ...v,
      questions: v.questions.map((q) => ({ ...q, claims: [], answer: [] })),
    })
    expect((await screen.findAllByText('candidate, not read by a model')).length).toBeGreaterThan(0)
    expect(screen.getAllByText(/No claims yet. Meanwhile/).length).toBe(3)
    const all = screen.getAllByRole('button', { name: 'Accept' })
    await user.click(all[0] as HTMLElement)
    expect(called('acceptCandidate')).toEqual(['t1', 'q1', 'fake-news-metadata.md', 7, 7])
  })

  it('asks another question, drops one and reopens it', async () => {
    const v = runningView('t1')
    await at('#/task/t1/checkpoint', {
      ...v,
      questions: v.questions.map((q, i) => (i === 2 ? { ...q, status: 'dropped', reason: 'no data' } : q)),
    })
    await press('Ask another…')
    await user.type(screen.getByLabelText('Your question'), 'Who paid?{Enter}')
    expect(called('ask')).toEqual(['t1', 'Who paid?'])
    await waitFor(() => expect(work.busy).toBe(false))
    await user.click(screen.getAllByRole('button', { name: 'Drop…' })[0] as HTMLElement)
    await press('Drop it')
    expect(called('dropQuestion')).toEqual(['t1', 'q1', ''])
    await waitFor(() => expect(work.busy).toBe(false))
    await user.click(screen.getByText('Dropped'))
    await press('Reopen')
    expect(called('reopenQuestion')).toEqual(['t1', 'q3'])
  })

  it('shows an earlier checkpoint read-only, with a way back', async () => {
    const v = runningView('t1')
    await at('#/task/t1/checkpoint/40', { ...v, at: 40, status: { ...v.status, checkpoint: 12 } })
    expect(called('view')).toEqual(['t1', 40])
    expect(screen.getByText(/This is checkpoint 12/)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Back to now' })).toHaveAttribute('href', '#/task/t1/checkpoint')
    await press(/^The sample held/)
    expect(screen.queryByRole('button', { name: 'Confirm' })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Ask another…' })).toBeNull()
  })

  it('says what an empty task waits for', async () => {
    give('candidates', [])
    await at('#/task/t1/checkpoint', emptyView('t1'))
    expect(screen.getByText(/No documents yet. Put files into the folder/)).toBeVisible()
    expect(screen.getByText('Nothing waits for a look.')).toBeVisible()
    expect(button('Start')).toBeEnabled()
  })

  it('undoes with the keyboard', async () => {
    await at('#/task/t1/checkpoint')
    await user.keyboard('{Control>}z{/Control}')
    expect(called('undo')).toEqual(['t1'])
  })
})

describe('states', () => {
  it('stops what runs', async () => {
    await at('#/task/t1/checkpoint')
    await press('Stop')
    expect(called('stop')).toEqual(['t1'])
  })
  it('goes on after an interruption and says what it costs', async () => {
    await at(
      '#/task/t1/checkpoint',
      still({ state: 'interrupted', sentence: 'Interrupted; saved 14:03:22', detail: 'Nothing is lost.' }),
    )
    expect(screen.getByText('Nothing is lost.')).toBeVisible()
    await press('Go on')
    expect(called('run')).toEqual(['t1'])
  })
  it('offers nothing to run on damage, and says why', async () => {
    await at(
      '#/task/t1/checkpoint',
      still({
        state: 'damaged',
        can_run: false,
        sentence: 'Needs a look',
        detail: 'Two records were rebuilt.',
        gate: 'red',
        reasons: ['A quote no longer fits.'],
      }),
    )
    expect(screen.getByText('Can’t go on from here: A quote no longer fits.')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Go on' })).toBeNull()
  })
  it('does not say twice when it was saved', async () => {
    await at('#/task/t1/checkpoint', still({ state: 'paused', sentence: 'Saved 14:03:22' }))
    expect(screen.getAllByText(/saved/i)).toHaveLength(1)
  })
  it('says when a task can’t be opened and offers another try', async () => {
    refuse('view', {
      kind: 'damaged',
      what: 'Its record could not be opened.',
      safe: 'Nothing was changed.',
      do: '',
    })
    location.hash = '#/task/t1/checkpoint'
    render(App)
    expect(await screen.findByText('This task could not be opened.')).toBeVisible()
    give('view', runningView('t1'))
    await press('Try again')
    await screen.findByRole('heading', { level: 1, name: /Finding harmful/ })
  })
  it('deletes only after saying what that means', async () => {
    await at('#/task/t1/checkpoint')
    await press('More')
    await user.click(screen.getByRole('menuitem', { name: 'Delete this task…' }))
    expect(screen.getByText(/Your documents stay where they are/)).toBeInTheDocument()
    expect(await screen.findByText('The exported file /exports/theirs.cairn.md')).toBeInTheDocument()
    expect(screen.getByText(/^1 history with 61 lines/)).toBeInTheDocument()
    expect(screen.getByText(/^2 stored texts/)).toBeInTheDocument()
    expect(called('planErase')).toEqual(['t1', ''])
    expect(backend.remove).not.toHaveBeenCalled()
    await user.click(screen.getByText('Delete for good'))
    expect(called('remove')).toEqual(['t1'])
  })
})

describe('run', () => {
  it('shows what happens now, the text so far, the steps, what was read and refused', async () => {
    await at('#/task/t1/run')
    expect(screen.getByText(/sentences 14 to 22, for question 2/)).toBeVisible()
    expect(screen.getByLabelText('Text of the running call')).toHaveTextContent('GOSS+LOSS')
    expect(await screen.findByText('Asleep for 1 h 14 min (lid closed)')).toBeVisible()
    expect(screen.getByText('Refused: the model gave 41 %, its quote says 14 %.')).toBeVisible()
    expect(screen.getByRole('columnheader', { name: 'Q3' })).toBeVisible()
    expect(screen.getAllByText('not read yet').length).toBeGreaterThan(0)
    expect(called('timeline')).toEqual(['t1', true])
  })
  it('says that nothing runs', async () => {
    await at('#/task/t1/run', still({ sentence: 'Stopped', state: 'stopped' }))
    expect(screen.getByText(/Nothing runs. Go on when you like/)).toBeVisible()
  })
})

describe('check', () => {
  const v = runningView('t1')
  const without = (ids: string[]): View => ({
    ...v,
    questions: v.questions.map((q) => ({
      ...q,
      claims: q.claims.map((c) => (ids.includes(c.id) ? { ...c, trust: 'checked', word: 'you checked' } : c)),
    })),
  })

  it('judges one at a time by key, with its quote on the page and without the model', async () => {
    await at('#/task/t1/check', v)
    expect(screen.getByText('1 of 5')).toBeVisible()
    expect(screen.getByRole('heading', { name: /The sample held/ })).toBeVisible()
    await waitFor(() => expect(document.querySelector('mark')).toHaveTextContent('1 785 855'))
    expect(screen.queryByText(/gemma3:4b$/)).toBeNull()
    expect(screen.queryByRole('complementary')).toBeNull()
    expect(document.querySelector('.keys .primary')).toBeNull()
    give('view', without(['c1', 'c2']))
    await user.keyboard('r')
    expect(called('accept')).toEqual(['t1', 'c1'])
    expect(await screen.findByText('2 of 5')).toBeVisible()
    await user.keyboard('l')
    expect(await screen.findByRole('heading', { name: /Wikipedia comments/ })).toBeVisible()
    await user.keyboard('w')
    await user.keyboard('{Enter}')
    expect(called('retract')).toEqual(['t1', 'c4', 'The quote does not say this.'])
  })

  it('marks a claim that says more than its quote, with or without what, and goes on', async () => {
    await at('#/task/t1/check', v)
    give('view', {
      ...v,
      questions: v.questions.map((q) => ({
        ...q,
        claims: q.claims.map((c) => (c.id === 'c1' ? { ...c, verdict: 'says_more' } : c)),
      })),
    })
    await user.keyboard('m')
    await user.type(screen.getByLabelText(/What it says beyond its quote/), 'users{Enter}')
    expect(called('judge')).toEqual(['t1', 'c1', 'says_more', 'users'])
    expect(await screen.findByText('2 of 5')).toBeVisible()
    expect(screen.queryByRole('heading', { name: /The sample held/ })).toBeNull()
    await user.click(within(screen.getByRole('status')).getByRole('button', { name: /Undo/ }))
    expect(called('undo')).toEqual(['t1'])
    await waitFor(() => expect(work.busy).toBe(false))
    await user.keyboard('m{Enter}')
    expect(called('judge')[3]).toBe('')
  })

  it('says when all was looked at', async () => {
    await at('#/task/t1/check', without(['c1', 'c2', 'c3', 'c4', 'c5', 'c6']))
    expect(screen.getByText('Nothing to check.')).toBeVisible()
  })
})

describe('sources', () => {
  it('lists what can’t be read first, with the reason', async () => {
    await at('#/task/t1/sources')
    const rows = await screen.findAllByRole('row')
    expect(rows[1]).toHaveTextContent('minutes-1962-scan.pdf')
    expect(rows[1]).toHaveTextContent(
      'Scanned pages without text. Install tesseract to recognise it, or leave it out.',
    )
    expect(within(rows[1] as HTMLElement).queryByRole('button')).toBeNull()
  })
  it('sets one aside with a reason', async () => {
    await at('#/task/t1/sources')
    await user.click((await screen.findAllByRole('button', { name: 'Set aside…' }))[0] as HTMLElement)
    await user.type(screen.getByRole('textbox'), 'Another edition.')
    await press('Set aside')
    expect(called('setAside')).toEqual(['t1', 'cyberbullying.md', 'Another edition.'])
  })
  it('opens a document', async () => {
    await at('#/task/t1/sources')
    await user.click(await screen.findByRole('button', { name: /^Characterizing/ }))
    await waitFor(() => expect(called('sourceText')).toEqual(['t1', 'fake-news-metadata.md', 1, 1]))
  })
  it('says where documents come from when there are none', async () => {
    give('sources', [])
    await at('#/task/t1/sources', emptyView('t1'))
    expect(await screen.findByText('No documents yet.')).toBeVisible()
  })
})

describe('history and report', () => {
  it('shows sleeps and resumes, and leads to each checkpoint', async () => {
    await at('#/task/t1/history')
    expect(await screen.findByText('Resumed at the same step')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Checkpoint 12' })).toHaveAttribute(
      'href',
      '#/task/t1/checkpoint/40',
    )
    await user.click(screen.getByLabelText('Calls and refusals too'))
    await waitFor(() => expect(called('timeline')).toEqual(['t1', true]))
  })
  it('shows on focus what a sentence rests on', async () => {
    await at('#/task/t3/report', doneView('t3'))
    screen.getByText(/The largest followed an election day/).focus()
    expect(await screen.findByText('The sample held 1 785 855 tweets by 848 196 users.')).toBeVisible()
    screen.getByText(/differ in size by four orders/).focus()
    expect(await screen.findByText('Nothing in the record. Read it as unsupported.')).toBeVisible()
    expect(screen.getByText('Grey: not backed by a record.')).toBeVisible()
  })
  it('says when there is no report yet', async () => {
    await at('#/task/t1/report')
    expect(screen.getByText('No report yet.')).toBeVisible()
  })
})

describe('new task', () => {
  it('checks as one types, and starts', async () => {
    give('checkForm', {
      problems: [],
      folder: '80 files, 78 readable, 2 not (1 picture, 1 empty)',
      files: 80,
      likely: 78,
      promises: [{ depth: 'quick', text: 'Done by 14:33.', seconds: 1 }],
      can_start: true,
      model: 'Reads 41 tokens a second here.',
    })
    await at('#/new')
    await user.type(screen.getByLabelText('Goal'), 'A goal')
    await user.type(screen.getByLabelText('Question 1'), 'First?{Enter}')
    await waitFor(() => expect(screen.getByLabelText('Question 2')).toHaveFocus())
    await user.keyboard('Second?')
    await press('Choose…')
    expect(await screen.findByText('80 files, 78 readable, 2 not (1 picture, 1 empty)')).toBeVisible()
    expect(screen.getByText('Done by 14:33.')).toBeVisible()
    await press('Start')
    await waitFor(() => expect(backend.create).toHaveBeenCalled())
    expect(called('create')[0]).toEqual({
      title: '',
      goal: 'A goal',
      questions: ['First?', 'Second?'],
      constraints: [],
      folder: '/home/you/papers',
      model: '',
      depth: 'thorough',
      budget: 0,
      start: true,
    })
    await waitFor(() => expect(location.hash).toBe('#/task/t9/run'))
  })
  it('says what is missing, at its field, and creates nothing', async () => {
    give('checkForm', {
      problems: [{ field: 'goal', text: 'Say what you want to know.' }],
      folder: '',
      files: 0,
      likely: 0,
      promises: [],
      can_start: false,
      model: '',
    })
    await at('#/new')
    await press('Start')
    expect((await screen.findAllByText('Say what you want to know.')).length).toBe(2)
    expect(screen.getByLabelText('Goal')).toHaveFocus()
    expect(backend.create).not.toHaveBeenCalled()
  })
  it('starts without a model', async () => {
    await at('#/new')
    await user.click(screen.getByRole('radio', { name: /No model/ }))
    await press('Start without a model')
    await waitFor(() => expect(called('create')[0]).toMatchObject({ model: '-' }))
    await waitFor(() => expect(location.hash).toBe('#/task/t9/checkpoint'))
  })
  it('removes an empty question with Backspace', async () => {
    await at('#/new')
    await user.type(screen.getByLabelText('Question 1'), 'a{Enter}')
    await waitFor(() => expect(screen.getByLabelText('Question 2')).toHaveFocus())
    await user.keyboard('{Backspace}')
    expect(screen.queryByLabelText('Question 2')).toBeNull()
  })
})

describe('hand over and import', () => {
  it('shows the page, lists what travels, and saves it', async () => {
    await at('#/handover/t1')
    expect(await screen.findByRole('heading', { name: 'Title' })).toBeVisible()
    expect(screen.getByText('6 quoted passages')).toBeVisible()
    await user.click(screen.getByLabelText(/Leave out the log/))
    await waitFor(() => expect(called('renderExport')).toEqual(['t1', true]))
    await press('Save…')
    expect(called('chooseSave')).toEqual(['finding-harmful-content-and-accounts-on-social-media.cairn.md'])
    await waitFor(() => expect(called('export')).toEqual(['t1', '/home/you/a.cairn.md', true]))
    expect(await screen.findByText('Written.')).toBeVisible()
    await press('Show the file')
    expect(called('revealFile')).toEqual(['/home/you/a.cairn.md'])
  })
  it('writes nothing when no file was chosen', async () => {
    give('chooseSave', '')
    await at('#/handover/t1')
    await screen.findByRole('heading', { name: 'Title' })
    await press('Save…')
    expect(backend.export).not.toHaveBeenCalled()
  })
  it('previews before it accepts', async () => {
    await at('#/import')
    await press('Choose a file…')
    expect(await screen.findByText('12 lines, unbroken')).toBeVisible()
    expect(screen.getByText('It is unsigned.')).toBeVisible()
    expect(backend.acceptImport).not.toHaveBeenCalled()
    await press('Accept as a new task')
    expect(called('acceptImport')).toEqual(['x', ''])
    await waitFor(() => expect(location.hash).toBe('#/task/t7/checkpoint'))
  })
  it('refuses a broken file by its line', async () => {
    refuse('previewImport', {
      kind: 'verification',
      what: 'Line 7 no longer fits the lines before it.',
      safe: 'Nothing was taken.',
      do: 'Ask for the file again.',
    })
    await at('#/import')
    await press('Choose a file…')
    expect(await screen.findByRole('alert')).toHaveTextContent('Line 7 no longer fits')
    expect(screen.getByText('This file was not taken.')).toBeVisible()
  })
})

describe('settings and help', () => {
  it('keeps the theme, going on, and says what is to mend', async () => {
    await at('#/settings')
    expect(await screen.findByText('Make room.')).toBeVisible()
    await user.click(screen.getByRole('radio', { name: 'Dark' }))
    expect(called('setPreferences')[0]).toMatchObject({ theme: 'dark' })
    expect(document.documentElement.dataset.theme).toBe('dark')
    await user.click(screen.getByRole('checkbox', { name: /goes on by itself/ }))
    expect(called('setPreferences')[0]).toMatchObject({ auto_go_on: false })
    await user.type(screen.getByLabelText('Address'), '127.0.0.1:9{Enter}')
    await waitFor(() => expect(called('setPreferences')[0]).toMatchObject({ ollama: '127.0.0.1:9' }))
  })
  it('shows the keys and goes to places by number', async () => {
    await at('#/task/t1/checkpoint')
    await user.keyboard('?')
    expect(screen.getByRole('heading', { name: 'Keys' })).toBeInTheDocument()
    await user.click(screen.getByText('Close'))
    await user.keyboard('4')
    await waitFor(() => expect(location.hash).toBe('#/task/t1/sources'))
    await user.keyboard('n')
    await waitFor(() => expect(location.hash).toBe('#/new'))
  })
})

describe('long lists', () => {
  it('shows the first lines of what is to check, then all', async () => {
    const v = runningView('t1')
    const many = Array.from({ length: 20 }, (_, i) => ({
      kind: 'contested',
      text: `Disagreement ${i}`,
      on: '',
      count: 1,
    }))
    await at('#/task/t1/checkpoint', { ...v, to_check: many })
    expect(screen.queryByText('Disagreement 8')).toBeNull()
    await press('Show all 20')
    expect(screen.getByText('Disagreement 19')).toBeVisible()
  })
})
