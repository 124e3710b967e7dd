// What went wrong in the page itself, for WindowReady and for tests: breaches of
// the content security policy and errors that nobody caught.
export const violations: string[] = []
export const errors: string[] = []

export function watch(): void {
  document.addEventListener('securitypolicyviolation', (e) => {
    violations.push(`${e.violatedDirective}: ${e.blockedURI}`)
  })
  addEventListener('error', (e) => errors.push(e.message))
  addEventListener('unhandledrejection', (e) => errors.push(String(e.reason)))
}
