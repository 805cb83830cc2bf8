/** What `npm start` prints for the person at the terminal. */
import { productName } from '../../contract/product-name.ts';
import { demoPeople, demoSlug } from './demo-content.ts';
import { messageOf } from './start-error.ts';
import type { StartedPlatform } from './start-platform.ts';

/** Addresses, people, and what to try first. */
export function welcome({ url, temporalUiUrl, dataDirectory, demo }: StartedPlatform): string {
  const people = Object.values(demoPeople).map(({ email, name }) => `${email} (${name})`);
  const rows = [
    ['Web UI', `${url}/app/`],
    ['API', `${url}/api`],
    ...(temporalUiUrl === null ? [] : [['Temporal UI', temporalUiUrl]]),
    ['Data', dataDirectory],
    ['Workspace', demoSlug],
    ['People', people.join(', ')],
  ];
  const table = rows.map(([name = '', value]) => `  ${name.padEnd(12)} ${value}`).join('\n');
  return `\n${productName} is ready.\n\n${table}\n\n${whatWaits(url, demo)}\n`;
}

function whatWaits(url: string, demo: StartedPlatform['demo']): string {
  if (demo === null) {
    return '  Ctrl-C stops everything.';
  }
  return 'requestId' in demo
    ? firstSteps(url, demo)
    : `  The demo session ${demo.sessionId} does not wait: ${demo.reason}`;
}

function firstSteps(url: string, demo: { sessionId: string; requestId: string }): string {
  const api = `${url}/api`;
  return `  Session ${demo.sessionId} of the agent "scribe" waits for an approval.
  Open ${url}/app/ and sign in as ${demoPeople.ada.name}. Or try it in another terminal; docs/walk-through.md goes on from here:

    api=${api}
    curl -sS -c cookies.txt "$api/auth/demo-sign-in" -H 'content-type: application/json' -d '{"email":"${demoPeople.ada.email}"}'
    curl -sS -b cookies.txt "$api/workspaces/${demoSlug}/permission-requests/${demo.requestId}"

  Ctrl-C stops everything.`;
}

/** An unexpected error: with its stack, since it is a defect to report. */
export function startError(error: unknown): string {
  const stack = typeof error === 'object' && error !== null && 'stack' in error ? String(error.stack) : '';
  return `\nThe start failed: ${messageOf(error)}\n${stack}`;
}
