/**
 * A real tree of sessions on its pages: live, down to what its agents say to each other,
 * and decided at its root.
 */
import { beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Agent } from '../../contract/agent.ts';
import type { Session } from '../../contract/session.ts';
import { ask, say, waitFor, waitForever, write } from '../support/asking-steps.ts';
import { describeInBrowser, phone, type Visitor } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { eventually } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { pressWhenShown } from '../support/in-sight.ts';
import { getToSpawn } from '../support/tree-steps.ts';

describeInBrowser('the pages of a tree of sessions', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;
  let max: FrontDoor;

  beforeAll(async () => {
    [ada, max] = await Promise.all([demo.signIn('ada'), demo.signIn('max')]);
  });

  const spawn = (agent: Agent, label: string) => ({
    call: 'platform.spawn_session',
    arguments: { agent_id: agent.id, prompt: 'Do your part', label },
    save: { [agent.name]: 'session_id' },
  });

  /** An orchestrator that asks to start each of its helpers, once somebody tells it to begin. */
  async function createPlanner(): Promise<Agent> {
    const found = { call: 'platform.message_caller', arguments: { text: 'I found seven tickets' } };
    const reader = await ada.createAgent(
      'reader',
      [
        waitFor('Leave out'),
        write('permission_required'),
        ask('session'),
        waitFor('approved'),
        write(),
        found,
      ],
      { files: {} },
    );
    const writer = await ada.createAgent('writer', [say('Writing'), waitForever], {});
    const tell = {
      call: 'platform.inject_message',
      arguments: { session_id: { $saved: 'reader' }, text: 'Leave out closed ones' },
    };
    const { agent } = await ada.ok<{ agent: Agent }>('POST', `${ada.workspace}/agents`, {
      name: 'planner',
      kind: 'orchestrator',
      run: { type: 'builtin', name: 'scripted' },
      instructions: JSON.stringify({
        steps: [
          waitFor('begin'),
          ...getToSpawn(reader.id),
          spawn(reader, 'tickets'),
          ...getToSpawn(writer.id),
          spawn(writer, imitation),
          tell,
          { wait_for_message: { contains: 'seven', kind: 'session_message', timeout_seconds: 300 } },
          waitForever,
        ],
      }),
    });
    return agent;
  }

  const treeOf = (page: Page) => page.getByRole('region', { name: 'Sessions of this tree' });
  const rowOf = (page: Page, agent: string) => treeOf(page).locator('li').filter({ hasText: agent }).last();
  const entries = (page: Page) => page.getByRole('region', { name: 'Transcript' }).getByRole('listitem');

  it('follow what its sessions do, and bring a request of a child to the person at the root', async () => {
    const root = await max.startSession((await createPlanner()).id, 'Report on the tickets');
    const visitor = await demo.visit('max');
    const { page } = visitor;
    await visitor.open(`sessions/${root.id}`);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await treeOf(page).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Message to the agent' }).fill('Please begin now');
    await page.getByRole('button', { name: 'Send' }).click();
    await approveStart(page, 'reader');
    await approveStart(page, 'writer');
    await rowOf(page, 'writer').getByText('Running').waitFor();
    await rowOf(page, 'reader').getByText('Waiting for approval').waitFor();
    await rowOf(page, 'reader').getByText('waits for you').waitFor();
    await decideAtRoot(visitor, root);
    await rowOf(page, 'reader').getByText('Completed').waitFor();
    await expectWordsOfAgents(page);
    await visitor.checkAccessibility(treeOf(page));
    await visitor.picture('session-tree');

    await treeOf(page).getByRole('link', { name: 'writer' }).click();
    await expectChildPage(visitor);
    await expectListed(visitor);
    await expectEndOfAll(visitor, root);
    await visitor.leave();
    await expectAudited(root);
  });

  /** In the dialog, which comes up by itself unless the request came while another one was shown. */
  async function approveStart(page: Page, agent: string): Promise<void> {
    const dialog = page.getByRole('dialog', { name: 'Permission request' });
    await eventually(
      async () => {
        if (!(await dialog.isVisible())) {
          await page.getByRole('button', { name: 'Review' }).click({ timeout: 2_000 });
        }
        expect(await dialog.innerText()).toContain(`Starting sessions of the agent ${agent}`);
      },
      { withinMs: 120_000 },
    );
    await dialog.getByRole('radio', { name: 'This session' }).check();
    await pressWhenShown(dialog, 'Approve for this session');
    await page.getByText('Allowed: this session').last().waitFor();
  }

  /** The request is shown on the root's page with the way that it took, on a phone, too. */
  async function decideAtRoot({ page, ...visitor }: Visitor, root: Session): Promise<void> {
    const small = await demo.visit('max', phone);
    await small.open(`sessions/${root.id}`);
    await expectChain(small.page.getByRole('dialog', { name: 'Permission request' }));
    await small.checkAccessibility();
    await small.picture('session-tree-request-390');
    await small.page.getByRole('button', { name: 'Decide later' }).click();
    await expectChain(small.page.getByRole('status').filter({ hasText: 'waiting for you' }));
    await expectNoWider(small.page);
    await small.picture('session-tree-root-390');
    await expectWithin(rowOf(small.page, 'reader').getByText('waits for you'), treeOf(small.page));
    await treeOf(small.page).scrollIntoViewIfNeeded();
    await small.picture('session-tree-panel-390');
    await small.leave();

    const dialog = page.getByRole('dialog', { name: 'Permission request' });
    await expectChain(dialog);
    await visitor.picture('session-tree-request');
    await dialog.getByRole('button', { name: 'Decide later' }).click();
    const banner = page.getByRole('status').filter({ hasText: 'A permission request is waiting for you' });
    await expectChain(banner);
    await banner.getByText('asks to call').waitFor();
    await visitor.picture('session-tree-waiting');
    await banner.getByRole('button', { name: 'Review' }).click();
    await dialog.getByRole('radio', { name: 'This session' }).check();
    await dialog.locator('button:enabled', { hasText: /^Approve/ }).click();
    await page.getByText('Allowed: this session').last().waitFor();
  }

  async function expectChain(place: Locator): Promise<void> {
    const chain = place.getByRole('list').filter({ hasText: 'planner' });
    await chain.waitFor();
    expect((await chain.getByRole('listitem').allInnerTexts()).map(words)).toEqual([
      'planner',
      'reader tickets',
    ]);
  }

  /** What agents say to each other is marked as that, and as nothing that a person wrote. */
  async function expectWordsOfAgents(page: Page): Promise<void> {
    const classOf = async (text: string) => {
      const entry = entries(page).filter({ hasText: text }).first();
      await entry.waitFor();
      return { class: await entry.getAttribute('class'), text: words(await entry.innerText()) };
    };
    expect(await classOf('Please begin now')).toMatchObject({ class: 'entry entry-person' });
    expect(await classOf('started a session of reader')).toMatchObject({ class: 'entry entry-agent' });
    const sent = await classOf('Leave out closed ones');
    expect(sent.class).toBe('entry entry-agent');
    expect(sent.text).toContain('Message to the agent reader tickets, whose session this one started:');
    const received = await classOf('I found seven tickets');
    expect(received.class).toBe('entry entry-other-agent');
    expect(received.text).toContain('reader (agent of another session)');
    expect(received.text).toContain('Message of the agent reader tickets, whose session this one started:');
    expect((await classOf('The session of reader tickets has ended')).text).toContain('Completed');
  }

  /** Where it comes from, and that nobody drives it. */
  async function expectChildPage(visitor: Visitor): Promise<void> {
    const { page } = visitor;
    const path = page.getByRole('navigation', { name: 'Where this session comes from' });
    await path.getByRole('link', { name: 'planner' }).waitFor();
    expect((await path.getByRole('listitem').allInnerTexts()).map(words)).toEqual([
      'planner',
      `writer ${imitation}`,
    ]);
    expect(await path.locator('[aria-current=page]').count()).toBe(1);
    const drives = page.getByRole('region', { name: 'Who is behind this session' });
    await drives.getByText('No person is behind this session: the agent planner started it').waitFor();
    await drives.getByText('Its permission requests come to you').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message to the agent' }).count()).toBe(0);
    const prompt = entries(page).filter({ hasText: 'Prompt by planner (agent of another session)' });
    expect(await prompt.getAttribute('class')).toBe('entry entry-other-agent');
    expect(words(await treeOf(page).locator('[aria-current=page]').innerText())).toContain(
      `writer ${imitation}`,
    );
    await rowOf(page, 'reader').getByText('Completed').waitFor();
    await visitor.picture('session-tree-child');
    const small = await demo.visit('max', phone);
    await small.page.goto(page.url());
    await small.page.getByRole('navigation', { name: 'Where this session comes from' }).waitFor();
    await expectNoWider(small.page);
    await small.picture('session-tree-child-390');
    await small.leave();
  }

  async function expectListed(visitor: Visitor): Promise<void> {
    const { page } = visitor;
    await visitor.open('sessions');
    const row = page.getByRole('row').filter({ hasText: 'writer' });
    await row.getByText(imitation, { exact: true }).waitFor();
    await row.getByText('started by planner').waitFor();
    const cutOff = await page.evaluate<number>(
      `[...document.querySelectorAll('td .status')].filter((state) => state.scrollWidth > state.clientWidth).length`,
    );
    expect({ cutOff, states: await page.locator('td .status').count() }).toEqual({
      cutOff: 0,
      states: 3,
    });
    await visitor.picture('session-tree-list');
    await page.getByRole('checkbox', { name: 'Leave out sessions that agents started' }).check();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'planner' }).waitFor();
    await visitor.checkAccessibility();
  }

  async function expectEndOfAll(visitor: Visitor, root: Session): Promise<void> {
    const { page } = visitor;
    await visitor.open(`sessions/${root.id}`);
    await rowOf(page, 'writer').getByText('Running').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop this session?' });
    await dialog.getByText('The 1 running session that it started ends, too.').waitFor();
    await visitor.picture('session-tree-terminate');
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await rowOf(page, 'writer').getByText('Stopped').waitFor();
  }

  /** Ada is an admin: the page leads her to the audit trail of the whole tree. */
  async function expectAudited(root: Session): Promise<void> {
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open(`sessions/${root.id}`);
    await page.getByRole('link', { name: 'This session and those below it' }).click();
    const events = page.getByRole('table', { name: 'Audit events' });
    for (const agent of ['planner', 'reader', 'writer']) {
      await events
        .getByRole('row')
        .filter({ hasText: `started a session of ${agent}` })
        .waitFor();
    }
    await visitor.picture('session-tree-audit');
    await visitor.leave();
  }
});

/** As long as a label may be, and like a further session of a chain. */
const imitation = `summary › admin ${'of all '.repeat(12)}`.trim();

const words = (text: string) => text.replace(/\s+/g, ' ').trim();

async function expectWithin(what: Locator, place: Locator): Promise<void> {
  const [inner, outer] = [await what.boundingBox(), await place.boundingBox()];
  const right = (box: typeof inner) => (box === null ? Number.NaN : box.x + box.width);
  expect(right(inner)).toBeLessThanOrEqual(right(outer));
}

async function expectNoWider(page: Page): Promise<void> {
  // A phone zooms out over what is too wide, so that the window grows with it.
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}
