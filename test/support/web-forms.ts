/**
 * Every form and dialog of the web UI that changes something: where it is, how it is
 * filled in, and what sends it.
 */
import type { Page } from 'playwright-core';
import { ask, waitForever } from './asking-steps.ts';
import { untilFound } from './eventually.ts';
import type { FrontDoor } from './front-door.ts';

/** Ids of what the forms are about. */
export interface FormSubjects {
  agentId: string;
  /** Waits, with an open permission request. */
  askingSessionId: string;
  requestId: string;
  /** Waits, and is muted. */
  mutedSessionId: string;
  grantId: string;
  /** A check of the entry `files` that has ended. */
  checkId: string;
}

export interface WebForm {
  at: (subjects: FormSubjects) => string;
  fill?: (page: Page) => Promise<unknown>;
  submit: string;
  /** Changes one field after the refusal, where there is one. */
  change?: (page: Page) => Promise<unknown>;
  /** A dialog, where the form is one. */
  inside?: string;
  /** Set where the user goes on typing, so that the focus stays in the field. */
  keepsFocus?: true;
  isForSignedOut?: true;
}

const dialog = '[role=dialog]';

export async function makeFormSubjects(ada: FrontDoor): Promise<FormSubjects> {
  const agent = await ada.createAgent('formed', [ask('session'), waitForever], { files: {} });
  await ada.ok('PATCH', `/api/agents/${agent.id}`, {
    kind: 'orchestrator',
    env: { API_TOKEN: '${DEMO_API_TOKEN}' },
  });
  const grantFor = async (subject: object) =>
    (
      await ada.ok<{ grant: { id: string } }>('POST', `${ada.workspace}/grants`, {
        scope: 'persistent',
        ...subject,
      })
    ).grant.id;
  const asker = await ada.createAgent('asker', [ask('session'), waitForever], { files: {} });
  const waiter = await ada.createAgent('waiter', [waitForever], {});
  const [asking, muted] = [await ada.startSession(asker.id), await ada.startSession(waiter.id)];
  await ada.ok('PATCH', `/api/sessions/${muted.id}`, { permission_requests_muted: true });
  await grantFor({
    agent_subject_id: agent.id,
    grant_type: 'spawn',
    details: { child_agent_id: asker.id },
  });
  return {
    agentId: agent.id,
    askingSessionId: asking.id,
    requestId: (await ada.openRequest(asking.id)).id,
    mutedSessionId: muted.id,
    grantId: await grantFor({
      agent_subject_id: agent.id,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
    }),
    checkId: await endedCheck(ada),
  };
}

async function endedCheck(ada: FrontDoor): Promise<string> {
  const path = `${ada.workspace}/mcp-servers/files/checks`;
  type Answer = { mcp_check: { id: string; ended_at: string | null } };
  const { id } = (await ada.ok<Answer>('POST', path, { env: {} })).mcp_check;
  return untilFound('the end of the check', async () =>
    (await ada.ok<Answer>('GET', `${path}/${id}`)).mcp_check.ended_at === null ? null : id,
  );
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const choose = async (page: Page, field: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option }).click();
};

const type = (field: string, text: string) => (page: Page) =>
  page.getByRole('textbox', { name: field }).fill(text);
/** Invalid in between, as while a user types. */
const pasteAnother = async (page: Page) => {
  await type('Configuration', '{ "mcpServers": {')(page);
  await page.getByText('Servers to register').waitFor({ state: 'detached' });
  const another = '{ "mcpServers": { "imported": { "command": "mcp-server-everything", "args": ["x"] } } }';
  await type('Configuration', another)(page);
  await page.getByText('mcp-server-everything x').waitFor();
};

