import type { Mock } from 'vitest'

/** The stand-in for api.ts; backend.ts fills it. Apart, because the stores import it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each spy has its own signature in api.ts
export const backend: Record<string, Mock<(...args: any[]) => any>> = {}
