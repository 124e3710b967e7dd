// A stand-in for Ollama whose reply is a function of the prompt: reading, it points
// at the sentences that share words with the question; answering, it strings the
// findings together. It serves tests only and is never part of the program.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'

const name = 'fake-reader:4b'
const digest = createHash('sha256').update(name).digest('hex')
const tokens = (s) => Math.ceil(Buffer.byteLength(s) / 4)
const wait = (ms) => new Promise((done) => setTimeout(done, ms))
const words = (s) =>
  new Set(
    (s.toLowerCase().match(/[a-z]{4,}/g) ?? []).filter(
      (w) => !['what', 'which', 'does', 'have', 'with', 'that', 'this', 'from', 'they'].includes(w),
    ),
  )

/** Some value that fits a schema. */
function fits(schema) {
  if (schema?.enum) return schema.enum[0]
  if (schema?.const !== undefined) return schema.const
  if (schema?.type === 'object')
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([k, v]) => [k, fits(v)]))
  if (schema?.type === 'array') return [fits(schema.items)]
  if (schema?.type === 'integer' || schema?.type === 'number') return 1
  if (schema?.type === 'boolean') return true
  return 'yes'
}

export function reply(prompt, format) {
  const question = /^Question: (.*)$/m.exec(prompt)?.[1] ?? ''
  const items = [...prompt.matchAll(/^\[(c?\d+)\] (.*)$/gm)].map((m) => ({ label: m[1], text: m[2] }))
  if (prompt.includes('"findings"')) {
    const wanted = words(question)
    const found = items
      .filter((s) => s.text.length <= 240 && [...words(s.text)].filter((w) => wanted.has(w)).length >= 2)
      .slice(0, 2)
    return JSON.stringify({ findings: found.map((s) => ({ sentences: [s.label], claim: s.text })) })
  }
  if (prompt.includes('"claims":["label"]')) {
    return JSON.stringify({ sentences: items.slice(0, 4).map((s) => ({ claims: [s.label], text: s.text })) })
  }
  return format && typeof format === 'object'
    ? JSON.stringify(fits(format))
    : 'The book keeps what happened, so that later readers can tell a gap from a quiet day.'
}

/** Serves until close() is called. pace is the pause between pieces, in milliseconds. */
export async function fakeOllama() {
  const state = { pace: 15, chats: 0 }
  const server = createServer(async (req, res) => {
    const chunks = []
    for await (const c of req) chunks.push(c)
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}
    const send = (v, status = 200) => {
      res.writeHead(status, { 'Content-Type': 'application/json' })
      res.end(JSON.stringify(v))
    }
    const details = { family: 'fake', parameter_size: '4.0B', quantization_level: 'Q4_K_M' }
    const card = { name, model: name, digest, size: 2_600_000_000, details }
    switch (new URL(req.url, 'http://x').pathname) {
      case '/':
        res.end('Ollama is running')
        return
      case '/api/version':
        return send({ version: '0.17.4' })
      case '/api/tags':
        return send({ models: [card] })
      case '/api/ps':
        return send({
          models: [{ ...card, size_vram: 0, context_length: 8192, expires_at: '2030-01-01T00:00:00Z' }],
        })
      case '/api/show':
        if (body.model !== name) return send({ error: `model '${body.model}' not found` }, 404)
        return send({
          template: '{{- range .Messages }}<|{{ .Role }}|>{{ .Content }}{{ end }}<|assistant|>',
          modelfile: 'FROM fake',
          capabilities: ['completion'],
          details,
          model_info: {
            'general.architecture': 'fake',
            'general.parameter_count': 4_000_000_000,
            'fake.context_length': 32768,
          },
        })
      case '/api/chat': {
        const prompt = (body.messages ?? []).map((m) => m.content).join('\n')
        const model = body.model
        const base = { model, created_at: new Date(0).toISOString() }
        if (model !== name) return send({ error: `model '${model}' not found` }, 404)
        state.chats++
        const user = (body.messages ?? []).findLast((m) => m.role === 'user')?.content ?? ''
        const text = (body.messages ?? []).length === 0 ? '' : reply(user, body.format)
        res.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
        for (const piece of text.match(/[\s\S]{1,8}/g) ?? []) {
          if (res.destroyed) return
          res.write(
            `${JSON.stringify({ ...base, message: { role: 'assistant', content: piece }, done: false })}\n`,
          )
          await wait(state.pace)
        }
        const [read, wrote] = [tokens(prompt), tokens(text)]
        res.end(
          `${JSON.stringify({ ...base, message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', total_duration: 1e9, load_duration: 1e6, prompt_eval_count: read, prompt_eval_duration: Math.round((read / 400) * 1e9), eval_count: wrote, eval_duration: Math.round((wrote / 60) * 1e9) })}\n`,
        )
        return
      }
      default:
        return send({ error: 'not found' }, 404)
    }
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return {
    name,
    state,
    address: `127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}