const ofCatalog: Record<string, WebForm> = {
  'a new entry': {
    at: () => 'catalog/_/new',
    async fill(page) {
      await page.getByRole('textbox', { name: 'Name' }).fill('another');
      await page.getByRole('textbox', { name: 'Command' }).fill('node');
    },
    submit: 'Register',
    change: type('Name', 'yet-another'),
  },
  'a changed entry': { at: () => 'catalog/files/edit', submit: 'Save', change: type('Command', 'node') },
  'the removal of an entry': {
    at: () => 'catalog/files',
    fill: (page) => press(page, 'Remove'),
    submit: 'Remove server',
    inside: dialog,
  },
  'an import': {
    at: () => 'catalog/_/import',
    fill: (page) =>
      page
        .getByRole('textbox', { name: 'Configuration' })
        .fill('{ "mcpServers": { "imported": { "command": "mcp-server-everything" } } }'),
    submit: 'Register',
    change: pasteAnother,
  },
  'a check': { at: () => 'catalog/files/check', submit: 'Run check' },
  'scopes of a check': {
    at: ({ checkId }) => `catalog/files/check?check=${checkId}`,
    submit: 'Save access',
    change: type('Scope of write_file', 'files.change'),
  },
};

const ofAgents: Record<string, WebForm> = {
  'a new agent': {
    at: () => 'agents/new',
    async fill(page) {
      await page.getByRole('textbox', { name: 'Name' }).fill('another');
      await press(page, 'Use an example');
    },
    submit: 'Create agent',
    change: type('Name', 'yet another'),
  },
  'a changed agent': {
    at: ({ agentId }) => `agents/${agentId}/edit`,
    submit: 'Save',
    change: type('Name', 'yet another'),
  },
  'the archiving of an agent': {
    at: ({ agentId }) => `agents/${agentId}`,
    fill: (page) => press(page, 'Archive'),
    submit: 'Archive agent',
    inside: dialog,
  },
  'the deletion of an agent': {
    at: ({ agentId }) => `agents/${agentId}`,
    fill: (page) => press(page, 'Delete'),
    submit: 'Delete agent',
    inside: dialog,
  },
  'an attachment': { at: ({ agentId }) => `agents/${agentId}/servers/files`, submit: 'Save' },
  'a detachment': {
    at: ({ agentId }) => `agents/${agentId}`,
    fill: (page) => press(page, 'Detach files'),
    submit: 'Detach',
    inside: dialog,
  },
  'an agent that may be started': {
    at: ({ agentId }) => `agents/${agentId}`,
    async fill(page) {
      await page.getByRole('button', { name: 'Revoke the permission to start asker' }).waitFor();
      await page.getByRole('combobox', { name: 'Allow it to start' }).click();
      await page.getByRole('option', { name: 'scribe' }).click();
    },
    submit: 'Grant',
    change: (page) => choose(page, 'Allow it to start', 'waiter'),
  },
  'an agent that may no longer be started': {
    at: ({ agentId }) => `agents/${agentId}`,
    fill: (page) => press(page, 'Revoke the permission to start asker'),
    submit: 'Revoke',
    inside: dialog,
  },
  'a secret that the agent may read': {
    at: ({ agentId }) => `agents/${agentId}`,
    fill: (page) => press(page, 'Let the agent read DEMO_API_TOKEN'),
    submit: 'Let the agent read it',
    inside: dialog,
  },
};

const ofSessions: Record<string, WebForm> = {
  'a new session': {
    at: ({ agentId }) => `sessions/new?agent=${agentId}`,
    fill: (page) => page.getByLabel('Prompt').fill('Go.'),
    submit: 'Start',
    change: (page) => page.getByLabel('Prompt').fill('Go on.'),
  },
  'a message': {
    at: ({ mutedSessionId }) => `sessions/${mutedSessionId}`,
    fill: (page) => page.getByRole('textbox', { name: 'Message to the agent' }).fill('Hello.'),
    submit: 'Send',
    change: type('Message to the agent', 'Good day.'),
    keepsFocus: true,
  },
  'the end of a session': {
    at: ({ mutedSessionId }) => `sessions/${mutedSessionId}`,
    fill: (page) => press(page, 'Stop'),
    submit: 'Stop',
    inside: dialog,
  },
  'a session that is muted no longer': {
    at: ({ mutedSessionId }) => `sessions/${mutedSessionId}`,
    submit: 'Unmute',
  },
  'an approval': {
    at: ({ requestId }) => `approvals/${requestId}`,
    submit: 'Approve one call',
    change: (page) => page.getByLabel('This session').check(),
    inside: dialog,
  },
  'a denial': {
    at: ({ requestId }) => `approvals/${requestId}`,
    fill: (page) => press(page, 'Deny…'),
    submit: 'Deny',
    change: type('Reason', 'Not now.'),
    inside: dialog,
  },
};

