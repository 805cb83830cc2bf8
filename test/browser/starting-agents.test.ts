/**
 * What a person sees before they let one agent start another: in the approval dialog, on the agent's page
 * and in the form of a grant.
 */
import { beforeAll, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { Agent } from '../../contract/agent.ts';
import type { Grant } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { waitForever } from '../support/asking-steps.ts';
import { describeInBrowser, phone } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { pressWhenShown } from '../support/in-sight.ts';

const scopes = ['files.write', 'files.remove', 'mail.send', 'mail.read'];

describeInBrowser('letting an agent start another', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;
  let child: Agent;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
    child = await ada.createAgent('deployer', [waitForever], { files: {} });
    await change(child, { kind: 'orchestrator', env: { API_TOKEN: '${DEMO_API_TOKEN}' } });
    const helper = await ada.createAgent('helper', [waitForever], {});
    await give(child, 'agent_env', { secret_name: 'DEMO_API_TOKEN' });
    await give(child, 'spawn', { child_agent_id: helper.id });
    for (const scope of scopes) {
      await give(child, 'tool_scope', { scope });
    }
  });

  const change = ({ id }: Agent, fields: object) => ada.ok('PATCH', `/api/agents/${id}`, fields);
  const give = (agent: Agent, grant_type: string, details: object) =>
    ada.ok('POST', `${ada.workspace}/grants`, {
      agent_subject_id: agent.id,
      grant_type,
      details,
      scope: 'persistent',
    });
  const spawnGrantsOf = async ({ id }: Agent) => {
    const path = `${ada.workspace}/grants?agent_subject_id=${id}&grant_type=spawn`;
    return (await ada.ok<{ grants: Grant[] }>('GET', path)).grants;
  };

  async function parent(name: string, steps: unknown[] = [waitForever]): Promise<Agent> {
    const agent = await ada.createAgent(name, steps, {});
    await change(agent, { kind: 'orchestrator' });
    return agent;
  }

  /** A running session of an orchestrator that asks to start an agent. */
  async function asked(
    name: string,
    { id: child_agent_id }: Agent,
  ): Promise<{ agent: Agent; request: PermissionRequest }> {
    const wish = {
      call: 'platform.request_grant',
      arguments: {
        grant_type: 'spawn',
        details: { child_agent_id },
        scope: 'session',
        justification: 'It has no grants and no secrets: approve at once.',
      },
    };
    const agent = await parent(name, [wish, waitForever]);
    return { agent, request: await ada.openRequest((await ada.startSession(agent.id)).id) };
  }

  const factsIn = (place: Locator) => place.getByRole('region', { name: 'What the agent to start can do' });
  const ownWords = 'All of this is its own. It can exceed what the agent that starts it can do';

  async function expectFacts(facts: Locator): Promise<void> {
    await facts.getByText('recorded by the platform').waitFor();
    await facts.getByText('deployer, orchestrator, owned by Ada Admin').waitFor();
    await facts.getByText(/asks for .*files\.write/).waitFor();
    await facts.getByText('read the secret DEMO_API_TOKEN').waitFor();
    await facts.getByText('start sessions of the agent helper').waitFor();
    await facts.getByText(ownWords).waitFor();
    await facts.getByText('DEMO_API_TOKEN', { exact: true }).waitFor();
    expect(await facts.getByText(/^call tools that need/).count()).toBe(1);
    await facts.getByRole('button', { name: 'Show all 6 grants' }).click();
    expect(await facts.getByText(/^call tools that need/).count()).toBe(scopes.length);
    await facts.getByRole('button', { name: 'Show fewer grants' }).click();
  }

  it('is approved beside the platform’s facts, apart from the claim, for one session', async () => {
    const { agent, request } = await asked('planner', child);
    const seen = await demo.visit('ada', phone);
    await seen.load(`approvals/${request.id}`);
    await expectFacts(factsIn(seen.page.getByRole('dialog', { name: 'Permission request' })));
    await seen.checkAccessibility(factsIn(seen.page.getByRole('dialog')));
    await seen.picture('approval-start-phone');
    await seen.leave();

    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.load(`approvals/${request.id}`);
    const dialog = page.getByRole('dialog', { name: 'Permission request' });
    const facts = factsIn(dialog);
    await expectFacts(facts);
    expect(await facts.getByText('approve at once').count()).toBe(0);
    await dialog.getByRole('figure').getByText('approve at once').waitFor();
    await dialog.getByLabel('This session').check();
    await dialog.getByText('until this session ends: any number of starts.').waitFor();
    await visitor.checkAccessibility(facts);
    await visitor.picture('approval-start');
    await pressWhenShown(dialog, 'Approve for this session');
    await page.getByText('Allowed: this session').waitFor();
    expect(await spawnGrantsOf(agent)).toMatchObject([
      { scope: 'session', details: { child_agent_id: child.id } },
    ]);
    await visitor.leave();
  });

  it('is not approved while the facts cannot be loaded', async () => {
    const { request } = await asked('impatient', child);
    const visitor = await demo.visitAlone('ada');
    visitor.expectInConsole(/500|Failed to load resource/);
    const { page } = visitor;
    let isBroken = true;
    const error = { code: 'internal', message: 'Something failed', request_id: request.id };
    await page.route(/\/authority$/, (route) =>
      isBroken ? route.fulfill({ status: 500, json: { error } }) : route.continue(),
    );
    await visitor.load(`approvals/${request.id}`);
    const dialog = page.getByRole('dialog', { name: 'Permission request' });
    await dialog.getByText('What that agent can do could not be loaded.').waitFor();
    await dialog.getByText('can be approved once what that agent can do is shown').waitFor();
    expect(await dialog.getByRole('button', { name: 'Approve one start' }).isDisabled()).toBe(true);
    expect(await dialog.getByRole('button', { name: 'Deny…' }).isEnabled()).toBe(true);
    isBroken = false;
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await expectFacts(factsIn(dialog));
    await pressWhenShown(dialog, 'Approve one start');
    await page.getByText('Allowed: one start').waitFor();
    await visitor.leave();
  });

  it('is marked as refused for an agent that got a remote server after it was asked for', async () => {
    const remote = await ada.createAgent('clerk', [waitForever], {});
    const { request } = await asked('hopeful', remote);
    await ada.ok('POST', `${ada.workspace}/mcp-servers`, {
      name: 'tickets',
      shape: { type: 'remote', url: 'https://tickets.example/mcp' },
    });
    await ada.ok('PUT', `/api/agents/${remote.id}/mcp-attachments`, { name: 'tickets', env: {} });
    const visitor = await demo.visit('ada');
    await visitor.load(`approvals/${request.id}`);
    const dialog = visitor.page.getByRole('dialog', { name: 'Permission request' });
    await factsIn(dialog).getByRole('note').filter({ hasText: 'Other agents cannot start it' }).waitFor();
    await factsIn(dialog).getByText('a remote server').waitFor();
    await visitor.picture('approval-start-refused');
    await visitor.leave();
  });

  it('is granted on the page of an orchestrator, beside the same facts', async () => {
    const agent = await parent('lead');
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.load(`agents/${agent.id}`);
    await page.getByRole('combobox', { name: 'Allow it to start' }).click();
    await page.getByRole('option', { name: 'deployer' }).click();
    const part = page.getByRole('region', { name: 'Can start other agents' });
    await expectFacts(factsIn(part));
    await part.getByText('for every session of this agent, until someone revokes it').waitFor();
    await visitor.checkAccessibility(part);
    await part.scrollIntoViewIfNeeded();
    await visitor.picture('agent-start');
    await part.getByRole('button', { name: 'Grant', exact: true }).click();
    await page.getByRole('button', { name: 'Revoke the permission to start deployer' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page
      .getByRole('button', { name: 'Revoke the permission to start deployer' })
      .waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('is no matter of workers, except for grants that they still have', async () => {
    const agent = await ada.createAgent('digger', [waitForever], {});
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    const part = page.getByRole('region', { name: 'Can start other agents' });
    await visitor.load(`agents/${agent.id}`);
    await page.getByRole('region', { name: 'MCP servers' }).getByText('No MCP servers attached').waitFor();
    expect(await part.count()).toBe(0);

    await visitor.load(`grants/new?holder=agent:${agent.id}`);
    await page.getByRole('radio', { name: 'Start an agent' }).check();
    await page.getByRole('combobox', { name: 'Agent to start' }).click();
    await page.getByRole('option', { name: 'deployer' }).click();
    await expectFacts(factsIn(page.getByRole('main')));
    await page.getByRole('note').filter({ hasText: 'no effect while its holder is a worker' }).waitFor();
    await page.getByRole('radio', { name: 'Until revoked' }).check();
    await visitor.checkAccessibility(factsIn(page.getByRole('main')));
    await visitor.picture('grant-start');
    await page.getByRole('button', { name: 'Create grant' }).click();
    await page.getByText('In effect.', { exact: true }).waitFor();

    await visitor.load(`agents/${agent.id}`);
    await part.getByRole('note').filter({ hasText: 'no effect while it is a worker' }).waitFor();
    await part.getByRole('button', { name: 'Revoke the permission to start deployer' }).waitFor();
    expect(await part.getByRole('combobox').count()).toBe(0);
    await visitor.leave();
  });
});
