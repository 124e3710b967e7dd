import { render, screen } from '@testing-library/svelte'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { world } from '../src/lib/world.svelte'
import Records from '../src/parts/Records.svelte'
import { backend, listener, vault } from './backend'

it('says what the records take and what was said of them at opening', async () => {
  backend.vault?.mockResolvedValue({ ...vault, notices: ['The store was missing and was built again.'] })
  render(Records)
  await screen.findByText(/for 120 lines/)
  expect(screen.getByText(/built again/)).toBeVisible()
  expect(screen.getByText(/no backup/)).toBeVisible()
})

it('names file and record of what a check finds', async () => {
  backend.vaultCheck?.mockResolvedValue({
    sound: false,
    sentence: '1 thing is damaged.',
    do: 'Run a repair.',
    faults: [{ file: 'vault/000001.sst', record: 'text abc', what: 'Text abc: checksum.' }],
  })
  render(Records)
  await userEvent.click(screen.getByRole('button', { name: 'Check everything' }))
  expect(await screen.findByText(/vault\/000001\.sst, text abc/)).toBeVisible()
  expect(screen.getByText('Run a repair.')).toBeVisible()
})

it('shows how far a backup is, and what came of it', async () => {
  let done: (v: unknown) => void = () => undefined
  backend.vaultBackup?.mockReturnValue(new Promise((resolve) => (done = resolve)))
  render(Records)
  await userEvent.click(screen.getByRole('button', { name: 'Back up' }))
  listener?.({ task: '', seq: 1, kind: 'vault', text: 'writing records: 500' })
  expect(await screen.findByText(/Backing up… writing records: 500/)).toBeVisible()
  expect(screen.getByRole('button', { name: 'Compact' })).toBeDisabled()
  done({ sentence: 'Backed up.' })
  expect(await screen.findByText('Backed up.')).toBeVisible()
})

it('tells at the start what opening mended', async () => {
  backend.vault?.mockResolvedValue({ ...vault, notices: ['The store was missing.'] })
  await world.load()
  expect(world.problem?.what).toBe('The store was missing.')
})
