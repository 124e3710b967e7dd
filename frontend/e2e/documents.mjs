// Small documents of our own for the browser tests, with plain answers in them.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const topics = ['north', 'south', 'east', 'west', 'harbour', 'island']

const text = (place, i) => `# Lighthouses of the ${place} coast

## Keepers

The ${place} lighthouse had ${i + 2} keepers between 1890 and 1931. Each keeper wrote the weather into a book every evening.
The keepers were paid by the harbour office of the district. Supplies came by boat on the first Monday of the month.

## Lamps

The ${place} lighthouse burned paraffin until 19${10 + i}. After that its lamp was electric and could be seen for ${14 + i} miles.
A spare lamp stood in the lower room. Fog bells were rung by hand when the lamp could not be seen.
`

/** Writes n documents and one file that can't be read into dir; answers dir. */
export async function documents(dir, n = 3) {
  await mkdir(dir, { recursive: true })
  for (let i = 0; i < n; i++) {
    const topic =
      topics[i % topics.length] + (i >= topics.length ? ` ${Math.floor(i / topics.length) + 1}` : '')
    await writeFile(join(dir, `${topic.replace(' ', '-')}.md`), text(topic, i))
  }
  await writeFile(join(dir, 'empty.txt'), '')
  // A name that would read backwards: “tidescod.txt” for “tidestxt.doc”.
  await writeFile(join(dir, 'tides\u202Edm.txt'), `The tide of ${n} places was written down.\n`)
  return dir
}

export const goal = 'What is known about the lighthouses of the coast'
export const questions = [
  'How many keepers did each lighthouse have?',
  'When did the lighthouse lamp become electric?',
]
