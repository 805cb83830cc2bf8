/**
 * What a session's page keeps in view, where it opens, how it shows that it waits for a person, and
 * what it shows of siblings.
 */
import { beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Agent } from '../../contract/agent.ts';
import { ask, say, waitFor, waitForever, write } from '../support/asking-steps.ts';
import { describeInBrowser, inPage, phone } from '../support/browser.ts';
import { demoInBrowser } from '../support/demo-in-browser.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { sharedPlatform } from '../support/shared-platform.ts';

const question = { call: 'platform.request_input', arguments: { prompt: 'Which colour?', options: [] } };
const isAtTop = 'window.scrollY === 0';

describeInBrowser('the page of a session', () => {
  const demo = demoInBrowser();
  let ada: FrontDoor;

  beforeAll(async () => {
    ada = await demo.signIn('ada');
  });

  /** Long enough that both sizes have to be scrolled. */
  const talk = Array.from({ length: 40 }, (_, line) => say(`Line ${line + 1}`));

  async function isInWindow(what: Locator, height: number): Promise<boolean> {
    const box = await what.boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= height;
  }

  it('keeps an unsent message across navigation, a reload and a message that grows', async () => {
    const message = 'I found three <b>files</b> and a \u202enote, all of them yesterday.';
    const steps = [waitFor('write now'), { write: message, seconds: 6 }, waitForever];
    const agent = await ada.createAgent('left-alone', steps, {});
    const session = await ada.startSession(agent.id);
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open(`sessions/${session.id}`);
    const field = page.getByRole('textbox', { name: 'Message to the agent' });
    await field.fill('half a sentence');
    await page.getByRole('link', { name: 'Secrets' }).click();
    await page.getByRole('heading', { name: 'Secrets', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('row').filter({ hasText: 'left-alone' }).getByRole('link').first().click();
    await field.waitFor();
    expect(await field.inputValue()).toBe('half a sentence');
    await page.reload();
    await field.waitFor();
    expect(await field.inputValue()).toBe('half a sentence');
    await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'write now' });
    const written = page.getByRole('listitem').filter({ hasText: 'left-alone (is writing)' });
    await written.getByText('I found three').waitFor();
    await page.getByText('Live: the agent is writing').waitFor();
    expect(await written.getByText('yesterday').count()).toBe(0);
    await page.getByRole('listitem').filter({ hasText: 'all of them yesterday.' }).waitFor();
    await written.waitFor({ state: 'detached' });
    expect(await page.locator('.entry b').count()).toBe(0);
    expect(await field.inputValue()).toBe('half a sentence');
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename this session' });
    expect(await dialog.getByLabel('Title').inputValue()).toBe('go');
    await dialog.getByLabel('Title').fill('Three <b>files</b>');
    await visitor.checkAccessibility(dialog);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Three <b>files</b>', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'Start session' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('go');
    await visitor.leave();
  });

  it('says what it waits for: on its page, in the list, in the filter and in the tab title', async () => {
    const steps = [...talk, question, waitFor('Green'), ask('once'), waitForever];
    const agent = await ada.createAgent('waiter', steps, { files: {} });
    const session = await ada.startSession(agent.id);
    const visitor = await demo.visit('ada', { viewport: { width: 1280, height: 720 } });
    const { page } = visitor;
    await visitor.open(`sessions/${session.id}`);
    const state = page.getByRole('group', { name: 'State of the session' });
    await state.getByText('Waiting for answer').waitFor();
    await inPage(page, 'the title of the tab', `document.title.includes('Waiting for answer · go')`);
    await visitor.open('sessions?status=waiting_for_answer');
    await page.getByRole('row').filter({ hasText: 'waiter' }).getByText('Waiting for answer').waitFor();
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('Waiting for answer');

    await page.getByRole('row').filter({ hasText: 'waiter' }).getByRole('link').first().click();
    const field = page.getByRole('textbox', { name: 'Your answer' });
    await field.fill('Green');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Decide later' }).click();
    await state.getByText('Waiting for approval').waitFor();
    await inPage(page, 'the title of the tab', `document.title.includes('Waiting for approval · go')`);
    await visitor.open('sessions?status=waiting_for_approval');
    await page.getByRole('row').filter({ hasText: 'waiter' }).getByText('Waiting for approval').waitFor();
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await page.getByRole('row').filter({ hasText: 'waiter' }).waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('does not interrupt typing with a request, and restores the focus after it', async () => {
    const agent = await ada.createAgent('interrupter', [waitFor('ask now'), ask('once'), waitForever], {
      files: {},
    });
    const session = await ada.startSession(agent.id);
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open(`sessions/${session.id}`);
    await page.getByText('step 1 of 3').waitFor();
    const field = page.getByRole('textbox', { name: 'Message to the agent' });
    await field.click();
    await page.keyboard.type('half of what');
    await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'ask now' });
    await page.getByText('A permission request is waiting for you').waitFor();
    await page.keyboard.type(' I mean to say');
    expect(await field.inputValue()).toBe('half of what I mean to say');
    const dialog = page.getByRole('dialog', { name: 'Permission request' });
    expect(await dialog.count()).toBe(0);

    const focused = (text: string) =>
      inPage(page, `the focus at ${text}`, `document.activeElement.textContent.includes('${text}')`);
    await page.getByRole('button', { name: 'Review', exact: true }).focus();
    for (const leave of ['Escape', 'Decide later']) {
      await page.keyboard.press('Enter');
      await dialog.getByRole('heading', { level: 3 }).waitFor();
      await (leave === 'Escape'
        ? page.keyboard.press('Escape')
        : dialog.getByRole('button', { name: leave }).click());
      await dialog.waitFor({ state: 'detached' });
      await focused('Review');
    }
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Deny…' }).click();
    await inPage(page, 'the focus at the reason', `document.activeElement.tagName === 'TEXTAREA'`);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await focused('wants to use tools that need');
    await dialog.locator('button:enabled', { hasText: 'Approve one call' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Allowed: one call').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await inPage(page, 'the focus at the message', `document.activeElement.value?.startsWith('half of')`);
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });

  it('says how far an approval went, and restores the focus to the link that led to it', async () => {
    const steps = [write('permission_required'), ask('session'), waitForever];
    const agent = await ada.createAgent('narrowed', steps, { files: {} });
    const session = await ada.startSession(agent.id);
    const request = await ada.openRequest(session.id);
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    await visitor.open('approvals');
    await page.getByRole('link', { name: /^Review the request of narrowed / }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Permission request' });
    await dialog.getByRole('heading', { level: 3 }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const atLink = `document.activeElement.getAttribute('href')?.includes('${request.id}')`;
    await inPage(page, 'the focus at the link', atLink);

    await page.keyboard.press('Enter');
    await dialog.getByRole('radio', { name: 'One call, any arguments' }).check();
    await dialog.getByRole('button', { name: 'Approve one call, any arguments' }).click();
    await page.getByText('Allowed: one call, any arguments').waitFor();
    await visitor.open(`approvals/${request.id}`);
    await dialog.getByText('Approved once, for files.write_file only.').waitFor();
    await dialog.getByText('Approved by you').waitFor();
    await dialog.getByRole('link', { name: 'View grant' }).click();
    const permitted = page.getByRole('row', { name: /^Can call/ });
    await permitted.getByText('files.write_file only, which needs').waitFor();
    expect(await permitted.getByRole('listitem').count()).toBe(0);
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await visitor.leave();
  });

  it('keeps its title, state and composer in view, and the focus in the composer', async () => {
    const agent = await ada.createAgent('talker', [...talk, waitFor('end'), { sleep_seconds: 0 }], {});
    for (const context of [{ viewport: { width: 1280, height: 720 } }, phone]) {
      const session = await ada.startSession(agent.id);
      const visitor = await demo.visit('ada', context);
      const { page } = visitor;
      const { height } = context.viewport ?? { height: 0 };
      await visitor.open(`sessions/${session.id}`);
      await page.getByText('Line 40', { exact: true }).waitFor();
      const field = page.getByRole('textbox', { name: 'Message to the agent' });
      const pinned = [
        page.getByRole('heading', { level: 1 }),
        page.getByRole('group', { name: 'State of the session' }),
        field,
      ];
      for (const to of ['0', 'document.body.scrollHeight / 3']) {
        await page.evaluate(`window.scrollTo(0, ${to})`);
        for (const what of pinned) {
          expect(await isInWindow(what, height)).toBe(true);
        }
      }
      await field.fill('not yet');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('region', { name: 'Transcript' }).getByText('not yet').waitFor();
      expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
      await field.fill('end');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('The session has ended.').waitFor();
      await visitor.checkAccessibility();

      await visitor.load(`sessions/${session.id}`);
      await page.getByText('The session has ended.').waitFor();
      expect(await page.evaluate(isAtTop)).toBe(true);
      await page.evaluate('window.scrollTo(0, 600)');
      for (const what of pinned.slice(0, 2)) {
        expect(await isInWindow(what, height)).toBe(true);
      }
      await visitor.leave();
    }
  });

  it('opens at its newest line while it runs, and keeps its reason in view when it has ended', async () => {
    const agent = await ada.createAgent('chatty', [...talk, waitFor('go on'), say('Newer'), waitForever], {});
    const reason = `It was enough. ${'Somebody said so at length. '.repeat(10)}`;
    for (const context of [{ viewport: { width: 1280, height: 720 } }, phone]) {
      const session = await ada.startSession(agent.id);
      await untilFound('its last line', async () =>
        (await ada.events(session.id)).find(({ payload }) => payload['status'] === 'Line 40'),
      );
      const visitor = await demo.visit('ada', context);
      const { page } = visitor;
      await visitor.open(`sessions/${session.id}`);
      await expectInSight(page, 'Line 40');
      await visitor.picture(`session-live-${context.viewport?.width}`);
      await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'go on' });
      await expectInSight(page, 'Newer');
      // A reader further up is not scrolled away, also when the transcript grows before the next frame.
      await page.evaluate(
        `window.scrollTo(0, 300); document.querySelector('.transcript').style.paddingBottom = '40px';`,
      );
      await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'one more' });
      await page.getByRole('region', { name: 'Transcript' }).getByText('one more').waitFor();
      expect(await page.evaluate('window.scrollY')).toBeLessThan(400);

      await ada.ok('POST', `/api/sessions/${session.id}/terminate`, { reason });
      await ada.ended(session.id);
      await visitor.load(`sessions/${session.id}`);
      await page.getByText('The session has ended.').waitFor();
      expect(await page.evaluate(isAtTop)).toBe(true);
      await page.evaluate('window.scrollTo(0, document.body.scrollHeight / 2)');
      const state = page.getByRole('group', { name: 'State of the session' });
      const { height } = context.viewport ?? { height: 0 };
      for (const what of [
        page.getByRole('heading', { level: 1 }),
        state.getByText('Stopped'),
        state.getByText(/It was enough/),
      ]) {
        expect(await isInWindow(what.first(), height)).toBe(true);
      }
      await visitor.picture(`session-scrolled-${context.viewport?.width}`);
      await visitor.leave();
    }
  });

  it('shows the newest of 10,000 events after one request, and earlier ones where the reader is', async () => {
    const agent = await ada.createAgent('long-winded', [waitForever], {});
    const session = await ada.startSession(agent.id, `Count\n${'and count on\n'.repeat(200)}`);
    await ada.ok('POST', `/api/sessions/${session.id}/terminate`, {});
    await ada.ended(session.id);
    await withPlatformDatabase(await sharedPlatform(), async (db) => {
      await db.raw(
        `update session_events set seq = seq + 10000 where session_id = ? and payload ->> 'to' = 'terminated'`,
        [session.id],
      );
      await db.raw(
        `insert into session_events (id, session_id, seq, at, type, actor_type, actor_id, payload)
         select gen_random_uuid(), e.session_id, e.seq - 10001 + n, e.at, 'agent.message', 'agent', ?,
           jsonb_build_object('text', concat('Line ', n), 'channel', null)
         from session_events e, generate_series(1, 10000) n
         where e.session_id = ? and e.payload ->> 'to' = 'terminated'`,
        [agent.id, session.id],
      );
      await db('sessions').where({ id: session.id }).increment('last_event_seq', 10_000);
    });
    const visitor = await demo.visit('ada');
    const { page } = visitor;
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes(`${session.id}/events`)) {
        asked.push(request.url());
      }
    });
    await visitor.open(`sessions/${session.id}`);
    await expectInSight(page, 'Line 10000');
    expect(asked).toHaveLength(1);
    const nodes = () => page.evaluate<number>(`document.querySelectorAll('*').length`);
    expect(await nodes()).toBeLessThanOrEqual(3_000);

    const transcript = page.getByRole('region', { name: 'Transcript' });
    const lines = transcript.getByText(/^Line \d+$/);
    for (let step = 0; step < 4; step += 1) {
      const first = (await lines.first().textContent()) ?? '';
      const earlier = transcript.getByRole('button', { name: 'Show earlier' });
      // As a reader comes to it: what is in sight then stays drawn.
      await earlier.scrollIntoViewIfNeeded();
      await earlier.focus();
      const line = transcript.getByText(first, { exact: true });
      const before = (await line.boundingBox())?.y ?? 0;
      await page.keyboard.press('Enter');
      await eventually(async () => expect(await lines.first().textContent()).not.toBe(first));
      expect(Math.abs(((await line.boundingBox())?.y ?? 0) - before)).toBeLessThan(60);
      expect(await nodes()).toBeLessThanOrEqual(3_000);
    }
    expect(asked).toHaveLength(2);
    await transcript.getByRole('button', { name: 'Latest' }).click();
    await expectInSight(page, 'Line 10000');
    await transcript.getByLabel('Search the transcript').fill('line 9990');
    await eventually(async () => expect(await lines.allTextContents()).toEqual(['Line 9990']));
    await visitor.leave();
  });

  describeWith('bwrap')('and siblings of which one is never ready', () => {
    it('are named apart, with the limit that the late one had', async () => {
      const run = { type: 'command', command: 'sh', args: ['-c', 'sleep 600'] };
      const { agent } = await ada.ok<{ agent: Agent }>('POST', `${ada.workspace}/agents`, {
        name: 'waits',
        run,
        siblings: [{ name: 'db', run, port: 5432, ready: { type: 'port', timeout_seconds: 2 } }],
      });
      await ada.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: 'files', env: {} });
      const { id } = await ada.startSession(agent.id);
      for (const context of [{}, phone]) {
        const visitor = await demo.visit('ada', context);
        const { page } = visitor;
        await visitor.open(`sessions/${id}`);
        await page
          .getByRole('region', { name: 'Launch' })
          .getByText('Start the agent, its servers and siblings')
          .waitFor();
        await page.getByRole('tab', { name: 'Servers' }).click();
        const card = page.getByRole('region', { name: 'Servers' });
        const sibling = card.getByRole('list', { name: 'Runs beside it' }).getByRole('listitem');
        await sibling.filter({ hasText: 'db' }).getByText('was not ready within 2 seconds').waitFor();
        expect(await card.getByText('SIGTERM').count()).toBe(0);
        const others = card.getByRole('list', { name: 'MCP servers and agent' });
        expect(await others.getByRole('listitem').allTextContents()).toEqual([
          expect.stringContaining('files'),
          expect.stringContaining('Agent'),
        ]);
        await visitor.leave();
      }
    });
  });
});

/** The line is visible: neither below the window nor behind what is pinned to its edges. */
async function expectInSight(page: Page, text: string): Promise<void> {
  const line = page.getByRole('region', { name: 'Transcript' }).getByText(text, { exact: true });
  await eventually(async () => {
    const box = await line.boundingBox({ timeout: 1_000 });
    const isDrawn = await page.evaluate<boolean>(
      `document.elementFromPoint(${(box?.x ?? 0) + 2}, ${(box?.y ?? 0) + (box?.height ?? 0) / 2})?.closest('section')?.ariaLabel === 'Transcript'`,
    );
    expect({ text, isDrawn }).toEqual({ text, isDrawn: true });
  });
}