const ofGovernance: Record<string, WebForm> = {
  'a new grant': {
    at: ({ agentId }) => `grants/new?holder=agent:${agentId}`,
    fill: (page) => choose(page, 'Tool scope', /files\.write/),
    submit: 'Create grant',
    change: type('Reason', 'For later.'),
  },
  'a revocation': {
    at: ({ grantId }) => `grants/${grantId}`,
    fill: (page) => press(page, 'Revoke'),
    submit: 'Revoke',
    inside: dialog,
  },
  'the settings': {
    at: () => 'settings',
    fill: (page) => page.getByLabel('Workspace name').fill('Another'),
    submit: 'Save',
    change: (page) => page.getByLabel('Workspace name').fill('Yet another'),
  },
  'a new member': {
    at: () => 'members',
    async fill(page) {
      await press(page, 'Add member');
      await page.getByLabel('E-mail address or user ID').fill('max@demo.test');
    },
    submit: 'Add',
    change: (page) => page.getByLabel('E-mail address or user ID').fill('ada@demo.test'),
    inside: dialog,
  },
  'a changed role': {
    at: () => 'members',
    fill: (page) => press(page, 'Make an admin: Max Member'),
    submit: 'Make an admin',
    inside: dialog,
  },
  'the removal of a member': {
    at: () => 'members',
    fill: (page) => press(page, 'Remove: Max Member'),
    submit: 'Remove member',
    inside: dialog,
  },
  'a new workspace': {
    at: () => '/_/workspaces/new',
    fill: (page) => page.getByRole('textbox', { name: 'Name' }).fill('Another'),
    submit: 'Create workspace',
    change: type('Name', 'Yet another'),
  },
};

const typeSecret = (page: Page, value = 'x') => page.locator(dialog).getByLabel('Value').fill(value);

const ofSecrets: Record<string, WebForm> = {
  'a new secret': {
    at: () => 'secrets',
    async fill(page) {
      await press(page, 'New secret');
      await page.locator(dialog).getByRole('textbox', { name: 'Name' }).fill('ANOTHER');
      await typeSecret(page);
    },
    submit: 'Set',
    change: type('Name', 'YET_ANOTHER'),
    inside: dialog,
  },
  'a replaced value': {
    at: () => 'secrets/DEMO_API_TOKEN',
    async fill(page) {
      await press(page, 'Replace value');
      await typeSecret(page);
    },
    submit: 'Replace',
    change: (page) => typeSecret(page, 'y'),
    inside: dialog,
  },
  'a value that is cleared': {
    at: () => 'secrets/DEMO_API_TOKEN',
    fill: (page) => press(page, 'Clear value'),
    submit: 'Clear value',
    inside: dialog,
  },
  'a restriction': {
    at: () => 'secrets/DEMO_API_TOKEN',
    fill: (page) => page.getByRole('radio', { name: /Any MCP server/ }).check(),
    submit: 'Save',
    change: (page) => page.getByRole('radio', { name: /Only selected MCP servers/ }).check(),
  },
};

/** By what each is for. The sign-in's form is the last, since it is for signed-out users. */
export const webForms: Record<string, WebForm> = {
  ...ofCatalog,
  ...ofAgents,
  ...ofSessions,
  ...ofGovernance,
  ...ofSecrets,
  'the sign-in': {
    at: () => '/',
    fill: (page) => page.getByLabel('Other e-mail address').fill('nobody@demo.test'),
    submit: 'Sign in',
    change: (page) => page.getByLabel('Other e-mail address').fill('somebody@demo.test'),
    inside: 'body',
    isForSignedOut: true,
  },
};
